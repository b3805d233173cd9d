// Instructions that the assembler does not know, by the numbers of registers: N and M are what they
// take, D is what they change.

#define VUSHL8H(M, N, D) WORD $(0x6e604400 | M<<16 | N<<5 | D)
#define VUSHL4S(M, N, D) WORD $(0x6ea04400 | M<<16 | N<<5 | D)
#define VUSHL2D(M, N, D) WORD $(0x6ee04400 | M<<16 | N<<5 | D)

// The signs of all, in all bits.
#define VSIGN8H(N, D) WORD $(0x4f110400 | N<<5 | D)
#define VSIGN4S(N, D) WORD $(0x4f210400 | N<<5 | D)
#define VSIGN2D(N, D) WORD $(0x4f410400 | N<<5 | D)

#define VMUL16B(M, N, D) WORD $(0x4e209c00 | M<<16 | N<<5 | D)
#define VMUL8H(M, N, D) WORD $(0x4e609c00 | M<<16 | N<<5 | D)
#define VMUL4S(M, N, D) WORD $(0x4ea09c00 | M<<16 | N<<5 | D)
#define VUMLAL2S(M, N, D) WORD $(0x2ea08000 | M<<16 | N<<5 | D)
#define VUADDLP4S(N, D) WORD $(0x6ea02800 | N<<5 | D)
#define VXTN2S(N, D) WORD $(0x0ea12800 | N<<5 | D)

// The lower and the upper half, as signed integers of 64 bits.
#define VSXTL2S(N, D) WORD $(0x0f20a400 | N<<5 | D)
#define VSXTL4S(N, D) WORD $(0x4f20a400 | N<<5 | D)

#define VSCVTF4S(N, D) WORD $(0x4e21d800 | N<<5 | D)
#define VSCVTF2D(N, D) WORD $(0x4e61d800 | N<<5 | D)
#define VFMUL4S(M, N, D) WORD $(0x6e20dc00 | M<<16 | N<<5 | D)
#define VFMUL2D(M, N, D) WORD $(0x6e60dc00 | M<<16 | N<<5 | D)
#define VFDIV2D(M, N, D) WORD $(0x6e60fc00 | M<<16 | N<<5 | D)
#define VFADD2D(M, N, D) WORD $(0x4e60d400 | M<<16 | N<<5 | D)

// Doubles from the lower half, and back to it, or to the upper half.
#define VFCVTL2S(N, D) WORD $(0x0e617800 | N<<5 | D)
#define VFCVTN2S(N, D) WORD $(0x0e616800 | N<<5 | D)
#define VFCVTN4S(N, D) WORD $(0x4e616800 | N<<5 | D)
