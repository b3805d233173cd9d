// Package described says what arrays, plain frames, files and trees are like. It is the only place
// that gives these facts names, so that each has one name and one form wherever programs are told;
// docs/command.md lists them.
package described

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/zarr"
)

// A Kind is what a name leads to.
type Kind string

// The kinds of what has a name.
const (
	FolderKind Kind = "folder" // of files
	TreeKind   Kind = "tree"   // a file or directory with several arrays
	GroupKind  Kind = "group"  // in a tree
	TableKind  Kind = "table"  // a group whose arrays are columns
	ArrayKind  Kind = "array"
	FrameKind  Kind = "frame" // chunks of Blosc2 that are no array
	FileKind   Kind = "file"  // anything else
	Unreadable Kind = "unreadable"
)

// An Entry says in short what a name leads to. Sizes are in bytes, and what is not known is left
// out, here and in what is made of entries.
type Entry struct {
	Name      string        `json:"name,omitempty"` // the last element of the path
	Path      string        `json:"path,omitempty"`
	Key       string        `json:"key,omitempty"` // in a tree, with a slash before each element
	Kind      Kind          `json:"kind"`
	Container string        `json:"container,omitempty"` // what python-blosc2 uses it for
	Format    string        `json:"format,omitempty"`    // of the file, unless that is Blosc2
	Shape     ndarray.Shape `json:"shape,omitzero"`
	DType     string        `json:"dtype,omitempty"`
	FileBytes int64         `json:"file_bytes,omitempty"` // or of a directory, or a leaf of a store
	Changed   time.Time     `json:"changed,omitzero"`
	Version   string        `json:"version,omitempty"` // that no other state has
	Fault     string        `json:"fault,omitempty"`   // why it, or a part, cannot be read
}

// SetArray notes that an entry is an array.
func (e *Entry) SetArray(src ndarray.Source) {
	e.Kind = ArrayKind
	e.DType = src.DType().String()
	e.Shape = append(ndarray.Shape{}, src.Shape()...)
}

// An Array is the description of an array or a plain frame.
type Array struct {
	Entry

	Fields   []Field       `json:"fields,omitempty"` // of structures
	ItemSize int           `json:"itemsize,omitempty"`
	NBytes   int64         `json:"nbytes"`           // of all items
	CBytes   int64         `json:"cbytes,omitempty"` // of all chunks as stored
	Ratio    float64       `json:"ratio,omitempty"`  // NBytes to CBytes
	Chunks   ndarray.Shape `json:"chunks,omitzero"`
	Blocks   ndarray.Shape `json:"blocks,omitzero"` // within chunks, or chunks within shards
	Layout   string        `json:"layout,omitempty"`
	Datatype string        `json:"datatype,omitempty"` // of HDF5, if the dtype says less
	Fortran  bool          `json:"fortran,omitempty"`
	Codec    string        `json:"codec,omitempty"` // of Blosc2, and its parameter
	Level    *int          `json:"level,omitempty"`
	Filters  []string      `json:"filters,omitzero"`
	Codecs   []string      `json:"codecs,omitempty"` // of other formats: all that encode, in order

	Dims        []string       `json:"dims,omitempty"` // "" for one without a name
	Title       string         `json:"title,omitempty"`
	Units       string         `json:"units,omitempty"`
	Packing     *Packing       `json:"packing,omitempty"`
	Coordinates []Coordinate   `json:"coordinates,omitempty"`
	Attributes  map[string]any `json:"attributes,omitempty"`

	*Frame // if its chunks were looked at

	Embedded bool   `json:"embedded,omitempty"` // in the embed store
	URL      string `json:"url,omitempty"`      // of an array that is elsewhere
	Note     string `json:"note,omitempty"`     // what it stands for
	Convert  string `json:"convert,omitempty"`  // the command that makes it an array of Blosc2

	Growing bool   `json:"growing,omitempty"` // has grown lately
	Reduce  string `json:"reduce,omitempty"`  // what suits pictures: "mean" or "nearest"
	// numbers that stand for the values, the usual ones first
	As    []string `json:"as,omitempty"`
	Dates bool     `json:"dates,omitempty"` // seconds are those of dates

	meaning *cf.Meaning
}

// A Field is a field of a structure.
type Field struct {
	Name  string `json:"name"`
	DType string `json:"dtype"`
}

// A Packing says which values the items stand for.
type Packing struct {
	Note    string  `json:"note"`   // in words
	Values  string  `json:"values"` // dtype of the values
	Factor  float64 `json:"factor"` // a value is an item times factor, plus offset
	Offset  float64 `json:"offset"`
	Missing []any   `json:"missing,omitempty"` // finite items that stand for no value
}

