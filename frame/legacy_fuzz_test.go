package frame

import (
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
)

// FuzzLegacy reads bytes that begin like a frame of the betas. Opening, metalayers, chunks,
// verification and copies may fail, but only with documented errors.
func FuzzLegacy(f *testing.F) {
	for _, g := range []format.Generation{format.Beta1, format.Beta2} {
		for _, withLayer := range []bool{false, true} {
			f.Add(legacyFrame(f, g, withLayer), g == format.Beta1)
		}
	}
	limits := cairn.Limits{MaxChunk: 1 << 20, MaxAlloc: 1 << 20, MaxIndex: 1 << 16, MaxHeader: 1 << 16, MaxTrailer: 1 << 16, MaxMeta: 1 << 16}
	f.Fuzz(func(t *testing.T, b []byte, first bool) {
		if len(b) < 9 {
			return
		}
		b = append([]byte{b[0]&1 | 0x9c}, b[1:]...)
		if b[0] == 0x9c && first {
			b[0] = 0x9b
		}
		copy(b[1:], format.Magic)
		fr, err := FromBytes(b, &OpenOptions{Engine: chunk.Engine{Limits: limits}})
		if err != nil {
			sane(t, err)
			return
		}
		defer fr.Close()
		if fr.Info().Generation == "current" {
			t.Fatalf("% x is no frame of today", b[:9])
		}
		_, err = fr.VLLayers()
		sane(t, err)
		if fr.NumChunks() > 10_000 {
			return
		}
		_, verifyErr := fr.Snapshot().Verify(noContext)
		sane(t, verifyErr)
		c, err := NewCopy(noContext, fr.Snapshot(), nil)
		if err != nil {
			return
		}
		defer c.Abort()
		if _, err := c.Snapshot().Verify(noContext); err != nil && verifyErr == nil {
			t.Fatalf("a copy of a sound frame: %v", err)
		}
	})
}
