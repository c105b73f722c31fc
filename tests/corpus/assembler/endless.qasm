.macro m
m
.endm
m
.if 1
