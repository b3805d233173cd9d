package main

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A wantedObject is a group, a dataset, a datatype or a link of an HDF5 file.
type wantedObject struct {
	Key, Kind  string
	Target     string // of a link
	File       string // of an external one
	Enum       map[string]int64
	Values     []any // items that are sequences or references
	HasValues  bool
	DType      string
	Shape      []int64
	Max        []int64 // or nil; -1 is without bound
	Chunks     []int64 // or nil
	Items      string  // in hexadecimal digits
	Fill       string
	Attributes []wantedValue
}

// A wantedValue is an attribute. DType is empty where h5py may choose it.
type wantedValue struct {
	Name, DType string
	Value       any
}

// hdf5Dtypes are those that are drawn.
var hdf5Dtypes = []string{"<i1", ">i2", "<i4", "<i8", "|u1", "<u2", ">u4", "<u8", "<f2", "<f4", ">f4", "<f8", ">f8",
	"<c8", ">c16", "|b1", "|S1", "|S7", "<U1", "<U5", ">U3", "|V3", "<M8[ns]", "<m8[D]",
	"[('a', '<i4'), ('b', '>f8', (2, 3)), ('c', '|S3')]", "[('t', '<U4'), ('x', '<f4'), ('u', '<U2', (2,))]",
	"{'names': ['p', 'q'], 'formats': ['<i2', [('z', '|b1'), ('w', '<c8')]], 'offsets': [4, 8], 'itemsize': 24}"}

// hdf5 writes an HDF5 file, and has it read.
func (c *counts) hdf5(dir string, k int) error {
	rng := rand.New(rand.NewPCG(c.Seed, uint64(k)+1<<41))
	path := filepath.Join(dir, fmt.Sprintf("h%d.h5", k))
	want, foreign, err := c.drawHDF5(rng, path)
	if err != nil {
		return err
	}
	if c.one < 0 {
		defer os.Remove(path)
	}

	c.Files++
	var answer struct{ Differences []string }
	if err := c.peer.Call(map[string]any{"op": "hdf5", "path": path, "want": want}, &answer); err != nil {
		return err
	}
	var errs []error
	for _, d := range answer.Differences {
		errs = append(errs, errors.New(d))
	}
	if !foreign {
		_, _, err := c.run("h5dump", path)
		errs = append(errs, err)
	}
	return errors.Join(append(errs, c.waste(path))...)
}

// waste returns an error if a file has more than a fiftieth, and 4 KiB, that nothing uses. h5stat
// does not count global heaps.
func (c *counts) waste(path string) error {
	out, ran, err := c.run("h5stat", "-S", path)
	if !ran || err != nil {
		return err
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return err
	}

	var unused, total, heaps int64
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		if _, err := fmt.Sscanf(line, "Unaccounted space: %d bytes", &unused); err != nil {
			_, _ = fmt.Sscanf(line, "Total space: %d bytes", &total)
		}
	}
	for at := 0; at+16 <= len(file); at++ {
		if string(file[at:at+5]) == "GCOL\x01" {
			heaps += int64(binary.LittleEndian.Uint64(file[at+8:]))
		}
	}

	unused -= heaps
	c.Unused += unused
	if total == 0 || unused > total/50+64 {
		return fmt.Errorf("h5stat: %d of %d bytes are not used: %s", unused, total, out)
	}
	return nil
}

// drawHDF5 writes a random file, and returns what it has, and whether it has filters that the HDF5
// library does not.
func (c *counts) drawHDF5(rng *rand.Rand, path string) (want []wantedObject, foreign bool, err error) {
	w, err := hdf5.Create(path, &hdf5.CreateOptions{Memory: 1 << rng.IntN(22), Workers: 1 + rng.IntN(3)})
	if err != nil {
		return nil, false, err
	}

	attributes, wants := c.drawValues(rng, nil)
	err = w.Group("/", attributes)
	want = append(want, wantedObject{Key: "/", Kind: "group", Attributes: wants})
	groups := []string{""}
	keys := []string{"/"}
	most := 1 + rng.IntN(8)
	switch rng.IntN(90) {
	case 0, 1, 2:
		most = 400
	case 3:
		most = 3000
	}
	var datasets []string
	for i := 0; i < most && err == nil; i++ {
		key := groups[rng.IntN(len(groups))] + "/" + drawName(rng, "o", i)
		is := wantedObject{Key: key}
		attributes, is.Attributes = c.drawValues(rng, keys)
		switch rng.IntN(12) {
		case 0, 1:
			is.Kind = "group"
			groups = append(groups, key)
			keys = append(keys, key)
			err = w.Group(key, attributes)
		case 2:
			is.Kind = "link"
			is.Target = keys[rng.IntN(len(keys))]
			is.Attributes = nil
			err = w.Link(key, is.Target)
		case 3, 4, 5:
			err = drawOther(rng, w, &is, datasets)
			if is.Kind == "" {
				continue
			}
		case 6, 7:
			src, o := drawUserDataset(rng, &is, keys)
			o.Attributes = attributes
			c.Datasets++
			err = w.Put(context.Background(), key, src, o)
			keys = append(keys, key)
			datasets = append(datasets, key)
		default:
			var far bool
			far, err = c.drawDataset(rng, w, &is, attributes)
			foreign = foreign || far
			keys = append(keys, key)
			datasets = append(datasets, key)
		}
		want = append(want, is)
	}
	if err != nil {
		return nil, false, errors.Join(err, w.Abort())
	}
	return want, foreign, w.Close()
}

// drawOther writes an external or a hard link, or a datatype.
func drawOther(rng *rand.Rand, w *hdf5.Writer, is *wantedObject, datasets []string) error {
	is.Attributes = nil
	switch rng.IntN(3) {
	case 0:
		is.Kind = "external"
		is.Target = "/é/x"
		is.File = fmt.Sprintf("other%d.h5", rng.IntN(3))
		return w.ExternalLink(is.Key, is.File, is.Target)
	case 1:
		if len(datasets) == 0 {
			return nil
		}
		is.Kind = "hard"
		is.Target = datasets[rng.IntN(len(datasets))]
		return w.HardLink(is.Key, is.Target)
	}

	is.Kind = "type"
	is.DType = hdf5Dtypes[len(hdf5Dtypes)-3]
	d, err := meta.ParseDType(is.DType)
	if err != nil {
		return err
	}
	of, err := hdf5.TypeOf(d)
	if err != nil {
		return err
	}
	return w.Commit(is.Key, of)
}

// drawDataset writes a dataset.
func (c *counts) drawDataset(rng *rand.Rand, w *hdf5.Writer, is *wantedObject, attributes []hdf5.Attribute) (bool, error) {
	d, err := meta.ParseDType(hdf5Dtypes[rng.IntN(len(hdf5Dtypes))])
	if err != nil {
		return false, err
	}
	is.Kind = "dataset"
	is.DType = d.String()
	if !d.IsStruct() {
		is.DType = "'" + d.String() + "'"
	}
	is.Shape = []int64{}
	s := &items{dtype: d, chunks: ndarray.Shape{}}
	n := int64(1)
	for range rng.IntN(4) {
		extent := rng.Int64N(9)
		if rng.IntN(9) == 0 {
			extent *= 20
		}
		is.Shape = append(is.Shape, extent)
		s.chunks = append(s.chunks, max(1, min(extent, 1+rng.Int64N(5))))
		n *= extent
	}
	s.shape = is.Shape
	s.data = drawBytes(rng, d, n)
	is.Items = hex.EncodeToString(s.data)
	c.Datasets++
	c.Bytes += int64(len(s.data))

	o := &hdf5.DatasetOptions{Attributes: attributes}
	foreign := false
	switch rng.IntN(4) {
	case 0:
		o.Compact = len(s.data) < 15_000 // a text takes up to four times as much
	case 1, 2:
		for i, extent := range s.shape {
			o.Chunks = append(o.Chunks, 1+rng.Int64N(max(1, extent)))
			o.MaxShape = append(o.MaxShape, extent+rng.Int64N(5))
			if rng.IntN(2) == 0 {
				o.MaxShape[i] = -1
			}
			o.MaxShape[i] = max(o.MaxShape[i], -1)
			if o.MaxShape[i] == 0 {
				o.MaxShape[i] = -1
			}
		}
		if rng.IntN(2) == 0 {
			o.MaxShape = nil
		}
		o.Filters, foreign = drawFilters(rng)
	}
	if len(s.shape) > 0 {
		is.Max = o.MaxShape
		is.Chunks = o.Chunks
	}
	if rng.IntN(3) == 0 && !strings.Contains(d.String(), "U") {
		o.Fill = drawBytes(rng, d, 1)
		is.Fill = hex.EncodeToString(o.Fill)
	}
	return foreign, w.Put(context.Background(), is.Key, s, o)
}

func drawFilters(rng *rand.Rand) (filters []filter.Filter, foreign bool) {
	if rng.IntN(2) == 0 {
		filters = append(filters, filter.Filter{ID: filter.Shuffle})
	}
	switch id := []filter.ID{0, filter.Deflate, filter.Deflate, filter.Zstd, filter.LZ4, filter.Blosc2, filter.Blosc}[rng.IntN(7)]; id {
	case 0:
	case filter.Deflate:
		filters = append(filters, filter.Filter{ID: id, Params: []uint32{uint32(1 + rng.IntN(9))}})
	default:
		filters = append(filters, filter.Filter{ID: id})
		foreign = true
	}
	if rng.IntN(3) == 0 {
		filters = append(filters, filter.Filter{ID: filter.Fletcher32})
	}
	return filters, foreign
}

