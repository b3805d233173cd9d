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
	LEAQ      32(AT), AX
	CMPQ      AX, LEN
	JGT       try
	VMOVDQU   (SRC)(AT*1), Y1

try:
	TZCNTL    MASK, SLOT
	BLSRL     MASK, MASK
	ADDL      FIRSTSLOT, SLOT
	ANDL      $(const_RowSlots-1), SLOT
	ORL       ROWSLOT, SLOT
	MOVL      Rows_At(R)(SLOT*4), FROM
	SUBQ      BASE, FROM
	JLT       done
	MOVQ      AT, CX
	MOVQ      AT, AX
	SUBQ      FROM, AX // the distance
	LEAQ      32(AT), BX
	CMPQ      BX, LEN
	JGT       rest
	VPCMPEQB  (SRC)(FROM*1), Y1, Y0
	VPMOVMSKB Y0, BX
	XORL      $-1, BX
	JEQ       whole
	TZCNTL    BX, CX
	CMPQ      CX, BEST
	CMOVQGT   CX, BEST
	CMOVQGT   AX, DIST

following:
	DECQ  NEXT
	JZ    done
	TESTL MASK, MASK
	JNZ   try
	JMP   done

whole: // all 32 bytes are equal
	ADDQ      $32, CX
	LEAQ      32(CX), BX
	CMPQ      BX, LEN
	JGT       rest
	MOVQ      CX, SLOT
	SUBQ      AX, SLOT
	VMOVDQU   (SRC)(SLOT*1), Y0
	VPCMPEQB  (SRC)(CX*1), Y0, Y0
	VPMOVMSKB Y0, BX
	XORL      $-1, BX
	JEQ       whole
	TZCNTL    BX, BX
	ADDQ      BX, CX
	JMP       counted

rest:
	CMPQ    CX, LEN
	JGE     counted
	MOVQ    CX, SLOT
	SUBQ    AX, SLOT
	MOVBLZX (SRC)(SLOT*1), BX
	CMPB    BX, (SRC)(CX*1)
	JNE     counted
	INCQ    CX
	JMP     rest

counted:
	SUBQ    AT, CX
	CMPQ    CX, BEST
	CMOVQGT CX, BEST
	CMOVQGT AX, DIST
	LEAQ    (AT)(BEST*1), BX
	CMPQ    BX, LEN
	JLT     following

done:
	MOVQ TAG, AX
	MOVQ ROW, BX

none:
