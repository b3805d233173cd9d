package codecs_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/test/asmtest"
	"github.com/cairn-go/cairn/internal/test/codectest"
)

// TestNDLZHostile is TestHostileStreams for NDLZ, whose blocks have a shape.
func TestNDLZHostile(t *testing.T) {
	row, err := (*codecs.Registry)(nil).Lookup(codecs.NDLZ(4).ID())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []codecs.Params{
		{Level: 5, Meta: 4, TypeSize: 1, BlockShape: []int32{50, 60}},
		{Level: 5, Meta: 8, TypeSize: 1, BlockShape: []int32{61, 48}},
	} {
		enc, dec := shapedPair(t, row, p)
		size := int(p.BlockShape[0] * p.BlockShape[1])
		in, out := asmtest.NewGuard(t, mostHostile), asmtest.NewGuard(t, mostHostile)
		r := rand.New(rand.NewPCG(uint64(row.ID), uint64(p.Meta)))
		var sound [][]byte
		for _, kind := range codectest.Kinds() {
			src, stream, back := kind.Make(size), make([]byte, mostHostile), make([]byte, size)
			stream = stream[:mustEncode(t, enc, stream, src)]
			if err := dec.Decode(back, stream); err != nil || !bytes.Equal(back, src) {
				t.Fatalf("%s: %v, or other bytes", kind.Name, err)
			}
			sound = append(sound, stream)
		}
		accepted, rounds := 0, *hostile/2
		for k := range rounds {
			bad := damage(r, sound[r.IntN(len(sound))], sound[r.IntN(len(sound))])
			data, dst := place(in, k, len(bad)), place(out, k>>1, size)
			copy(data, bad)
			if dec.Decode(dst, data) == nil {
				accepted++
			}
			if !out.Intact() || !in.Intact() {
				t.Fatalf("stream %d (%x) wrote beside its output", k, bad)
			}
		}
		if accepted == 0 || accepted == rounds {
			t.Errorf("%d of %d streams were accepted; some should be and some not", accepted, rounds)
		}
	}
}

// TestNDLZParameters tests invalid cells and shapes.
func TestNDLZParameters(t *testing.T) {
	row, err := (*codecs.Registry)(nil).Lookup(codecs.NDLZ(4).ID())
	if err != nil {
		t.Fatal(err)
	}
	sound := codecs.Params{Level: 5, Meta: 4, TypeSize: 1, BlockShape: []int32{5, 6}}
	for name, c := range map[string]struct {
		change             func(*codecs.Params)
		encoding, decoding bool // is refused
	}{
		"cells of 5":   {func(p *codecs.Params) { p.Meta = 5 }, true, true},
		"dictionary":   {func(p *codecs.Params) { p.Dict = []byte("a dictionary") }, true, true},
		"no shape":     {func(p *codecs.Params) { p.BlockShape = nil }, true, false},
		"3 dimensions": {func(p *codecs.Params) { p.BlockShape = []int32{1, 2, 3} }, true, false},
	} {
		p := sound
		c.change(&p)
		if _, err := row.NewEncoder(p); errors.Is(err, cairn.ErrUnsupported) != c.encoding {
			t.Errorf("encoding with %s: %v", name, err)
		}
		if _, err := row.NewDecoder(p); errors.Is(err, cairn.ErrUnsupported) != c.decoding {
			t.Errorf("decoding with %s: %v", name, err)
		}
	}
	sound.Level = -1
	if _, err := row.NewEncoder(sound); err == nil {
		t.Error("level -1 is accepted")
	}
}
