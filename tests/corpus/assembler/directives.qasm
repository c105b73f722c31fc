.set a, ra3
.const b, 5
.set f(x, y) (x & 0xf) << 4 | y
.func g(x)
  .assert x >= 0
  .if x < 2
    1
  .else
    .lset y, x - 1
    x * g(y)
  .endif
.endf
.macro m, dst, value
:1
    mov dst, value;
    ;add.setf r0, r0, b
    brr.anynz -, r:1b
    nop
    nop
    nop
.endm
::start
    m a, g(4)
.rep i, 3
.foreach r, ra0, rb1
    mov r+i, f(i, 2)
.endfor
.endr
.local
.lset t, r2
.back 2
    brr ra4, r:end
.endb
.endloc
.ifset b
.unset b
.endif
    .int :end - :start, 1.5
    .byte 1, 2, 3, 4
    .align 8
.global size, :end - :start
:end
.clone :start, 2
    nop; thrend
    nop
    nop
