// Sets BEST and DIST to the length and distance of the longest match at AT, or to 3 and 0, and AX
// and BX to the tag and row of AT. Clobbers SLOT, FIRST, FROM, MASK and NEXT.

look:
	// The slots of the row with the tag, the latest in the lowest bit.
	PLACE(AT)
	MOVL      BX, SLOT
	SHLL      $5, SLOT
	VMOVD     AX, X0
	VPBROADCASTB X0, Y0
	VPCMPEQB  Rows_Tags(R)(SLOT*1), Y0, Y0
	VPMOVMSKB Y0, MASK
	MOVBLZX   Rows_First(R)(BX*1), FIRST
	MOVL      $3, BEST
	XORL      DIST, DIST
	TESTL     MASK, MASK
	JZ        none
	RORL      CL, MASK
	MOVL      FIRST, FIRSTSLOT // before this position is added
	MOVL      SLOT, ROWSLOT
	MOVQ      AX, TAG
	MOVQ      BX, ROW
	MOVQ      Rows_Attempts(R), NEXT // tries

try:
	TZCNTL MASK, SLOT
	BLSRL  MASK, MASK
	ADDL   FIRSTSLOT, SLOT
	ANDL   $(const_RowSlots-1), SLOT
	ORL    ROWSLOT, SLOT
	MOVL   Rows_At(R)(SLOT*4), FROM
	SUBQ   BASE, FROM
	JLT    done
	LEAQ   (AT)(BEST*1), AX
	CMPQ   AX, LEN
	JGE    done
	LEAQ   (FROM)(BEST*1), BX
	MOVL   -3(SRC)(BX*1), BX
	CMPL   BX, -3(SRC)(AX*1)
	JNE    next
	MOVL   (SRC)(FROM*1), BX
	CMPL   BX, (SRC)(AT*1)
	JNE    next

	// CX = how many bytes are equal
	LEAQ 4(AT), CX
	MOVQ AT, R15
	SUBQ FROM, R15

eight:
	LEAQ   8(CX), AX
	CMPQ   AX, LEN
	JGT    rest
	MOVQ   CX, BX
	SUBQ   R15, BX
	MOVQ   (SRC)(BX*1), BX
	XORQ   (SRC)(CX*1), BX
	JNZ    differ
	MOVQ   AX, CX
	JMP    eight

differ:
	TZCNTQ BX, BX
	SHRQ   $3, BX
	ADDQ   BX, CX
	JMP    counted

rest:
	CMPQ    CX, LEN
	JGE     counted
	MOVQ    CX, BX
	SUBQ    R15, BX
	MOVBLZX (SRC)(BX*1), BX
	CMPB    BX, (SRC)(CX*1)
	JNE     counted
	INCQ    CX
	JMP     rest

counted:
	SUBQ AT, CX
	CMPQ CX, BEST
	JLE  next
	MOVQ CX, BEST
	MOVQ R15, DIST

next:
	DECQ  NEXT
	JZ    done
	TESTL MASK, MASK
	JNZ   try

done:
	MOVQ TAG, AX
	MOVQ ROW, BX

none:
