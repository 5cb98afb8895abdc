# A sample.
	.text
	.globl f
f:
	movl $1, %eax
	addl (%rdi,%rsi,4), %eax
	ret
.macro m
	nop
.endm
.data
x:	.long 1, 2
