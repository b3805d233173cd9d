package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/test/dense"
)

// dtypes are the dtypes of cases: the string in the format and the size of an item.
var dtypes = []struct {
	name string
	size int
}{
	{"<i4", 4}, {"<f8", 8}, {"|u1", 1}, {"<f4", 4}, {"<i2", 2}, {"<u8", 8}, {"|b1", 1}, {">i4", 4}, {">f8", 8}, {"<c16", 16}, {"<c8", 8},
	{"|S5", 5}, {"<U3", 12}, {"<M8[s]", 8}, {"<m8[ns]", 8}, {"|i1", 1}, {"<f2", 2}, {"[('a', '<i4'), ('b', '<f8'), ('s', 'S3')]", 15},
	{"[('x', '<f4'), ('m', '<i2', (2, 2))]", 12},
}

// A spec is one random case: which library writes first, what it writes and what the other then
// changes.
type spec struct {
	rng      *rand.Rand
	array    bool // an array, else a plain frame
	numbers  bool // an array whose codec loses precision
	refused  bool // the real library cannot write this case
	compared bool // the chunks of both sides were the same
	ours     bool // cairn writes first, else the real library
	sparse   bool
	params   params
	typeSize int

	// arrays
	dtype         string
	shape         []int64
	chunks, block []int64 // nil: chosen by the writer

	// frames
	chunkSize int
	vl        bool // blocks of individual sizes

	rare string         // one of rareKinds, or ""
	meta map[string]any // fixed metalayers, for some rare cases

	// initial items: zeros, nan, value (arrays only); "" for data
	fill   string
	vlmeta map[string]any
}

// String describes a case for error messages.
func (s *spec) String() string {
	who := "the real library writes, cairn changes"
	if s.ours {
		who = "cairn writes, the real library changes"
	}
	if s.rare != "" {
		who += ", " + s.rare
	}
	if s.vl {
		who += ", blocks of variable length"
	}
	what := fmt.Sprintf("frame of %d-byte items, chunks of %d, fill %q", s.typeSize, s.chunkSize, s.fill)
	if s.array || s.numbers {
		what = fmt.Sprintf("array %s %v chunks %v blocks %v fill %q", s.dtype, s.shape, s.chunks, s.block, s.fill)
	}
	return fmt.Sprintf("%s: %s, sparse %v, %+v", who, what, s.sparse, s.params)
}

// newSpec draws case number index of a seed; the two determine everything.
func newSpec(seed uint64, index int) *spec {
	rng := rand.New(rand.NewPCG(seed, uint64(index)))
	s := &spec{rng: rng, array: rng.IntN(3) != 0, ours: rng.IntN(2) == 0, sparse: rng.IntN(4) == 0}

	// Drawn from another seed, so that adding rare cases did not change the others.
	if rare := rand.New(rand.NewPCG(seed, 1<<36+uint64(index))); rare.IntN(5) == 0 {
		s.drawRare(rare)
		return s
	}

	if s.numbers = rand.New(rand.NewPCG(seed, 1<<32+uint64(index))).IntN(6) == 0; s.numbers {
		s.drawNumbers()
		s.drawMeans(rand.New(rand.NewPCG(seed, 1<<34+uint64(index))))
		s.vlmeta = s.drawVLMeta()
		return s
	}

	if s.array {
		s.drawArray()
	} else {
		s.typeSize = []int{1, 2, 3, 4, 7, 8, 12, 16, 24, 255, 300}[s.rng.IntN(11)]
		s.chunkSize = s.typeSize * (1 + s.rng.IntN(max(6000/s.typeSize, 2)))
		if s.rng.IntN(5) == 0 {
			s.fill = "zeros"
			if (s.typeSize == 4 || s.typeSize == 8) && s.rng.IntN(2) == 0 {
				s.fill = "nan"
			}
		}
	}

	s.drawParams()

	// Give some two-dimensional arrays of bytes the codec NDLZ. The real library fails
	// with some blocks that have a side shorter than a cell.
	side := int64(4 + 4*rand.New(rand.NewPCG(seed, 1<<33+uint64(index))).IntN(2))
	if s.array && len(s.block) == 2 && s.typeSize == 1 && min(s.block[0], s.block[1]) >= side {
		s.params.Codec = codecs.NDLZ(4).ID()
		s.params.CodecMeta = uint8(side)
	}

	s.drawOrder(rand.New(rand.NewPCG(seed, 1<<35+uint64(index))))

	// Give some frames blocks of variable length, except where the real library fails:
	// it misreads them with delta, and crashes with BloscLZ at level 0.
	delta := slices.ContainsFunc(s.params.Filters, func(f filter) bool { return f.ID == 3 })
	if s.vl = !s.array && s.fill == "" && s.rng.IntN(2) == 0 && !delta; s.vl && s.params.Codec == 0 {
		s.params.Level = max(s.params.Level, 1)
	}

	s.drawDict()
	s.vlmeta = s.drawVLMeta()
	return s
}

