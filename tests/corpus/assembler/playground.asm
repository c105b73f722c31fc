ldi ra1, rb2, 0x1234
loop: add rb48, ra1, rb32; nop
or.tmu rb50, ra32, 0; v8max rb33, ra21, ra21
brr.zf ra0, loop, ra1
sema down, 3
nop.tend ra39, ra39, ra39; nop rb39, rb39, rb39
