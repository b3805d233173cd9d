package main

import (
	"fmt"
	"math/rand/v2"
)

// A command is what peer.py writes, or reads.
type command struct {
	Op          string         `json:"op"`
	Path        string         `json:"path"`
	Version     int            `json:"version"`
	Consolidate bool           `json:"consolidate"`
	Attributes  map[string]any `json:"attributes"`
	Arrays      []arraySpec    `json:"arrays"`
	Groups      []groupSpec    `json:"groups"`

	// for reading
	Single       bool              `json:"single"`
	Consolidated bool              `json:"consolidated"`
	TensorStore  bool              `json:"tensorstore"`
	Want         map[string]string `json:"want"`
	DTypes       map[string]string `json:"dtypes"`
}

type groupSpec struct {
	Key        string         `json:"key"`
	Attributes map[string]any `json:"attributes"`
}

// An arraySpec says how zarr-python is to write an array.
type arraySpec struct {
	Key        string           `json:"key"`
	Version    int              `json:"version"`
	Seed       uint64           `json:"seed"`
	Kind       string           `json:"kind"`
	DType      any              `json:"dtype"`
	Big        bool             `json:"big"` // in version 3
	Shape      []int64          `json:"shape"`
	Chunks     []int64          `json:"chunks"`
	Shards     []int64          `json:"shards"`
	Index      string           `json:"index"`
	Order      string           `json:"order"`
	Keys       string           `json:"keys"`
	Separator  string           `json:"separator"`
	Compressor map[string]any   `json:"compressor"`
	Filters    []map[string]any `json:"filters"`
	Inner      []map[string]any `json:"inner"`  // codecs from bytes to bytes
	Pcodec     bool             `json:"pcodec"` // in version 3, instead of bytes
	Fill       any              `json:"fill"`
	Part       []int64          `json:"part"` // what consists of the fill value
	Dims       []any            `json:"dims"`
	Attributes map[string]any   `json:"attributes"`
	Want       string           `json:"want"`
}

// A drawer chooses what is written.
type drawer struct{ *rand.Rand }

func pick[T any](d drawer, of ...T) T { return of[d.IntN(len(of))] }

var (
	numbers = []string{"b1", "i1", "<i2", "<i4", "<i8", "u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"}
	others  = []string{"S5", "<U4", "<M8[ns]", "<m8[25us]", "V7", "point"}
	big     = []string{">i2", ">i4", ">u8", ">f4", ">f8", ">c16", ">U3", ">M8[s]"}
)

func (d drawer) dtype(version int) any {
	switch n := d.IntN(10); {
	case n == 0 && version == 2:
		return pick(d, big...)
	case n < 3:
		if s := pick(d, others...); s != "point" {
			return s
		}
		return [][]any{{"x", "<i2"}, {"y", "<f8"}, {"tag", "S3"}}
	}
	return pick(d, numbers...)
}

func (d drawer) attributes() map[string]any {
	m := map[string]any{}
	for i := range d.IntN(4) {
		m[fmt.Sprintf("k%d", i)] = pick[any](d, "text é", int64(-7), 0.5, []any{int64(1), "two", nil}, true,
			map[string]any{"in": 1.25}, nil)
	}
	return m
}

func (d drawer) array(version int) arraySpec {
	a := arraySpec{Version: version, Seed: d.Uint64() >> 12, DType: d.dtype(version), Order: pick(d, "C", "F"),
		Kind:  pick(d, "smooth", "smooth", "noise", "constant", "zeros"),
		Index: pick(d, "start", "end"), Keys: pick(d, "default", "default", "v2"), Separator: pick(d, ".", "/"),
		Attributes: d.attributes(), Filters: []map[string]any{}, Inner: []map[string]any{}, Big: d.IntN(6) == 0}

	dims := d.IntN(5)
	if _, ok := a.DType.(string); !ok {
		dims = max(1, dims) // zarr-python 3.1.6 fails at structures without dimensions
	}

	for range dims {
		n := 1 + d.Int64N(40)
		if dims > 2 {
			n = 1 + d.Int64N(12)
		}
		a.Shape = append(a.Shape, n)
		a.Chunks = append(a.Chunks, 1+d.Int64N(n+2))
		a.Part = append(a.Part, d.Int64N(n+1))
	}
	if dims == 0 {
		a.Shape = []int64{}
		a.Chunks = []int64{}
	}
	if d.IntN(2) == 0 || dims == 0 {
		a.Part = nil
	}
	if d.IntN(2) == 0 {
		for i := range dims {
			a.Dims = append(a.Dims, fmt.Sprintf("dim%d", i))
		}
	}

	d.codecs(&a, dims)
	text, _ := a.DType.(string)
	if d.IntN(3) == 0 && len(text) > 1 && (text[0] == '<' || text[0] == '>') && (text[1] == 'i' ||
		text[1] == 'f' || text[1] == 'u') {
		a.Fill = d.IntN(100)
	}
	return a
}

