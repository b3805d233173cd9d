// What the searches in rows share. The names are those of rows_generic.go.

#define R      R8
#define SRC    SI
#define LEN    R9
#define AT     DI
#define NEXT   R10
#define BASE   R11
#define SHIFT  R12
#define MASK   R13
#define FIRST  CX
#define BEST   R14
#define FROM   DX
#define SLOT   R15
#define DIST   BP

// Saved during comparisons, in the first 32 bytes of the frame.
#define FIRSTSLOT 0(SP)
#define ROWSLOT   8(SP)
#define TAG       16(SP)
#define ROW       24(SP)

// Loads what does not change during a search.
#define SETUP() \
	MOVQ r+0(FP), R; \
	MOVQ Rows_Src(R), SRC; \
	MOVQ Rows_Src+8(R), LEN; \
	MOVL Rows_Base(R), BASE; \
	MOVL Rows_Shift(R), SHIFT

// BX = row, AX = tag (in the lower 8 bits), of the four bytes at at.
#define PLACE(at) \
	IMUL3L $const_hash4Mul, (SRC)(at*1), AX; \
	SHRXL  SHIFT, AX, AX; \
	MOVL   AX, BX; \
	SHRL   $const_tagBits, BX

// Inserts AT into row BX.
#define ADD(at) \
	MOVBLZX Rows_First(R)(BX*1), FIRST; \
	DECL    FIRST; \
	ANDL    $(const_RowSlots-1), FIRST; \
	MOVB    CL, Rows_First(R)(BX*1); \
	SHLL    $5, BX; \
	ORL     FIRST, BX; \
	MOVB    AL, Rows_Tags(R)(BX*1); \
	LEAL    (BASE)(at*1), AX; \
	MOVL    AX, Rows_At(R)(BX*4)

// Adds NEXT, except within a run.
#define INSERT(done) \
	MOVL (SRC)(NEXT*1), AX; \
	CMPL AX, -1(SRC)(NEXT*1); \
	JEQ  done; \
	PLACE(NEXT); \
	ADD(NEXT); \
done: \
	INCQ NEXT
