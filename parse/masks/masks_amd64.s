#include "textflag.h"

// The bit of a character's high half in Set.low. A byte that is no character
// has none that is set there.
DATA highs<>+0(SB)/8, $0x8040201008040201
DATA highs<>+8(SB)/8, $0xffffffffffffffff
GLOBL highs<>(SB), RODATA|NOPTR, $16

// There is no register left for these.
DATA rare<>+0(SB)/8, $0x1b1b1b1b1b1b1b1b
DATA rare<>+8(SB)/8, $0x1b1b1b1b1b1b1b1b
DATA rare<>+16(SB)/8, $0x1b1b1b1b1b1b1b1b
DATA rare<>+24(SB)/8, $0x1b1b1b1b1b1b1b1b
DATA rare<>+32(SB)/8, $0x0909090909090909
DATA rare<>+40(SB)/8, $0x0909090909090909
DATA rare<>+48(SB)/8, $0x0909090909090909
DATA rare<>+56(SB)/8, $0x0909090909090909
GLOBL rare<>(SB), RODATA|NOPTR, $64

#define BYTES(c, x, y) \
	MOVQ $c, AX; \
	VMOVQ AX, x; \
	VPBROADCASTB x, y

// TAGS puts into Y3 which bytes of Y0 are a '<' (Y6) with a byte of the set (Y14)
// behind it: these are in Y1.
#define TAGS \
	VPSRLW $4, Y1, Y2; \
	VPAND Y13, Y2, Y2; \
	VPSHUFB Y2, Y15, Y2; \
	VPSHUFB Y1, Y14, Y3; \
	VPAND Y2, Y3, Y3; \
	VPCMPEQB Y2, Y3, Y3; \
	VPCMPEQB Y6, Y0, Y2; \
	VPAND Y2, Y3, Y3

// HALF makes the masks of the 32 bytes at off(SI): lf, tag and odd. In Y7 it
// gathers the escapes.
#define HALF(off, lf, tag, odd) \
	VMOVDQU off(SI), Y0; \
	VMOVDQU (off+1)(SI), Y1; \
	VPCMPEQB Y5, Y0, Y2; \
	VPMOVMSKB Y2, lf; \
	TAGS; \
	VPMOVMSKB Y3, tag; \
	VPCMPEQB Y10, Y1, Y2; \
	VPSUBB Y11, Y1, Y3; \
	VPMINUB Y12, Y3, Y4; \
	VPCMPEQB Y3, Y4, Y4; \
	VPOR Y2, Y4, Y4; \
	VPCMPEQB 32(R11), Y0, Y2; \
	VPAND Y2, Y4, Y4; \
	VPCMPEQB Y8, Y0, Y2; \
	VPOR Y2, Y4, Y4; \
	VPCMPEQB Y9, Y0, Y2; \
	VPOR Y2, Y4, Y4; \
	VPCMPEQB (R11), Y0, Y2; \
	VPOR Y2, Y7, Y7; \
	VPMOVMSKB Y4, odd

// func avx2(words *Word, b *byte, n int, after *Set) (escape bool)
TEXT ·avx2(SB), NOSPLIT, $0-33
	MOVQ words+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ after+24(FP), DX

	BYTES(0x0a, X5, Y5)
	BYTES(0x3c, X6, Y6)
	VPXOR Y7, Y7, Y7
	BYTES(0x0d, X8, Y8)
	BYTES(0x7c, X9, Y9)
	BYTES(0xef, X10, Y10)
	BYTES(0x30, X11, Y11)
	BYTES(9, X12, Y12)
	BYTES(15, X13, Y13)
	VBROADCASTI128 (DX), Y14
	VBROADCASTI128 highs<>(SB), Y15
	MOVQ $rare<>(SB), R11

loop:
	HALF(0, AX, BX, DX)
	HALF(32, R8, R9, R10)
	SHLQ $32, R8
	SHLQ $32, R9
	SHLQ $32, R10
	ORQ R8, AX
	ORQ R9, BX
	ORQ R10, DX
	MOVQ AX, (DI)
	MOVQ BX, 8(DI)
	MOVQ DX, 16(DI)
	ADDQ $64, SI
	ADDQ $24, DI
	DECQ CX
	JNZ loop

	VPTEST Y7, Y7
	SETNE escape+32(FP)
	VZEROUPPER
	RET

// func linesBMI(ends *int32, words *Word, n int, base int64) int
TEXT ·linesBMI(SB), NOSPLIT, $0-40
	MOVQ ends+0(FP), DI
	MOVQ words+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ base+24(FP), DX
	MOVQ DI, R12

	// Few words have more than three lines: these are written at once, whether
	// they are there or not.
word:
	MOVQ (SI), AX
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
	ADDQ $24, SI
	ADDQ $64, DX
	DECQ CX
	JNZ word
	SUBQ R12, DI
	SHRQ $2, DI
	MOVQ DI, ret+32(FP)
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
