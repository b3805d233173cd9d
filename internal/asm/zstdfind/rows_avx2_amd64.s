//go:build !purego

#include "textflag.h"
#include "go_asm.h"
#include "next_avx2_amd64.h"
#include "rows_avx2_amd64.h"

// func longestAVX2(r *Rows, at int, peek bool) (length, distance int)
TEXT ·longestAVX2(SB), NOSPLIT, $32-40
	SETUP()
	MOVQ at+8(FP), AT
	CMPB peek+16(FP), $0
	JNE  look
	MOVQ Rows_Next(R), NEXT
	JMP  test

insert:
	INSERT(inserted)

test:
	CMPQ NEXT, AT
	JLT  insert
	LEAQ 1(AT), AX
	MOVQ AX, Rows_Next(R)

#include "lookup_avx2_amd64.h"

	CMPB peek+16(FP), $0
	JNE  return
	MOVL (SRC)(AT*1), DX
	CMPL DX, -1(SRC)(AT*1)
	JEQ  return
	ADD(AT)

return:
	MOVQ BEST, length+24(FP)
	MOVQ DIST, distance+32(FP)
	VZEROUPPER
	RET

// func seekAVX2(r *Rows, s *Scan) bool
TEXT ·seekAVX2(SB), NOSPLIT, $40-17
	SETUP()
	MOVQ s+8(FP), CX
	MOVQ Scan_At(CX), AT
	MOVQ Rows_Next(R), NEXT
	JMP  test

insert:
	INSERT(inserted)

test:
	CMPQ NEXT, AT
	JLT  insert

#include "lookup_avx2_amd64.h"

	MOVL (SRC)(AT*1), DX
	CMPL DX, -1(SRC)(AT*1)
	JEQ  added
	ADD(AT)

added:
	MOVQ  s+8(FP), CX
	LEAQ  1(AT), NEXT
	TESTQ DIST, DIST
	JZ    ahead
	LEAL  3(DIST), AX
	BSRL  AX, AX
	LEAQ  (BEST*4), BX
	SUBQ  AX, BX
	CMPQ  BX, Scan_Least(CX)
	JGT   found

ahead: // at the latest distance, one byte on
	MOVL 1(SRC)(AT*1), AX
	MOVQ NEXT, BX
	SUBQ Scan_Latest(CX), BX
	JLT  run
	CMPL AX, (SRC)(BX*1)
	JEQ  found

run:
	CMPL  AX, DX
	JNE   step
	CMPB  Scan_Runs(CX), $0
	JNE   found

step:
	MOVQ AT, AX
	SUBQ Scan_Anchor(CX), AX
	SARQ $const_calm, AX
	CMPQ AX, $(const_leap-1)
	JGE  leap
	LEAQ 1(AT)(AX*1), AT
	CMPQ AX, $const_haste
	JGT  pass
	CMPQ AT, Scan_Until(CX)
	JLT  test
	JMP  ended

leap:
	LEAP(const_leapLog, leaped)

pass: // positions passed this quickly are not worth inserting
	MOVQ AT, NEXT
	CMPQ AT, Scan_Until(CX)
	JLT  test

ended:
	MOVB $0, ret+16(FP)
	JMP  return

found:
	MOVB $1, ret+16(FP)
	MOVQ BEST, Scan_Length(CX)
	MOVQ DIST, Scan_Distance(CX)

return:
	MOVQ AT, Scan_At(CX)
	MOVQ NEXT, Rows_Next(R)
	VZEROUPPER
	RET
