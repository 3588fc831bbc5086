#include "textflag.h"

// The bit of a character's high half in Set.low. A byte that is no character
// has none that is set there.
DATA highs<>+0(SB)/8, $0x8040201008040201
DATA highs<>+8(SB)/8, $0xffffffffffffffff
GLOBL highs<>(SB), RODATA|NOPTR, $16

// By the high half of a byte: a tab where it may begin a date, a byte order
// mark or an escape, and else what is a mark whatever is behind it.
DATA tabs<>+0(SB)/8, $0x0d0d0d0d090d090d
DATA tabs<>+8(SB)/8, $0x0d090d0d0d0d0d0d
GLOBL tabs<>(SB), RODATA|NOPTR, $16

// By the low half of a byte: what with that half is a mark, or nothing with it.
DATA others<>+0(SB)/8, $0x0000000000000001
DATA others<>+8(SB)/8, $0x00000d7c00000000
GLOBL others<>(SB), RODATA|NOPTR, $16

// By the low half of a byte: what with that half makes an escape behind a
// backslash in JSON, but for \b, \r and \u.
DATA escapes<>+0(SB)/8, $0x0066007400220001
DATA escapes<>+8(SB)/8, $0x2f6e005c00000000
GLOBL escapes<>(SB), RODATA|NOPTR, $16

// The parts of a Head: what is kept of a line's bytes, and what is added to the
// number of bits in its blanks so that HeadBlank and HeadDeep are set by it.
DATA parts<>+0(SB)/8, $0xff
DATA parts<>+8(SB)/8, $0xff00
DATA parts<>+16(SB)/8, $0x0000f8
DATA parts<>+24(SB)/8, $0x000100
DATA parts<>+32(SB)/8, $0xffffc8
DATA parts<>+40(SB)/8, $0x1000000
GLOBL parts<>(SB), RODATA|NOPTR, $48

#define BYTES(c, x, y) \
	MOVQ $c, AX; \
	VMOVQ AX, x; \
	VPBROADCASTB x, y

// TAGS puts into Y3 which bytes of Y0 are a '<' (Y6) with a byte of the set (Y14)
// behind it: these are in Y1. Their high halves stay in Y4.
#define TAGS \
	VPSRLW $4, Y1, Y4; \
	VPAND Y13, Y4, Y4; \
	VPSHUFB Y4, Y15, Y2; \
	VPSHUFB Y1, Y14, Y3; \
	VPAND Y2, Y3, Y3; \
	VPCMPEQB Y2, Y3, Y3; \
	VPCMPEQB Y6, Y0, Y2; \
	VPAND Y2, Y3, Y3

// HALF makes the masks of the 32 bytes at off(SI). In Y7 it gathers the escapes.
#define HALF(off, lf, mark) \
	VMOVDQU off(SI), Y0; \
	VMOVDQU (off+1)(SI), Y1; \
	VPCMPEQB Y5, Y0, Y2; \
	VPMOVMSKB Y2, lf; \
	TAGS; \
	VPSHUFB Y4, Y9, Y2; \
	VPCMPEQB Y0, Y2, Y2; \
	VPOR Y2, Y3, Y3; \
	VPSHUFB Y0, Y8, Y2; \
	VPCMPEQB Y0, Y2, Y2; \
	VPOR Y2, Y3, Y3; \
	VPMOVMSKB Y3, mark; \
	VPCMPEQB Y10, Y0, Y2; \
	VPOR Y2, Y7, Y7

// func avx2(words *Word, b *byte, n int, after *Set) (backward uint64, escape bool)
TEXT ·avx2(SB), NOSPLIT, $0-41
	MOVQ words+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ after+24(FP), DX

	BYTES(0x0a, X5, Y5)
	BYTES(0x3c, X6, Y6)
	VPXOR Y7, Y7, Y7
	VBROADCASTI128 others<>(SB), Y8
	VBROADCASTI128 tabs<>(SB), Y9
	BYTES(0x1b, X10, Y10)
	BYTES(15, X13, Y13)
	VBROADCASTI128 (DX), Y14
	VBROADCASTI128 highs<>(SB), Y15
	XORL R10, R10

