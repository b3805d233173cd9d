package chunk

import (
	"hash/crc32"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/asm/asmtest"
)

// encodedSum is the CRC-32 of what encodeAll writes. It changes when an encoder does, on purpose; it must not differ between
// processors, their extensions, byte orders or builds without assembly.
const encodedSum = 0x572214f8

// TestTheSameBytesEverywhere encodes with all codecs and pipelines on every tier of this machine. The gate runs it on amd64 with and
// without assembly, on 386, arm64 and s390x, with this one sum.
func TestTheSameBytesEverywhere(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		if sum := crc32.ChecksumIEEE(encodeAll(t)); sum != encodedSum {
			t.Errorf("the sum of all chunks is %#x, want %#x", sum, uint32(encodedSum))
		}
	})
}

func encodeAll(t *testing.T) []byte {
	var all []byte
	for _, row := range codecs.Plain() {
		for _, name := range []string{"default", "none", "bit", "delta+shuffle", "shuffle+delta"} {
			for i, kind := range []string{"ramp", "patches"} {
				for _, typeSize := range []int{1, 2, 4, 8, 12, 16} {
					src := whole(kind, 40_000, typeSize)
					o := &Options{TypeSize: typeSize, Codec: codecs.ByID(row.ID), Level: 1 + 4*i, Filters: pipelines[name]}
					all = append(all, encode(t, o, src)...)
				}
			}
		}
	}
	return all
}

// whole returns a sample of whole items.
func whole(kind string, n, typeSize int) []byte { return sample(kind, n-n%typeSize, typeSize, 77) }
