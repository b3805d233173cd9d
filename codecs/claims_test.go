package codecs_test

import (
	"encoding/binary"
	"errors"
	"runtime"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
)

// TestClaims decodes streams that claim a huge size. They must be refused before anything is
// allocated for them.
func TestClaims(t *testing.T) {
	const magic = "\x28\xb5\x2f\xfd"
	u64 := func(v uint64) string { return string(binary.LittleEndian.AppendUint64(nil, v)) }
	rle := func(last, size uint32, b string) string { // a block of one byte repeated
		h := last | 1<<1 | size<<3
		return string([]byte{byte(h), byte(h >> 8), byte(h >> 16)}) + b
	}
	for name, c := range map[string]struct {
		codec  codecs.Codec
		stream string
	}{
		"zstd content of 1 TiB":             {codecs.Zstd, magic + "\xe0" + u64(1<<40) + rle(1, 100, "x")},
		"zstd content of 2^64-1":            {codecs.Zstd, magic + "\xe0" + u64(1<<64-1) + rle(1, 100, "x")},
		"zstd window of 3.75 TiB":           {codecs.Zstd, magic + "\x00\xff" + rle(1, 100, "x")},
		"zstd window of 256 MiB, no length": {codecs.Zstd, magic + "\x00\x90" + rle(0, 100, "x") + rle(1, 128<<10, "y")},
		"zstd longer than it says":          {codecs.Zstd, magic + "\x20\x64" + rle(0, 100, "x") + rle(0, 128<<10, "x") + rle(1, 128<<10, "y")},
		"snappy of 4 GiB - 1":               {codecs.Snappy, "\xff\xff\xff\xff\x0f\x00x"},
		"snappy of more than 32 bits":       {codecs.Snappy, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00x"},
		"lz4 literals of 16 MiB":            {codecs.LZ4, "\xf0" + string(make255(1<<16)) + "\x00x"},
		"blosclz match of 16 MiB":           {codecs.BloscLZ, "\x20x\xe0" + string(make255(1<<16)) + "\x00\x00\x00x"},
		"zlib with a preset dictionary":     {codecs.Zlib, "\x78\xbb\x00\x00\x00\x01\x03\x00\x00\x00\x00\x01"},
	} {
		dec, err := plainCodecs()[c.codec.ID()].NewDecoder(codecs.Params{TypeSize: 1})
		if err != nil {
			t.Fatal(err)
		}
		// also lets the library set itself up
		if err := dec.Decode(make([]byte, 1), nil); err == nil {
			t.Errorf("%s: no stream at all decodes", name)
		}
		dst := make([]byte, 100)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err = dec.Decode(dst, []byte(c.stream))
		runtime.ReadMemStats(&after)
		if !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
		// A Zstandard block has at most 128 KiB, for which the decoder has memory.
		if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
			t.Errorf("%s: %d bytes allocated", name, got)
		}
	}
}

func make255(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = 255
	}
	return b
}
