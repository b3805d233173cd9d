package codecs_test

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// shaped are test parameters for codecs that need a shape.
var shaped = []codecs.Params{
	{Level: 5, Meta: 10, TypeSize: 4, BlockShape: []int32{900}},
	{Level: 5, Meta: 253, TypeSize: 8, BlockShape: []int32{21, 30}},
	{Level: 1, Meta: 30, TypeSize: 4, BlockShape: []int32{8, 9, 10}},
	{Level: 9, Meta: 17, TypeSize: 8, BlockShape: []int32{4, 4, 8, 4}},
}

func lossyRows() []codecs.Row {
	var rows []codecs.Row
	for _, row := range codecs.Rows() {
		if row.Lossy {
			rows = append(rows, row)
		}
	}
	return rows
}

// ramp fills a block with slowly increasing numbers.
func ramp(p codecs.Params) []byte {
	n := p.TypeSize
	for _, side := range p.BlockShape {
		n *= int(side)
	}
	out := make([]byte, n)
	for i := range n / p.TypeSize {
		if v := math.Sqrt(float64(i)); p.TypeSize == 4 {
			binary.LittleEndian.PutUint32(out[4*i:], math.Float32bits(float32(v)))
		} else {
			binary.LittleEndian.PutUint64(out[8*i:], math.Float64bits(v))
		}
	}
	return out
}

// TestShapedHostile is TestHostileStreams for codecs of numbers, which need a shape.
func TestShapedHostile(t *testing.T) {
	for _, row := range lossyRows() {
		for i, p := range shaped {
			if row.ID == codecs.ZFPRate(1).ID() {
				p.Meta %= 100
			}
			enc, dec := shapedPair(t, row, p)
			src := ramp(p)
			sound := make([]byte, 2*len(src)+5000)
			sound = sound[:mustEncode(t, enc, sound, src)]
			in, out := asmtest.NewGuard(t, mostHostile), asmtest.NewGuard(t, mostHostile)
			r := rand.New(rand.NewPCG(uint64(row.ID), uint64(i)))
			accepted, rounds := 0, *hostile/8
			for k := range rounds {
				bad := damage(r, sound, sound)
				data, dst := place(in, k, len(bad)), place(out, k>>1, len(src)+r.IntN(2)*(k&8))
				copy(data, bad)
				if dec.Decode(dst, data) == nil {
					accepted++
				}
				part := place(out, k>>1, r.IntN(len(src)))
				if err := dec.(codecs.RangeDecoder).DecodeRange(part, data, 0, len(part)); !out.Intact() ||
					!in.Intact() {
					t.Fatalf("%s %v: stream %d (%x) wrote beside its output (%v)", row.Name, p, k, bad, err)
				}
			}
			if accepted == 0 || accepted == rounds {
				t.Errorf("%s %v: %d of %d streams were accepted; some should be and some not", row.Name, p, accepted, rounds)
			}
		}
	}
}

func shapedPair(t *testing.T, row codecs.Row, p codecs.Params) (codecs.Encoder, codecs.Decoder) {
	t.Helper()
	enc, err := row.NewEncoder(p)
	if err != nil {
		t.Fatal(err)
	}
	dec, err := row.NewDecoder(p)
	if err != nil {
		t.Fatal(err)
	}
	return enc, dec
}

// TestShapedParameters tests missing shapes, dictionaries, invalid levels, and sides that are too
// short.
func TestShapedParameters(t *testing.T) {
	for _, row := range lossyRows() {
		for name, change := range map[string]func(*codecs.Params){
			"no shape":     func(p *codecs.Params) { p.BlockShape = nil },
			"dictionary":   func(p *codecs.Params) { p.Dict = []byte("a dictionary") },
			"typesize 3":   func(p *codecs.Params) { p.TypeSize = 3 },
			"5 dimensions": func(p *codecs.Params) { p.BlockShape = []int32{4, 4, 4, 4, 4} },
		} {
			p := shaped[0]
			change(&p)
			if _, err := row.NewEncoder(p); !errors.Is(err, cairn.ErrUnsupported) {
				t.Errorf("%s: encoding with %s: %v", row.Name, name, err)
			}
			if _, err := row.NewDecoder(p); !errors.Is(err, cairn.ErrUnsupported) {
				t.Errorf("%s: decoding with %s: %v", row.Name, name, err)
			}
		}
		p := shaped[0]
		p.Level = 10
		if _, err := row.NewEncoder(p); err == nil {
			t.Errorf("%s: level 10 is accepted", row.Name)
		}
		p = shaped[0]
		p.BlockShape = []int32{3, 100}
		if _, err := row.NewEncoder(p); !errors.Is(err, cairn.ErrUnsupported) {
			t.Errorf("%s: encoding blocks of 3 × 100: %v", row.Name, err)
		}
		if _, err := row.NewDecoder(p); err != nil {
			t.Errorf("%s: decoding blocks of 3 × 100: %v", row.Name, err)
		}
	}
}