func (s *spec) drawArray() {
	d := dtypes[s.rng.IntN(len(dtypes))]
	s.dtype = d.name
	s.typeSize = d.size

	ndim := []int{0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6}[s.rng.IntN(11)]
	most := []int{1, 3000, 70, 18, 9, 6, 4}[ndim]
	s.shape = make([]int64, ndim)
	s.chunks = make([]int64, ndim)
	s.block = make([]int64, ndim)
	for i := range ndim {
		s.shape[i] = int64(1 + s.rng.IntN(most))
		if s.rng.IntN(60) == 0 {
			s.shape[i] = 0
		}
		s.chunks[i] = 1 + s.rng.Int64N(max(s.shape[i], 1))
		s.block[i] = 1 + s.rng.Int64N(s.chunks[i])
	}

	// Many tiny chunks take long and test nothing more.
	for cells(s.shape, s.chunks) > 60 {
		i := s.rng.IntN(ndim)
		s.chunks[i] = min(s.chunks[i]*2, max(s.shape[i], 1))
	}

	if s.rng.IntN(8) == 0 {
		s.chunks = nil
		s.block = nil
	}

	// Make some arrays of numbers uniform at first.
	number := len(s.dtype) == 3 && s.dtype[1] != 'b' && s.dtype[1] != 'S'
	if number && dense.Volume(s.shape) > 0 && s.rng.IntN(4) == 0 {
		s.fill = []string{"zeros", "value"}[s.rng.IntN(2)]
		if (s.dtype == "<f4" || s.dtype == "<f8") && s.rng.IntN(3) == 0 {
			s.fill = "nan"
		}
	}
}

// filled returns the bytes of a uniform array.
func (s *spec) filled(n int) []byte {
	item := make([]byte, s.typeSize)
	switch {
	case s.fill == "value":
		item = s.bytes(s.typeSize)
	case s.fill == "nan" && s.typeSize == 4:
		binary.LittleEndian.PutUint32(item, 0x7fc00000)
	case s.fill == "nan":
		binary.LittleEndian.PutUint64(item, 0x7ff8000000000000)
	}
	return bytes.Repeat(item, n)
}

// cells returns how many chunks an array has.
func cells(shape, chunks []int64) int64 {
	n := int64(1)
	for i := range shape {
		n *= (shape[i] + chunks[i] - 1) / chunks[i]
	}
	return n
}

// drawDict gives some frames dictionaries, and larger chunks for them. The real library cannot read
// its own output for less than 32 bytes, nor single items, which excludes arrays.
func (s *spec) drawDict() {
	takes := s.params.Codec == 1 || s.params.Codec == 2 || s.params.Codec == 5
	if s.array || !takes || s.fill != "" || s.rng.IntN(2) == 0 {
		return
	}
	s.params.Dict = true
	items := (6000 + s.rng.IntN(6000)) / s.typeSize
	s.chunkSize = s.typeSize * items
	s.params.BlockSize = s.typeSize * max(1, items/(20+s.rng.IntN(30)))
}

func (s *spec) drawParams() {
	p := &s.params
	p.Codec = []uint8{0, 1, 2, 4, 5}[s.rng.IntN(5)]
	p.Level = s.rng.IntN(10)
	if p.Level == 9 && s.rng.IntN(2) == 0 {
		p.Level = 5
	}
	p.Split = 1 + s.rng.IntN(4)

	chains := [][]filter{
		{}, {{ID: 1}}, {{ID: 1}}, {{ID: 2}}, {{ID: 2}, {ID: 1}}, {{}, {ID: 1, Meta: 2}}, {{}, {}, {}, {}, {}, {ID: 1}},
	}
	if !s.array { // the real library misreads slices of arrays with delta
		chains = append(chains, []filter{{ID: 3}}, []filter{{ID: 3}, {ID: 1}}, []filter{{ID: 1}, {}, {ID: 3}})
	}
	if s.dtype == "<f4" || s.dtype == "<f8" {
		chains = append(chains, []filter{{ID: 4, Meta: 10}, {ID: 1}})
	}
	// the real library omits bytedelta for single bytes, and Python limits the parameter to int8
	if size := s.typeSize; size > 1 && size < 128 {
		chains = append(chains, []filter{{ID: 1}, {ID: 35, Meta: uint8(size)}}, []filter{{ID: 35, Meta: uint8(size)}})
	}

	p.Filters = chains[s.rng.IntN(len(chains))]
	if !s.array && s.rng.IntN(2) == 0 {
		p.BlockSize = s.typeSize * (1 + s.rng.IntN(max(s.chunkSize/s.typeSize, 1)))
	}
}

