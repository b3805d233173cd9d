package codecs_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// sizedBlocks returns blocks of items of 8 bytes for which one of the ways to encode them is best.
func sizedBlocks() map[string][]byte {
	const n = 1 << 13
	rng := rand.New(rand.NewPCG(3, 4))
	base := make([]float64, 700)
	for i := range base {
		base[i] = rng.NormFloat64()
	}
	kinds := map[string]func(i int) uint64{
		"smooth":        func(i int) uint64 { return math.Float64bits(math.Sin(float64(i) / 400)) },
		"noise":         func(int) uint64 { return rng.Uint64() },
		"far again":     func(i int) uint64 { return math.Float64bits(base[i%len(base)]) },
		"in any order":  func(int) uint64 { return math.Float64bits(base[rng.IntN(60)]) },
		"decimals":      func(int) uint64 { return math.Float64bits(math.Round(rng.NormFloat64()*1e3) / 100) },
		"counter":       func(i int) uint64 { return uint64(3 * i) },
		"hardly any":    func(i int) uint64 { return uint64(i / 4000) },
		"few values":    func(int) uint64 { return uint64(rng.IntN(3)*rng.IntN(4)) * 1_000_003 },
		"half and half": func(i int) uint64 { return rng.Uint64() & -uint64(i>>12) },
		"low noise":     func(i int) uint64 { return uint64(i/7)<<16 + rng.Uint64()&0xff },
	}
	blocks := make(map[string][]byte)
	for name, item := range kinds {
		var b []byte
		for i := range n {
			b = binary.LittleEndian.AppendUint64(b, item(i))
		}
		blocks[name] = b
	}
	return blocks
}

// TestNumericSizes checks that blocks take hardly more than they do with Zstandard and a shuffle.
func TestNumericSizes(t *testing.T) {
	other, err := (*codecs.Registry)(nil).Lookup(codecs.Zstd.ID())
	if err != nil {
		t.Fatal(err)
	}
	p := codecs.Params{Level: 5, TypeSize: 8}
	numeric, err := numericRow(t).NewEncoder(p)
	if err != nil {
		t.Fatal(err)
	}
	zstd, err := other.NewEncoder(p)
	if err != nil {
		t.Fatal(err)
	}
	filter, err := (*shuffle.Registry)(nil).Lookup(shuffle.IDByte)
	if err != nil {
		t.Fatal(err)
	}

	for name, b := range sizedBlocks() {
		shuffled := make([]byte, len(b))
		if err := filter.Forward(shuffled, b, 0, &shuffle.Context{TypeSize: 8}); err != nil {
			t.Fatal(err)
		}
		room := make([]byte, 2*len(b))
		want, err := zstd.Encode(room, shuffled)
		if err != nil || want == 0 {
			t.Fatalf("%s: Zstandard writes %d bytes, error %v", name, want, err)
		}
		if got, err := numeric.Encode(room, b); err != nil || got > want+want/100+32 {
			t.Errorf("%s: %d bytes, %d with Zstandard, error %v", name, got, want, err)
		}
	}
}
