// The turn from planes to items of 2, 4 and 8 bytes, 32 items at a time; that of 8 bytes is also
// most of the turn back. The notation is that of
// shuffle_avx2_amd64.s. Planes give register (b), byte (i3 i2 i1 i0), low lane items 0 to 15, high
// lane 16 to 31. Each step moves one bit of b behind the others and the highest of i to the
// register's number, until a lane has whole items in order.

#define UNPACK(a, b, low, high) \
	VPUNPCKLBW b, a, low; \
	VPUNPCKHBW b, a, high

// The low lanes of A and B side by side in L, and the high lanes in H. XB is the low lane of B.
// Whole registers are stored in order of addresses, which is twice as fast as storing 16 scattered
// bytes at a time.
#define JOIN(XB, A, B, L, H) \
	VINSERTI128 $1, XB, A, L; \
	VPERM2I128 $0x31, B, A, H

// Items of 2 bytes: Y0 and Y1 to Y4 and Y5.
#define TURN2 \
	UNPACK(Y0, Y1, Y2, Y3); \
	JOIN(X3, Y2, Y3, Y4, Y5)

// Items of 4 bytes: Y0 to Y3 to Y4, Y6, Y5 and Y7. Register (b1 b0) → register (i3 i2), byte
// (i1 i0 b1 b0).
#define TURN4 \
	UNPACK(Y0, Y2, Y4, Y6); \
	UNPACK(Y1, Y3, Y5, Y7); \
	UNPACK(Y4, Y5, Y0, Y1); \
	UNPACK(Y6, Y7, Y2, Y3); \
	JOIN(X1, Y0, Y1, Y4, Y5); \
	JOIN(X3, Y2, Y3, Y6, Y7)

// Items of 8 bytes, without the last step: Y0 to Y7 to Y8 to Y15. Register (b2 b1 b0) → register
// 8+(i3 i2 i1), byte (i0 b2 b1 b0).
#define TURN8 \
	UNPACK(Y0, Y4, Y8, Y12); \
	UNPACK(Y1, Y5, Y9, Y13); \
	UNPACK(Y2, Y6, Y10, Y14); \
	UNPACK(Y3, Y7, Y11, Y15); \
	UNPACK(Y8, Y10, Y0, Y2); \
	UNPACK(Y9, Y11, Y1, Y3); \
	UNPACK(Y12, Y14, Y4, Y6); \
	UNPACK(Y13, Y15, Y5, Y7); \
	UNPACK(Y0, Y1, Y8, Y9); \
	UNPACK(Y2, Y3, Y10, Y11); \
	UNPACK(Y4, Y5, Y12, Y13); \
	UNPACK(Y6, Y7, Y14, Y15)