// lossy reports whether the truncation filter is used, and how many mantissa bits it keeps.
func (s *spec) lossy() (bits int, ok bool) {
	for _, f := range s.params.Filters {
		if f.ID == 4 {
			return int(f.Meta), true
		}
	}
	return 0, false
}

// drawOrder gives some arrays the filter that orders items by cells. A cell must not have more
// items than a block.
func (s *spec) drawOrder(rng *rand.Rand) {
	side := int64(2 + rng.IntN(4))
	p := &s.params
	if !s.array || len(s.block) == 0 || p.Codec == codecs.NDLZ(4).ID() || rng.IntN(4) != 0 {
		return
	}
	cell := int64(1)
	items := int64(1)
	for _, n := range s.block {
		cell = cell * side
		items = items * n
	}
	if cell > items {
		return
	}
	p.Filters = [][]filter{{{ID: 32, Meta: uint8(side)}}, {{ID: 32, Meta: uint8(side)}, {ID: 1}}, {{ID: 1}, {}, {ID: 32, Meta: uint8(side)}}}[rng.IntN(3)]
}

// ordered reports whether the items of blocks are ordered by cells.
func (s *spec) ordered() bool {
	return slices.ContainsFunc(s.params.Filters, func(f filter) bool { return f.ID == 32 })
}

func (s *spec) drawVLMeta() map[string]any {
	out := map[string]any{}
	for range s.rng.IntN(4) {
		name := fmt.Sprintf("key%d", s.rng.IntN(8))

		switch s.rng.IntN(5) {
		case 0:
			out[name] = s.rng.IntN(1 << 20)
		case 1:
			out[name] = "text ü " + name
		case 2:
			out[name] = []any{1.5, nil, true, "x"}
		case 3:
			out[name] = map[string]any{"k": s.rng.IntN(100)}
		case 4:
			long := make([]byte, s.rng.IntN(3000))
			for i := range long {
				long[i] = 'a' + byte(i%7)
			}
			out[name] = string(long)
		}
	}
	return out
}

// bytes draws n bytes that codecs can compress, valid for the case's dtype.
func (s *spec) bytes(n int) []byte {
	out := make([]byte, n)
	switch {
	case s.dtype == "|b1" || s.dtype == "<U3":
		step := 1
		if s.dtype == "<U3" {
			step = 4
		}
		for i := 0; i < n; i += step {
			out[i] = byte(s.rng.IntN(2))
		}
		return out
	case s.dtype == "<f4" || s.dtype == "<f8":
		// Fill out with multiples of a quarter, which are finite and can be compared as
		// bytes.
		base := s.rng.Uint64() >> 8
		for i := 0; i+s.typeSize <= len(out); i += s.typeSize {
			if s.typeSize == 4 {
				binary.LittleEndian.PutUint32(out[i:], 0x40000000|uint32(base+uint64(i)*77)&0x3fffff)
			} else {
				binary.LittleEndian.PutUint64(out[i:], 0x4000000000000000|(base+uint64(i)*7777)&0xfffffffffffff)
			}
		}
		return out
	}

	kind := s.rng.IntN(6)
	if s.params.Dict && (kind == 2 || kind == 4) {
		return s.alike(out)
	}

	switch kind {
	case 0: // all zero
	case 1: // one repeated byte
		for i := range out {
			out[i] = 0x2a
		}
	case 2: // incompressible
		for i := range out {
			out[i] = byte(s.rng.Uint32())
		}
	case 3: // repeated items
		for i := range out {
			out[i] = byte(i%s.typeSize) + 1
		}
	default: // a slow walk in the low byte of each item
		v := byte(s.rng.Uint32())
		for i := 0; i < n; i += s.typeSize {
			v += byte(s.rng.IntN(5)) - 2
			out[i] = v
		}
	}
	return out
}

// alike fills out with rows drawn from a few, so that blocks have common parts, shuffled or not.
func (s *spec) alike(out []byte) []byte {
	pool := make([]byte, 60*s.typeSize)
	for i := range pool {
		pool[i] = byte(s.rng.IntN(60))
	}
	for rest := out; len(rest) > 0; {
		from := s.rng.IntN(4) * 10 * s.typeSize
		rest = rest[copy(rest, pool[from:from+(8+s.rng.IntN(20))*s.typeSize]):]
	}
	return out
}

// drawBox draws a box inside of a shape.
func (s *spec) drawBox(shape []int64) (start, stop []int64) {
	start = make([]int64, len(shape))
	stop = make([]int64, len(shape))
	for i, n := range shape {
		start[i] = s.rng.Int64N(n + 1)
		stop[i] = start[i] + s.rng.Int64N(n-start[i]+1)
		if stop[i] == start[i] && n > 0 && s.rng.IntN(4) != 0 {
			start[i] = min(start[i], n-1)
			stop[i] = start[i] + 1
		}
	}
	return start, stop
}