loop:
	HALF(0, AX, BX)
	HALF(32, R8, R9)
	SHLQ $32, R8
	SHLQ $32, R9
	ORQ R8, AX
	ORQ R9, BX
	MOVQ AX, (DI)
	MOVQ BX, 8(DI)
	CMPQ BX, $1
	SBBQ R11, R11 // -1 for no Mark
	LEAQ 1(R11)(R10*2), R10
	ADDQ $64, SI
	ADDQ $24, DI
	DECQ CX
	JNZ loop

	VPTEST Y7, Y7
	SETNE escape+40(FP)
	MOVQ R10, backward+32(FP)
	VZEROUPPER
	RET

// func linesBMI(ends *int32, words *Word, n int, base int64) int
TEXT ·linesBMI(SB), NOSPLIT, $0-40
	MOVQ ends+0(FP), DI
	MOVQ words+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ base+24(FP), DX
	XORL R13, R13

	// Few words have more than three lines: these are written at once, whether
	// they are there or not.
word:
	MOVQ (SI), AX
	MOVQ R13, 16(SI)
	POPCNTQ AX, BX
	TZCNTQ AX, R8
	BLSRQ AX, AX
	TZCNTQ AX, R9
	BLSRQ AX, AX
	TZCNTQ AX, R10
	BLSRQ AX, AX
	ADDL DX, R8
	ADDL DX, R9
	ADDL DX, R10
	MOVL R8, (DI)
	MOVL R9, 4(DI)
	MOVL R10, 8(DI)
	TESTQ AX, AX
	JNZ many
next:
	LEAQ (DI)(BX*4), DI
	ADDQ BX, R13
	ADDQ $24, SI
	ADDQ $64, DX
	DECQ CX
	JNZ word
	MOVQ R13, ret+32(FP)
	RET

many:
	LEAQ 12(DI), R11
each:
	TZCNTQ AX, R8
	BLSRQ AX, AX
	ADDL DX, R8
	MOVL R8, (R11)
	ADDQ $4, R11
	TESTQ AX, AX
	JNZ each
	JMP next

// QUARTER looks at the 32 bytes y of the block that the line ends in, and goes to
// last if it ends there. In BX it gathers the escapes.
#define QUARTER(y) \
	VPCMPEQB Y6, y, Y8; \
	VPMOVMSKB Y8, DX; \
	VPCMPEQB Y5, y, Y8; \
	VPMOVMSKB Y8, AX; \
	TESTL AX, AX; \
	JNZ last; \
	ORL DX, BX; \
	ADDQ $32, SI

// func lineAVX2(b *byte, n int) (size int, escape, found bool)
TEXT ·lineAVX2(SB), NOSPLIT, $0-26
	MOVQ b+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ SI, DI
	BYTES(0x0a, X5, Y5)
	BYTES(0x1b, X6, Y6)
	VPXOR Y7, Y7, Y7
	XORL BX, BX

block:
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	VMOVDQU 64(SI), Y2
	VMOVDQU 96(SI), Y3
	VPCMPEQB Y5, Y0, Y8
	VPCMPEQB Y5, Y1, Y9
	VPCMPEQB Y5, Y2, Y10
	VPCMPEQB Y5, Y3, Y11
	VPOR Y9, Y8, Y8
	VPOR Y11, Y10, Y10
	VPOR Y10, Y8, Y8
	VPTEST Y8, Y8
	JNZ quarters
	VPCMPEQB Y6, Y0, Y0
	VPCMPEQB Y6, Y1, Y1
	VPCMPEQB Y6, Y2, Y2
	VPCMPEQB Y6, Y3, Y3
	VPOR Y1, Y0, Y0
	VPOR Y3, Y2, Y2
	VPOR Y2, Y0, Y0
	VPOR Y0, Y7, Y7
	ADDQ $128, SI
	DECQ CX
	JNZ block
	MOVB $0, found+25(FP)
	JMP done

quarters:
	QUARTER(Y0)
	QUARTER(Y1)
	QUARTER(Y2)
	QUARTER(Y3)

last:
	TZCNTL AX, CX
	ADDQ CX, SI
	BLSMSKL AX, AX // the bits up to the line's end
	ANDL AX, DX
	ORL DX, BX
	MOVB $1, found+25(FP)

done:
	VPMOVMSKB Y7, AX
	ORL AX, BX
	SETNE escape+24(FP)
	SUBQ DI, SI
	MOVQ SI, size+16(FP)
	VZEROUPPER
	RET

// func headsAVX2(heads *Head, b *byte, starts *int32, n int)
TEXT ·headsAVX2(SB), NOSPLIT, $0-32
	MOVQ heads+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ starts+16(FP), R8
	MOVQ n+24(FP), CX

	BYTES(0x20, X8, Y8)
	BYTES(0x09, X9, Y9)
	BYTES(0x08, X10, Y10)
	VPXOR Y11, Y11, Y11
	VPCMPEQB Y12, Y12, Y12
	MOVQ $parts<>(SB), R11
	VPBROADCASTQ (R11), Y13
	VPBROADCASTQ 8(R11), Y14
	VPBROADCASTQ 16(R11), Y15
	VPBROADCASTQ 24(R11), Y7
	VPBROADCASTQ 32(R11), Y6
	VPBROADCASTQ 40(R11), Y5

four:
	MOVLQSX (R8), AX
	MOVLQSX 4(R8), BX
	MOVLQSX 8(R8), DX
	MOVLQSX 12(R8), R9
	VMOVQ (SI)(AX*1), X0
	VPINSRQ $1, (SI)(BX*1), X0, X0
	VMOVQ (SI)(DX*1), X1
	VPINSRQ $1, (SI)(R9*1), X1, X1
	VINSERTI128 $1, X1, Y0, Y0

	// The bytes of Y1 that are ones are blanks. One less than its complement has
	// ones in just the bytes below the first other byte; eight for each of them
	// is by how much to shift.
	VPCMPEQB Y8, Y0, Y1
	VPCMPEQB Y9, Y0, Y2
	VPOR Y2, Y1, Y1
	VPXOR Y12, Y1, Y2
	VPADDQ Y12, Y2, Y2
	VPAND Y1, Y2, Y2
	VPAND Y10, Y2, Y2
	VPSADBW Y11, Y2, Y2
	VPSRLVQ Y2, Y0, Y0

	VPAND Y13, Y0, Y1
	VPAND Y14, Y0, Y0
	VPSLLQ $8, Y0, Y0
	VPOR Y1, Y0, Y0
	VPADDQ Y15, Y2, Y3
	VPAND Y7, Y3, Y3
	VPOR Y3, Y0, Y0
	VPADDQ Y6, Y2, Y3
	VPAND Y5, Y3, Y3
	VPOR Y3, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VSHUFPS $0x88, X1, X0, X0
	VMOVDQU X0, (DI)
	ADDQ $16, R8
	ADDQ $16, DI
	DECQ CX
	JNZ four

	VZEROUPPER
	RET

// func fitsAVX2(low, span *[32]byte, b *byte, starts *int32, n int) uint64
TEXT ·fitsAVX2(SB), NOSPLIT, $0-48
	MOVQ low+0(FP), AX
	MOVQ span+8(FP), BX
	MOVQ b+16(FP), SI
	MOVQ starts+24(FP), R8
	MOVQ n+32(FP), CX
	VMOVDQU (AX), Y1
	VMOVDQU (BX), Y2
	XORL R10, R10

start:
	MOVLQSX (R8), AX
	VMOVDQU (SI)(AX*1), Y0
	VPSUBB Y1, Y0, Y0
	VPMINUB Y2, Y0, Y3
	VPCMPEQB Y0, Y3, Y3
	VPMOVMSKB Y3, AX
	ADDL $1, AX // a carry for all bits set
	RCRQ $1, R10
	ADDQ $4, R8
	DECQ CX
	JNZ start

	MOVQ R10, ret+40(FP)
	VZEROUPPER
	RET

// NEEDLES makes the mask of the 32 bytes at off(SI).
#define NEEDLES(off, mask) \
	VMOVDQU off(SI), Y0; \
	VMOVDQU (off+1)(SI), Y1; \
	TAGS; \
	VPCMPEQB Y7, Y0, Y2; \
	VPCMPEQB Y8, Y1, Y4; \
	VPAND Y2, Y4, Y4; \
	VPOR Y4, Y3, Y3; \
	VPCMPEQB Y9, Y0, Y2; \
	VPCMPEQB Y10, Y1, Y4; \
	VPAND Y2, Y4, Y4; \
	VPOR Y4, Y3, Y3; \
	VPMOVMSKB Y3, mask

// func needleAVX2(b *byte, n int, after *Set) int
TEXT ·needleAVX2(SB), NOSPLIT, $0-32
	MOVQ b+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ after+16(FP), DX
	MOVQ SI, DI

	BYTES(0x3c, X6, Y6)
	BYTES(0x5c, X7, Y7)
	BYTES(0x75, X8, Y8)
	BYTES(0x5f, X9, Y9)
	BYTES(0x53, X10, Y10)
	BYTES(15, X13, Y13)
	VBROADCASTI128 (DX), Y14
	VBROADCASTI128 highs<>(SB), Y15

more:
	NEEDLES(0, AX)
	NEEDLES(32, BX)
	SHLQ $32, BX
	ORQ BX, AX
	JNZ found
	ADDQ $64, SI
	DECQ CX
	JNZ more
	MOVQ $-1, AX
	JMP done

found:
	BSFQ AX, AX
	SUBQ DI, SI
	ADDQ SI, AX

done:
	VZEROUPPER
	MOVQ AX, ret+24(FP)
	RET

// ENDS puts into y the quotes of the 32 bytes at off(SI) that are not surely
// escaped: by one backslash with another byte in front of it.
#define ENDS(off, y) \
	VPCMPEQB (off-1)(SI), Y6, Y2; \
	VPCMPEQB (off-2)(SI), Y6, Y3; \
	VPANDN Y2, Y3, Y3; \
	VPCMPEQB off(SI), Y5, y; \
	VPANDN y, Y3, y

// func quoteAVX2(b *byte, n int) int
TEXT ·quoteAVX2(SB), NOSPLIT, $0-24
	MOVQ b+0(FP), DI
	MOVQ n+8(FP), CX
	LEAQ 2(DI), SI
	BYTES(0x22, X5, Y5)
	BYTES(0x5c, X6, Y6)

block:
	ENDS(0, Y0)
	ENDS(32, Y1)
	VPOR Y0, Y1, Y2
	VPTEST Y2, Y2
	JNZ ends

advance:
	ADDQ $64, SI
	DECQ CX
	JNZ block
	MOVQ $-1, ret+16(FP)
	VZEROUPPER
	RET

ends:
	VPMOVMSKB Y0, AX
	VPMOVMSKB Y1, BX
	SHLQ $32, BX
	ORQ BX, AX

	// Of each the backslashes in front of it are counted, no one twice.
quote:
	BSFQ AX, R9
	ADDQ SI, R9
	MOVQ R9, R10
backslash:
	CMPQ R10, DI
	JEQ counted
	CMPB -1(R10), $0x5c
	JNE counted
	DECQ R10
	JMP backslash
counted:
	MOVQ R9, R11
	SUBQ R10, R11
	TESTQ $1, R11
	JZ found
	LEAQ -1(AX), R8
	ANDQ R8, AX
	JNZ quote
	JMP advance

found:
	SUBQ DI, R9
	MOVQ R9, ret+16(FP)
	VZEROUPPER
	RET

// ODD puts into y which of the 32 bytes at off(SI) are not surely text of a JSON
// string. What a backslash stands in front of surely is in Y3.
#define ODD(off, y) \
	VMOVDQU off(SI), Y0; \
	VPCMPEQB (off-1)(SI), Y6, Y2; \
	VPCMPEQB (off-2)(SI), Y6, Y3; \
	VPAND Y2, Y3, y; \
	VPANDN Y2, Y3, Y3; \
	VPCMPEQB Y0, Y5, Y2; \
	VPANDN Y2, Y3, Y2; \
	VPOR Y2, y, y; \
	VPSHUFB Y0, Y8, Y2; \
	VPCMPEQB Y0, Y2, Y2; \
	VPANDN Y3, Y2, Y2; \
	VPOR Y2, y, y; \
	VPMINUB Y0, Y7, Y2; \
	VPCMPEQB Y0, Y2, Y2; \
	VPOR Y2, y, y

// func textAVX2(b *byte, n int) int
TEXT ·textAVX2(SB), NOSPLIT, $0-24
	MOVQ b+0(FP), DI
	MOVQ n+8(FP), CX
	LEAQ 2(DI), SI
	BYTES(0x22, X5, Y5)
	BYTES(0x5c, X6, Y6)
	BYTES(0x1f, X7, Y7)
	VBROADCASTI128 escapes<>(SB), Y8

block:
	ODD(0, Y1)
	ODD(32, Y4)
	VPOR Y1, Y4, Y2
	VPTEST Y2, Y2
	JNZ odd
	ADDQ $64, SI
	DECQ CX
	JNZ block
	JMP done

odd:
	VPMOVMSKB Y1, AX
	VPMOVMSKB Y4, BX
	SHLQ $32, BX
	ORQ BX, AX
	BSFQ AX, AX
	ADDQ AX, SI

done:
	SUBQ DI, SI
	MOVQ SI, ret+16(FP)
	VZEROUPPER
	RET
