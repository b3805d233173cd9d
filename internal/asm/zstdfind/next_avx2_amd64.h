// AT = the position after AT that Next returns for the longest steps, of 1<<log bytes.
#define LEAP(log, aligned) \
	MOVQ  AT, AX; \
	SHRQ  $log, AX; \
	ADDQ  $(1<<log), AT; \
	ANDQ  $-(1<<log), AT; \
	MOVL  AX, BX; \
	NOTL  BX; \
	TESTL $3, BX; \
	JNE   aligned; \
	SHRL  $2, AX; \
	LEAL  (AX)(AX*4), AX; \
	ANDL  $((1<<log)-1), AX; \
	ADDQ  AX, AT; \
aligned:
