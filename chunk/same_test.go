package chunk

import (
	"hash/crc32"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// encodedSum is the CRC-32 of the output of encodeAll. It changes when an encoder is changed on
// purpose, but must not differ between processors, their extensions, byte orders or builds without
// assembly.
const encodedSum = 0x8be2b2cf

// TestSameBytesEverywhere encodes with all codecs and pipelines on every tier of this machine.
// The gate runs it on amd64 with and without assembly, on 386, arm64 and s390x, with this one sum.
func TestSameBytesEverywhere(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		if sum := crc32.ChecksumIEEE(encodeAll(t)); sum != encodedSum {
			t.Errorf("the sum of all chunks is %#x, want %#x", sum, uint32(encodedSum))
		}
	})
}

// dictSum is the same for chunks with dictionaries and with blocks of variable length.
const dictSum = 0x149ee57b

// TestSameDictionariesEverywhere encodes with dictionaries on every tier of this machine.
func TestSameDictionariesEverywhere(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		var all []byte
		for _, codec := range dictCodecs {
			for _, level := range []int{1, 3, 5, 9} {
				o := Options{Codec: codec, Level: level, Filters: pipelines["none"], BlockSize: 1000, Dict: true}
				src := alike(40_000, uint64(level))
				all = append(all, encode(t, &o, src)...)
				all = append(all, encodeVL(t, &o, piecesOf("ramp", 20_000, 4, 1))...)
			}
		}
		if sum := crc32.ChecksumIEEE(all); sum != dictSum {
			t.Errorf("the sum of all chunks is %#x, want %#x", sum, uint32(dictSum))
		}
	})
}

func encodeAll(t *testing.T) []byte {
	var all []byte
	for _, row := range plainCodecs() {
		for _, name := range []string{"default", "none", "bit", "delta+shuffle", "shuffle+delta"} {
			for i, kind := range []string{"ramp", "patches"} {
				for _, typeSize := range []int{1, 2, 4, 8, 12, 16} {
					src := whole(kind, 40_000, typeSize)
					o := &Options{TypeSize: typeSize, Codec: codecs.ByID(row.ID, 0), Level: 1 + 4*i,
						Filters: pipelines[name]}
					all = append(all, encode(t, o, src)...)
				}
			}
		}
	}
	return all
}

// whole returns a sample of whole items.
func whole(kind string, n, typeSize int) []byte { return sample(kind, n-n%typeSize, typeSize, 77) }
