//go:build purego || !amd64

package blosclzstream

// These stand where there are no kernels; cpu.AVX2 is false then. They do nothing, which is always right.

func encodeAVX2(e *Encoder, table *[1 << TableBits]uint32, dst, src []byte, limit int) {}

func expandAVX2(dst, src []byte, in, out int) (inAfter, outAfter int) { return in, out }
