// What the searches that take the first match share. The names are those of generic.go.

#define S      R8
#define SRC    SI
#define AT     DI
#define ANCHOR R9
#define LIMIT  R10
#define LATEST R11
#define BEFORE R12
#define OUT    R13
#define BASE   R14
#define MUL    R15
#define FROM   DX
#define N      CX

#define OUTEND 0(SP)
#define END    8(SP)

// N = the number of equal bytes from FROM and AT on, of which four are known to be equal. FROM is
// preserved.
#define EQUAL(whole, more, next, differ, rest, one, end) \
	LEAQ      32(AT), AX; \
	CMPQ      AX, END; \
	MOVQ      AT, BP; \
	LEAQ      4(AT), N; \
	JGT       rest; \
	VMOVDQU   (SRC)(AT*1), Y0; \
	VPCMPEQB  (SRC)(FROM*1), Y0, Y0; \
	VPMOVMSKB Y0, BX; \
	SUBQ      FROM, BP; \
	XORL      $-1, BX; \
	JEQ       whole; \
	TZCNTL    BX, N; \
	JMP       end; \
whole: \
	MOVQ   AX, N; \
more: \
	LEAQ   32(N), AX; \
	CMPQ   AX, END; \
	JGT    next; \
	MOVQ   N, BX; \
	SUBQ   BP, BX; \
	VMOVDQU   (SRC)(BX*1), Y0; \
	VPCMPEQB  (SRC)(N*1), Y0, Y0; \
	VPMOVMSKB Y0, BX; \
	XORL   $-1, BX; \
	JNE    differ; \
	MOVQ   AX, N; \
	JMP    more; \
differ: \
	TZCNTL BX, BX; \
	ADDQ   BX, N; \
	SUBQ   AT, N; \
	JMP    end; \
rest: \
	SUBQ   FROM, BP; \
next: \
	CMPQ   N, END; \
	JGE    one; \
	MOVQ   N, BX; \
	SUBQ   BP, BX; \
	MOVBLZX (SRC)(BX*1), BX; \
	CMPB   BX, (SRC)(N*1); \
	JNE    one; \
	INCQ   N; \
	JMP    next; \
one: \
	SUBQ AT, N; \
end:

// Moves FROM and AT, whose match has N bytes, back by the equal bytes before them, AT at most to
// ANCHOR.
#define BACK(byte, done) \
	MOVQ    AT, BX; \
	SUBQ    ANCHOR, BX; \
	CMPQ    FROM, $8; \
	JLT     byte; \
	MOVQ    -8(SRC)(AT*1), AX; \
	XORQ    -8(SRC)(FROM*1), AX; \
	LZCNTQ  AX, AX; \
	SHRQ    $3, AX; \
	CMPQ    BX, AX; \
	CMOVQLT BX, AX; \
	SUBQ    AX, AT; \
	SUBQ    AX, FROM; \
	ADDQ    AX, N; \
	CMPQ    AX, $8; \
	JNE     done; \
byte: \
	CMPQ    AT, ANCHOR; \
	JLE     done; \
	TESTQ   FROM, FROM; \
	JLE     done; \
	MOVBLZX -1(SRC)(AT*1), BX; \
	CMPB    BX, -1(SRC)(FROM*1); \
	JNE     done; \
	DECQ    AT; \
	DECQ    FROM; \
	INCQ    N; \
	JMP     byte; \
done:

// Adds a match of N bytes, with the literals before it.
#define EMIT(distance) \
	MOVQ AT, AX; \
	SUBQ ANCHOR, AX; \
	MOVL AX, Match_Literals(OUT); \
	MOVL N, Match_Length(OUT); \
	MOVL distance, Match_Distance(OUT); \
	ADDQ $Match__size, OUT

// Adds a match of N bytes at the distance before the latest, and passes it.
#define FOLLOW() \
	MOVL $0, Match_Literals(OUT); \
	MOVL N, Match_Length(OUT); \
	MOVL BEFORE, Match_Distance(OUT); \
	ADDQ $Match__size, OUT; \
	XCHGQ LATEST, BEFORE; \
	ADDQ N, AT; \
	MOVQ AT, ANCHOR

// AX = the number of matches from AX to OUT.
#define COUNT() \
	SUBQ AX, OUT; \
	MOVQ OUT, AX; \
	XORL DX, DX; \
	MOVL $Match__size, CX; \
	DIVQ CX