// drawBytes draws n items of a dtype.
func drawBytes(rng *rand.Rand, d meta.DType, n int64) []byte {
	b := make([]byte, 0, n*int64(d.Size()))
	low := rng.IntN(2) == 0 // compressible
	for range n {
		b = appendItem(b, rng, d, low)
	}
	return b
}

func appendItem(b []byte, rng *rand.Rand, d meta.DType, low bool) []byte {
	if elem, shape, ok := d.SubArray(); ok {
		n := 1
		for _, extent := range shape {
			n *= extent
		}
		for range n {
			b = appendItem(b, rng, elem, low)
		}
		return b
	}
	if d.IsStruct() {
		start := len(b)
		b = append(b, make([]byte, d.Size())...)
		for _, f := range d.Fields() {
			copy(b[start+f.Offset:], appendItem(nil, rng, f.Type, low))
		}
		return b
	}

	item := make([]byte, d.Size())
	switch kind := string(d.Kind()); kind {
	case "b":
		item[0] = byte(rng.IntN(2))
	case "S", "U":
		width := 1
		if kind == "U" {
			width = 4
		}
		for i := 0; i < rng.IntN(len(item)/width+1); i++ {
			code := []byte(string("aé z"[rng.IntN(4)&^2]))[0]
			at := i * width
			if d.BigEndian() {
				at += width - 1
			}
			item[at] = code
		}
	default:
		for i := range item {
			item[i] = byte(rng.Uint32())
			if low {
				item[i] &= 3
			}
		}
	}
	return append(b, item...)
}

// drawValues draws attributes, which may refer to objects by their keys.
func (c *counts) drawValues(rng *rand.Rand, keys []string) (list []hdf5.Attribute, wants []wantedValue) {
	add := func(a hdf5.Attribute, dtype string, want any) {
		list = append(list, a)
		wants = append(wants, wantedValue{a.Name, dtype, want})
		c.Attributes++
	}
	f4, _ := meta.ParseDType("<f4")
	single, _ := hdf5.TypeOf(f4)
	for k := range rng.IntN(5) {
		name := drawName(rng, "a", k)
		text := strings.Repeat("té", rng.IntN(4))
		number := int64(rng.Uint64()) >> rng.IntN(64)

		if rng.IntN(60) == 0 { // more than a header has room for
			large := make([]float64, 8200+rng.IntN(9000))
			for i := range large {
				large[i] = float64(number>>40) + float64(i)/4
			}
			add(hdf5.Attribute{Name: name, Value: large}, "<f8", large)
			continue
		}
		switch rng.IntN(11) {
		case 0:
			add(hdf5.Attribute{Name: name, Value: text}, "", text)
		case 1:
			add(hdf5.Attribute{Name: name, Value: number}, "<i8", number)
		case 2:
			add(hdf5.Attribute{Name: name, Value: float64(number) / 8}, "<f8", float64(number)/8)
		case 3:
			add(hdf5.Attribute{Name: name, Value: number%2 == 0}, "|b1", number%2 == 0)
		case 4:
			add(hdf5.Attribute{Name: name, Value: []string{text, "", "x"}}, "", []string{text, "", "x"})

		case 5:
			add(hdf5.Attribute{Name: name, Value: []any{1.5, 2.5}, Type: single}, "<f4", []float64{1.5, 2.5})
		case 6:
			add(hdf5.Attribute{Name: name, Value: [][]uint16{{1, 2, 3}, {4, 5, 65535}}}, "<u2", [][]uint16{{1, 2, 3}, {4, 5, 65535}})
		case 7:
			add(hdf5.Attribute{Name: name, Value: meta.Map{{Key: "n", Value: number}, {Key: "t", Value: text}}}, "",
				map[string]any{"n": number, "t": text})
		case 8:
			add(hdf5.Attribute{Name: name}, "", nil)

		case 9:
			if len(keys) > 0 {
				key := keys[rng.IntN(len(keys))]
				add(hdf5.Attribute{Name: name, Value: key, Type: &hdf5.Type{Class: hdf5.ReferenceType}}, "", "ref:"+key)
			}
		case 10:
			n := rng.IntN(5)
			seq := slices.Repeat([]any{number}, n)
			add(hdf5.Attribute{Name: name, Value: []any{seq, seq}, Type: &hdf5.Type{Class: hdf5.VariableType,
				Base: &hdf5.Type{Class: hdf5.IntegerType, Size: 8, Signed: true}}}, "", []any{seq, seq})
		}
	}
	return list, wants
}
