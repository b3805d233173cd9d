// What the AVX-512 kernels share: names of registers, masks and steps.

#define DST    DI
#define SRC    SI
#define PITCH  CX
#define PITCH3 DX
#define GROUPS R8
#define INDEX  R9
#define ROW4   R10  // rows 4, 8 and 12, in dst or src
#define ROW8   R11
#define ROW12  R12

#define LOAD_MASKS \
	MOVL  $0xaaaa, AX; \
	KMOVW AX, K1; \
	MOVL  $0xcccc, AX; \
	KMOVW AX, K2; \
	MOVL  $0xf0f0, AX; \
	KMOVW AX, K3; \
	MOVL  $0xff00, AX; \
	KMOVW AX, K4

// Masked parts of each register come from the next one, those of the last from the first. Z31 is
// lost.
#define TURN2(A, B, K) \
	VMOVDQA32 A, Z31; \
	VMOVDQA32 B, K, A; \
	VMOVDQA32 Z31, K, B

#define TURN4(A, B, C, D, K) \
	VMOVDQA32 A, Z31; \
	VMOVDQA32 B, K, A; \
	VMOVDQA32 C, K, B; \
	VMOVDQA32 D, K, C; \
	VMOVDQA32 Z31, K, D

#define TURN8(A, B, C, D, E, F, G, H, K) \
	VMOVDQA32 A, Z31; \
	VMOVDQA32 B, K, A; \
	VMOVDQA32 C, K, B; \
	VMOVDQA32 D, K, C; \
	VMOVDQA32 E, K, D; \
	VMOVDQA32 F, K, E; \
	VMOVDQA32 G, K, F; \
	VMOVDQA32 H, K, G; \
	VMOVDQA32 Z31, K, H

#define TURN16(A, B, C, D, E, F, G, H, I, J, L, M, N, O, P, Q, K) \
	VMOVDQA32 A, Z31; \
	VMOVDQA32 B, K, A; \
	VMOVDQA32 C, K, B; \
	VMOVDQA32 D, K, C; \
	VMOVDQA32 E, K, D; \
	VMOVDQA32 F, K, E; \
	VMOVDQA32 G, K, F; \
	VMOVDQA32 H, K, G; \
	VMOVDQA32 I, K, H; \
	VMOVDQA32 J, K, I; \
	VMOVDQA32 L, K, J; \
	VMOVDQA32 M, K, L; \
	VMOVDQA32 N, K, M; \
	VMOVDQA32 O, K, N; \
	VMOVDQA32 P, K, O; \
	VMOVDQA32 Q, K, P; \
	VMOVDQA32 Z31, K, Q