func (d drawer) codecs(a *arraySpec, dims int) {
	blosc := map[string]any{"id": "blosc", "cname": pick(d, "blosclz", "lz4", "lz4hc", "zlib", "zstd"),
		"clevel": d.IntN(10), "shuffle": d.IntN(3)}
	other := pick(d, map[string]any{"id": "zstd", "level": 1 + d.IntN(9)}, map[string]any{"id": "gzip",
		"level": 1 + d.IntN(9)},
		map[string]any{"id": "zlib"}, map[string]any{"id": "lz4"}, map[string]any{"id": "bz2"})
	text, _ := a.DType.(string)
	delta := len(text) > 1 && text[0] == '<' && (text[1] == 'i' || text[1] == 'u')

	// numcodecs has no Pcodec for numbers of one byte.
	numeric := delta || len(text) > 1 && text[:2] == "<f"
	if numeric && d.IntN(4) == 0 {
		if a.Version == 2 {
			a.Compressor = map[string]any{"id": "pcodec", "level": d.IntN(13)}
			return
		}
		a.Big = false
		a.Pcodec = true
	}

	if a.Version == 2 {
		switch d.IntN(4) {
		case 0:
			a.Compressor = other
		case 1:
		default:
			a.Compressor = blosc
		}
		if delta && d.IntN(3) == 0 {
			a.Filters = append(a.Filters, map[string]any{"id": "delta", "dtype": text})
		}
		if d.IntN(4) == 0 && text != "" {
			a.Filters = append(a.Filters, map[string]any{"id": "shuffle", "elementsize": 1})
		}
		return
	}

	// Streams that do not state their size cannot be around Pcodec's, whose size is unknown.
	inner := d.IntN(5)
	if a.Pcodec {
		other = map[string]any{"id": "gzip", "level": 1}
		inner = min(inner, 2)
	}

	switch inner {
	case 0:
		a.Inner = append(a.Inner, other)
	case 1:
	case 2:
		a.Inner = append(a.Inner, other, map[string]any{"id": "crc32c"})
	default:
		a.Inner = append(a.Inner, blosc)
	}

	// zarr-python 3.1.6 fails at shards of structures and of void
	if dims > 0 && d.IntN(2) == 0 && text != "" && text != "V7" {
		for _, n := range a.Chunks {
			a.Shards = append(a.Shards, n*(1+d.Int64N(4)))
		}
		return
	}
	// zarr-python 3.1.6 reads other items than it wrote with Pcodec behind a transposition.
	if dims > 1 && !a.Pcodec && d.IntN(3) == 0 {
		a.Filters = append(a.Filters, map[string]any{"id": "transpose", "order": d.Perm(dims)})
	} else if delta && !a.Pcodec && d.IntN(3) == 0 {
		a.Big = false
		a.Filters = append(a.Filters, map[string]any{"id": "delta", "dtype": text})
	}
}

// store draws a store: with one array in most cases, or with several in groups.
func (d drawer) store() command {
	c := command{Op: "write", Version: 2 + d.IntN(2), Consolidate: d.IntN(3) == 0, Attributes: d.attributes(),
		Groups: []groupSpec{}}
	count := 1
	if d.IntN(5) == 0 {
		count = d.IntN(5)
	}
	for i := range count {
		a := d.array(c.Version)
		a.Key = pick(d, "", "g/", "g/h/", "other/") + fmt.Sprintf("a%d", i)
		c.Arrays = append(c.Arrays, a)
	}
	if c.Arrays == nil {
		c.Arrays = []arraySpec{}
	}
	if d.IntN(3) == 0 {
		c.Groups = append(c.Groups, groupSpec{"g", d.attributes()}, groupSpec{"empty", d.attributes()})
	}
	return c
}