// Of describes an open array: what it is, how it is stored, and what its items mean.
func Of(ctx context.Context, src ndarray.Source) *Array {
	d := src.DType()
	a := &Array{ItemSize: d.Size(), NBytes: Bytes(src), meaning: cf.Of(d, nil)}
	a.SetArray(src)
	for _, f := range d.Fields() {
		a.Fields = append(a.Fields, Field{f.Name, f.Type.String()})
	}

	a.addStorage(ctx, src)
	a.setRatio()

	labelled, ok := src.(ndarray.Labelled)
	if !ok {
		return a
	}

	l, err := labelled.Labels()
	if err != nil {
		a.Fault = err.Error()
	}

	a.Dims = l.Dims
	a.Attributes = Attributes(l.Attributes)
	a.meaning = cf.Of(d, l.Attributes)
	a.Title = a.meaning.Title
	a.Units = a.meaning.Unit
	a.Packing = PackingOf(a.meaning)
	return a
}

// addStorage adds how an array is stored, as its format tells it.
func (a *Array) addStorage(ctx context.Context, src ndarray.Source) {
	if d := datasetOf(ctx, src); d != nil {
		i := d.Info()
		a.Layout = i.Layout
		a.Chunks = i.Chunks
		if tells(i.Datatype) {
			a.Datatype = i.Datatype
		}
		for _, f := range i.Filters {
			a.Codecs = append(a.Codecs, f.String())
		}
		return
	}

	switch s := src.(type) {
	case interface{ Fortran() bool }: // NumPy
		a.Fortran = s.Fortran()
	case interface{ Info() zarr.Info }:
		i := s.Info()
		a.Chunks = i.Chunks
		a.Blocks = i.Inner
		a.Codecs = i.Codecs
	case *ndarray.Untyped:
		a.Chunks, a.Blocks = s.Grid()
		a.addInfo(s.Info())
	}
}

// tells reports whether a datatype of HDF5 says more of items than their dtype does.
func tells(datatype string) bool {
	for _, kind := range []string{"variable-length sequence", "reference", "enum", "time", "bitfield"} {
		if strings.Contains(datatype, kind) {
			return true
		}
	}
	return false
}

// datasetOf returns the dataset of HDF5 that an array is, or nil.
func datasetOf(ctx context.Context, src ndarray.Source) *hdf5.Dataset {
	switch s := src.(type) {
	case *hdf5.Dataset:
		return s
	case *netcdf.Variable:
		return s.Dataset(ctx)
	}
	return nil
}

// addInfo adds how the chunks of a frame are stored.
func (a *Array) addInfo(info frame.Info) {
	a.ItemSize = info.TypeSize
	a.CBytes = info.CBytes
	a.Codec = info.Codec.String()
	a.Level = &info.Level
	a.Filters = []string{}
	for _, f := range info.Pipeline {
		if f.ID != shuffle.IDNone {
			a.Filters = append(a.Filters, f.String())
		}
	}

	a.Layout = "contiguous"
	if info.Sparse {
		a.Layout = "sparse"
	}
}

// AddStored adds the bytes that the chunks of an array of HDF5 take, of not too many chunks.
func (a *Array) AddStored(ctx context.Context, src ndarray.Source) {
	d := datasetOf(ctx, src)
	if d == nil || a.Chunks == nil {
		return
	}

	stored, err := d.StoredBytes(ctx)
	switch {
	case err == nil:
		a.CBytes = stored
		a.setRatio()
	case !errors.Is(err, cairn.ErrLimit):
		a.Fault = err.Error()
	}
}

func (a *Array) setRatio() { a.Ratio = Ratio(a.NBytes, a.CBytes) }

// Meaning returns what the items stand for.
func (a *Array) Meaning() *cf.Meaning { return a.meaning }

// Ratio returns how many times smaller something is as stored, or 0 if nothing is stored.
func Ratio(nbytes, cbytes int64) float64 {
	if cbytes <= 0 {
		return 0
	}
	return float64(nbytes) / float64(cbytes)
}

// Bytes returns the bytes of all items of an array, or the largest number if they are more.
func Bytes(src ndarray.Source) int64 {
	shape := src.Shape()
	n := int64(src.DType().Size())
	if slices.Contains(shape, 0) {
		return 0
	}

	for _, extent := range shape {
		if n > math.MaxInt64/extent {
			return math.MaxInt64
		}
		n *= extent
	}
	return n
}

// Attributes returns attributes as values of JSON.
func Attributes(m meta.Map) map[string]any {
	if len(m) == 0 {
		return nil
	}
	values, _ := item.Meta(m).(map[string]any)
	return values
}

// PackingOf describes what items stand for, or returns nil if they are the values.
func PackingOf(m *cf.Meaning) *Packing {
	if m.Plain() {
		return nil
	}

	p := &Packing{Note: m.Note(), Values: m.Values.String(), Factor: 1}
	if m.Packing != nil {
		p.Factor = m.Packing.Factor
		p.Offset = m.Packing.Offset
	}

	for _, n := range m.Missing {
		if n.Float-n.Float == 0 { // JSON has no infinity
			p.Missing = append(p.Missing, n.Value())
		}
	}
	return p
}
