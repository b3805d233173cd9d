package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/cairn-go/cairn/internal/test/dense"
	"github.com/cairn-go/cairn/meta"
)

// A drawer chooses what is served.
type drawer struct{ *rand.Rand }

func pick[T any](d drawer, of ...T) T { return of[d.IntN(len(of))] }

var dtypes = []string{"|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16",
	"<f4", "<f8", "<i4", "|S5", "<U4", "<M8[ns]", "<M8[D]", "<m8[s]", "|V7", ">i4", ">f8", ">i2",
	"[('x', '<i2'), ('y', '<f8'), ('tag', 'S3')]"}

// A spec is an array that is to be served.
type spec struct {
	Name   string         `json:"name"` // of the file, or of the leaf
	DType  string         `json:"dtype"`
	Shape  []int64        `json:"shape"`
	Chunks []int64        `json:"chunks"`
	Blocks []int64        `json:"blocks"`
	Codec  int            `json:"codec"` // 0 to 4, of Blosc2
	Level  int            `json:"level"`
	Filter []int          `json:"filters"` // of Blosc2
	Split  int            `json:"split"`   // 1 always, 2 never, 3 auto
	Dims   []string       `json:"dims"`
	Attrs  map[string]any `json:"attributes"`
	Want   string         `json:"want"` // the file with the items

	dtype meta.DType
	model *dense.Array
}

// array draws an array. Items are small numbers, noise, equal ones or zeros, by regions.
func (d drawer) array(name string) *spec {
	s := &spec{Name: name, DType: pick(d, dtypes...), Codec: pick(d, 0, 1, 2, 4, 5), Level: d.IntN(10),
		Split: 1 + d.IntN(3), Filter: pick(d, []int{}, []int{1}, []int{1}, []int{1}, []int{2}, []int{3, 1}, []int{1, 35}),
		Shape: []int64{}, Chunks: []int64{}, Blocks: []int64{}, Attrs: map[string]any{}}
	var err error
	if s.dtype, err = meta.ParseDType(s.DType); err != nil {
		panic(err) // it is one of the list above
	}

	dims := pick(d, 1, 1, 2, 2, 2, 3, 3, 4, 0)
	most := []int64{0, 90_000, 500, 60, 18}[dims]
	for i := range dims {
		n := 1 + d.Int64N(pick(d, most, most, 4))
		chunk := 1 + d.Int64N(n+2)
		block := 1 + d.Int64N(chunk)
		if d.IntN(2) == 0 {
			block = max(1, chunk/(1+d.Int64N(4)))
			chunk = block * max(1, chunk/block)
		}
		s.Shape = append(s.Shape, n)
		s.Chunks = append(s.Chunks, chunk)
		s.Blocks = append(s.Blocks, block)
		s.Dims = append(s.Dims, fmt.Sprintf("%s_d%d", strings.ReplaceAll(name, "/", "_"), i))
	}

	if d.IntN(3) == 0 {
		s.Dims = nil
	}
	for i := range d.IntN(3) {
		s.Attrs[fmt.Sprintf("k%d", i)] = pick[any](d, "text é", int64(-7), 0.5, []any{int64(1), "two"}, true,
			map[string]any{"in": 1.25})
	}

	size := s.dtype.Size()
	s.model = &dense.Array{Shape: s.Shape, Size: size, Data: d.items(s.dtype, dense.Volume(s.Shape))}
	return s
}

// items returns n items, of several kinds one after the other.
func (d drawer) items(t meta.DType, n int64) []byte {
	size := t.Size()
	b := make([]byte, 0, n*int64(size))
	for left := n; left > 0; {
		run := min(left, 1+d.Int64N(n))
		left -= run

		switch kind := d.IntN(5); {
		case kind == 0: // zeros
			b = append(b, make([]byte, run*int64(size))...)
		case kind == 1: // one item
			item := d.item(t)
			for range run {
				b = append(b, item...)
			}
		case kind == 2 && t.Kind() == 'f' && size == 8 && !t.BigEndian():
			for i := range run {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(math.Sin(float64(i)/50)))
			}
		default:
			for range run {
				b = append(b, d.item(t)...)
			}
		}
	}
	return b
}

// item returns an item that all readers give back as it is: bools are 0 or 1, and text is text.
func (d drawer) item(t meta.DType) []byte {
	b := make([]byte, t.Size())
	switch {
	case t.IsStruct():
		for _, f := range t.Fields() {
			copy(b[f.Offset:], d.item(f.Type))
		}
	case t.Kind() == 'b':
		b[0] = byte(d.IntN(2))
	case t.Kind() == 'S':
		for i := range d.IntN(len(b) + 1) {
			b[i] = byte('a' + d.IntN(26))
		}
	case t.Kind() == 'U':
		for i := range d.IntN(len(b)/4 + 1) {
			binary.LittleEndian.PutUint32(b[4*i:], uint32(pick(d, 'a', 'é', '€', '😀')))
		}
	case t.Kind() == 'f' || t.Kind() == 'c': // not NaN, whose bits readers may change
		for i := range b {
			b[i] = byte(d.IntN(64))
		}
	default:
		for i := range b {
			b[i] = byte(d.Uint32()) >> pick(d, 0, 6)
		}
	}

	return b
}
