package netcdf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/internal/inplace"
	"github.com/cairn-go/cairn/internal/keylist"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/strided"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// OpenOptions are the options for opening files. Nil and the zero value mean the defaults.
type OpenOptions struct {
	FS      storage.FS // file system of the path; nil means the operating system's
	Workers int        // goroutines of a read; 0 means one per CPU
	Limits  cairn.Limits
	NoCache bool // keep no decoded chunks: see [ndarray.SetCacheBytes]
}

// A Format is one of the formats of NetCDF files.
type Format uint8

// The formats of files.
const (
	Classic  Format = 1 // CDF-1
	Offset64 Format = 2 // CDF-2
	Data64   Format = 5 // CDF-5
	NetCDF4  Format = 4 // HDF5
)

// String returns what the netCDF library calls the format.
func (f Format) String() string {
	switch f {
	case Classic:
		return "classic"
	case Offset64:
		return "64-bit offset"
	case Data64:
		return "cdf5"
	case NetCDF4:
		return "netCDF-4"
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

// A File is a file that is open for reading, as an [ndarray.Tree]. Any number of goroutines may use
// it.
type File struct {
	format Format
	root   *Group
	nodes  map[string]any // *Group and *Variable, by key
	keys   []string       // of nodes and of what is damaged, sorted
	closer io.Closer      // nil if there is nothing to close
	// why objects of NetCDF-4, or attributes of groups, cannot be read, by key
	damaged map[string]error
	// why the items of variables of NetCDF-4 cannot be read, by key
	unread map[string]error
	// why the end of a file of a classic format is missing
	truncated error
}

// Open opens the file at path. o may be nil. The caller must close the file, after which its
// variables cannot be read.
//
// Errors match [cairn.ErrCorrupt] for files that are damaged or truncated, [cairn.ErrUnsupported]
// for others, and [cairn.ErrLimit] for a header of more than Limits.MaxHeader bytes.
func Open(path string, o *OpenOptions) (*File, error) {
	fsys := storage.OS()
	if o != nil && o.FS != nil {
		fsys = o.FS
	}

	file, err := fsys.Open(path)
	if err != nil {
		return nil, err
	}

	var f *File
	size, err := file.Size()
	if err != nil {
		return nil, errors.Join(naming.Call("open", path, err), file.Close())
	}

	f, err = OpenReader(file, size, o)
	if err != nil {
		return nil, errors.Join(naming.Call("open", path, err), file.Close())
	}

	f.closer = closers{f.closer, file}
	return f, nil
}

// OpenReader opens a file of size bytes that r reads, such as one of [storage.OpenRanges]. o may be
// nil. Closing the file does not close r.
func OpenReader(r io.ReaderAt, size int64, o *OpenOptions) (*File, error) {
	if o == nil {
		o = &OpenOptions{}
	}
	if err := o.Limits.Validate(); err != nil {
		return nil, fmt.Errorf("netcdf open options: %w", err)
	}

	// The first bytes of a classic file are enough. HDF5 has several places for its signature, each
	// of which may take a request of its own.
	var head [4]byte
	if n, _ := r.ReadAt(head[:], 0); !isClassic(head[:n]) && hdf5.Is(r, size) {
		f, err := hdf5.OpenReader(r, size, &hdf5.OpenOptions{Workers: o.Workers, Limits: o.Limits,
			NoCache: o.NoCache})
		if err != nil {
			return nil, err
		}
		return OfHDF5(context.Background(), f)
	}
	return openClassic(r, size, o)
}

func openClassic(r io.ReaderAt, size int64, o *OpenOptions) (*File, error) {
	b := &classicBytes{r: r, size: size, limit: o.Limits.WithDefaults().MaxHeader}
	h, err := b.readClassic()
	if longer, ok := inplace.Longer(r, size); ok && (err != nil || h.short != nil) {
		return openClassic(r, longer, o)
	}
	if err != nil {
		return nil, err
	}

	workers := o.Workers
	if far, ok := r.(interface{ Requests() int }); ok && far.Requests() > 0 {
		workers = 1 // several requests are made anyway
	}

	for i, v := range h.root.Variables {
		p := h.vars[i]
		place := &stridedItems{
			file:   strided.File{File: r, Base: p.begin, Name: "NetCDF file"},
			layout: strided.Packed(v.Shape(), int64(v.Type.Size)),
			dt:     v.Type.dtype, workers: workers,
		}
		if p.records {
			place.layout.Strides[0] = h.record
		}
		v.load = func(context.Context) (items, error) { return place, nil }
	}

	f := &File{format: Format(h.version), root: h.root, truncated: h.short}
	return f, f.index()
}

// index notes the groups and variables by their keys.
func (f *File) index() error {
	f.nodes = map[string]any{}
	var add func(g *Group) error
	put := func(key string, node any) error {
		if _, ok := f.nodes[key]; ok {
			return fmt.Errorf("two variables or groups are called %q: %w", key, cairn.ErrCorrupt)
		}
		f.nodes[key] = node
		return nil
	}

	add = func(g *Group) error {
		if err := put(g.Key(), g); err != nil {
			return err
		}

		for _, v := range g.Variables {
			if err := put(v.Key(), v); err != nil {
				return err
			}
		}

		for _, inner := range g.Groups {
			if err := add(inner); err != nil {
				return err
			}
		}
		return nil
	}

	err := add(f.root)
	f.keys = slices.AppendSeq(slices.Collect(maps.Keys(f.nodes)), maps.Keys(f.damaged))
	slices.Sort(f.keys)
	f.keys = slices.Compact(f.keys)
	return err
}

// Close releases the file.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// Format returns the format of the file.
func (f *File) Format() Format { return f.format }

// Truncated returns an error that says where a file of a classic format has been cut, so that items
// are missing, and nil if it is whole. The items in front of that place can be read. Of a file
// without a number of records, those that are there count; NetCDF-4 files that are cut do not open.
// The error matches [cairn.ErrCorrupt].
func (f *File) Truncated() error { return f.truncated }

// Root returns the group that has everything else.
func (f *File) Root() *Group { return f.root }

// Children returns the groups and variables in a group, as an [ndarray.Tree] does. Objects of
// NetCDF-4 that are damaged are included.
func (f *File) Children(ctx context.Context, group string) ([]ndarray.Node, error) {
	group = path.Join("/", group)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, ok := f.nodes[group].(*Group); !ok {
		if !slices.Contains(f.keys, group) {
			return nil, fmt.Errorf("%q: %w", group, cairn.ErrNotFound)
		}
		return []ndarray.Node{f.node(group)}, nil
	}

	var nodes []ndarray.Node
	prefix := strings.TrimSuffix(group, "/") + "/"
	for _, c := range keylist.Children(len(f.keys), func(i int) string { return f.keys[i] }, prefix) {
		nodes = append(nodes, f.node(c.Key))
	}
	return nodes, nil
}

// node returns the node of a key.
func (f *File) node(key string) ndarray.Node {
	n := ndarray.Node{Key: key, Kind: ndarray.DamagedNode, Err: f.damaged[key]}
	switch f.nodes[key].(type) {
	case *Group:
		n.Kind = ndarray.GroupNode
	case *Variable:
		if n.Err = cmp.Or(n.Err, f.unread[key]); n.Err == nil {
			n.Kind = ndarray.ArrayNode
		}
	}
	return n
}

// Variable returns the variable of a key, such as "t2m" and "/forecast/t2m", if its items can be
// read. Text of variable length is read for that.
func (f *File) Variable(ctx context.Context, key string) (*Variable, error) {
	key = path.Join("/", key)
	if err := f.damaged[key]; err != nil {
		return nil, err
	}

	switch node := f.nodes[key].(type) {
	case *Variable:
		if _, err := node.load(ctx); err != nil {
			return nil, fmt.Errorf("variable %q: %w", key, err)
		}
		return node, nil
	case *Group:
		return nil, fmt.Errorf("%q is a group: %w", key, cairn.ErrNotFound)
	}
	return nil, fmt.Errorf("%q: %w", key, cairn.ErrNotFound)
}

// Open is [File.Variable] for an [ndarray.Tree].
func (f *File) Open(ctx context.Context, key string) (ndarray.Source, error) {
	v, err := f.Variable(ctx, key)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Attributes returns the attributes of a group or variable; see [Variable.Labels].
func (f *File) Attributes(ctx context.Context, key string) (meta.Map, error) {
	key = path.Join("/", key)
	switch node := f.nodes[key].(type) {
	case *Variable:
		return described(node.Attributes), ctx.Err()
	case *Group:
		return described(node.Attributes), ctx.Err()
	}

	if err := f.damaged[key]; err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%q: %w", key, cairn.ErrNotFound)
}

// closers are closed in order.
type closers []io.Closer

func (c closers) Close() error {
	var errs []error
	for _, closer := range c {
		if closer != nil {
			errs = append(errs, closer.Close())
		}
	}
	return errors.Join(errs...)
}
