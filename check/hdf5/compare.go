package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/internal/test/dense"
	"github.com/cairn-go/cairn/ndarray"
)

// An object is a group or a dataset as h5py reads it.
type object struct {
	Kind       string
	Ordered    bool // the order of attributes is that of their creation
	Links      []link
	Attributes []attribute

	// of datasets
	Type, Layout      string
	Shape, MaxShape   []int64
	Chunks            []int64
	Stored            int64
	Filters           []struct{ ID, Params any }
	Columns           []column
	At, Size, Address int64
	Dims              []string
	Refused, Unread   string // why cairn does not read it, or h5py did not
}

type link struct{ Name, Kind, Target, File string }

type attribute struct {
	Name     string
	Null     bool
	Shape    []int64
	Value    any
	Columns  []column
	At, Size int64
	Refused  string
}

// A comparison is the comparison of one file.
type comparison struct {
	*counts
	*rand.Rand
	path, writer string

	file  *hdf5.File
	want  map[string]object
	items *os.File // what h5py has read
	words []string // of what is refused
}

// refuse counts what is refused, with the words of the error.
func (x *comparison) refuse(what string, err error) {
	x.Refused[what]++
	if err != nil && !slices.Contains(x.words, err.Error()) {
		x.words = append(x.words, err.Error())
	}
}

func (x *comparison) run() error {
	items := x.path + ".items"
	if err := x.dump(items); err != nil {
		return err
	}
	var err error
	if x.items, err = os.Open(items); err != nil {
		return err
	}
	defer x.items.Close()
	return x.compare()
}

// dump lets h5py read the file.
func (x *comparison) dump(items string) error {
	var answer json.RawMessage
	if err := x.peer.Call(map[string]any{"op": "dump", "path": x.path, "out": items}, &answer); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(answer))
	d.UseNumber()
	return d.Decode(&x.want)
}

// compare compares all objects.
func (x *comparison) compare() error {
	raw, err := os.Open(x.path)
	if err != nil {
		return err
	}
	defer raw.Close()
	o := &hdf5.OpenOptions{Workers: 1 + x.IntN(3)}
	if x.IntN(2) == 0 {
		var info os.FileInfo
		if info, err = raw.Stat(); err == nil {
			x.file, err = hdf5.OpenReader(struct{ io.ReaderAt }{raw}, info.Size(), o)
		}
	} else {
		x.file, err = hdf5.Open(x.path, o)
	}
	if err != nil {
		return err
	}
	defer x.file.Close()
	ctx := context.Background()
	keys := []string{"/"}
	for n, err := range ndarray.Walk(ctx, x.file, "/") {
		if err != nil {
			return err
		}
		if n.Kind != ndarray.LinkNode && n.Kind != ndarray.OtherNode {
			keys = append(keys, n.Key)
		}
	}
	slices.Sort(keys)

	var want []string
	for key := range x.want {
		want = append(want, key)
	}
	slices.Sort(want)
	if !slices.Equal(keys, want) {
		return fmt.Errorf("keys %q, want %q", keys, want)
	}

	var failed error
	for _, key := range keys {
		x.Objects++
		if err := x.object(ctx, key, x.want[key]); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s, %s: %w", x.writer, key, err))
		}
	}
	return failed
}

func (x *comparison) object(ctx context.Context, key string, o object) error {
	if err := x.attributes(ctx, key, o); err != nil {
		return err
	}
	if o.Kind == "dataset" {
		return x.dataset(ctx, key, o)
	}
	links, err := x.file.Links(ctx, key)
	if err != nil {
		return err
	}

	var got []link
	var children []string
	for _, l := range links {
		got = append(got, link{l.Name, l.Kind.String(), l.Target, l.File})
	}
	if !slices.Equal(got, o.Links) {
		return fmt.Errorf("links %v, want %v", got, o.Links)
	}

	for _, l := range o.Links {
		child := strings.TrimSuffix(key, "/") + "/" + l.Name
		if _, ok := x.want[child]; ok && l.Kind == "hard link" {
			children = append(children, child)
		}
	}
	return x.children(ctx, key, children)
}

// children compares the nodes of a group: all links, of which some are the keys of objects.
func (x *comparison) children(ctx context.Context, key string, want []string) error {
	nodes, err := x.file.Children(ctx, key)
	if err != nil {
		return err
	}
	var keys []string
	for _, n := range nodes {
		if n.Kind == ndarray.GroupNode || n.Kind == ndarray.ArrayNode || n.Kind == ndarray.DamagedNode {
			keys = append(keys, n.Key)
		}
	}
	slices.Sort(want)
	if !slices.Equal(keys, want) {
		return fmt.Errorf("children %q, want %q", keys, want)
	}
	if links := len(x.want[key].Links); len(nodes) != links {
		return fmt.Errorf("%d nodes for %d links", len(nodes), links)
	}
	return nil
}

// dataset compares a dataset.
func (x *comparison) dataset(ctx context.Context, key string, o object) error {
	d, err := x.file.Dataset(ctx, key)
	if o.Refused != "" {
		x.refuse("dataset: "+o.Refused, err)
		if !errors.Is(err, cairn.ErrUnsupported) {
			return fmt.Errorf("%s: not refused: %v", o.Refused, err)
		}
		return nil
	}
	if o.Unread != "" {
		x.UnreadByH5py++
		return nil
	}
	if err != nil {
		return err
	}
	if !slices.Equal(d.Shape(), o.Shape) {
		return fmt.Errorf("shape %v, want %v", d.Shape(), o.Shape)
	}

	info := d.Info()
	if err := x.info(&info, &o); err != nil {
		return err
	}

	if err := x.whole(ctx, d, o.Columns, o.At, o.Size); err != nil {
		return fmt.Errorf("%s %v, %v, filters %v: %w", info.Datatype, o.Shape, info.Index, info.Filters, err)
	}
	if l, err := d.Labels(); err != nil || !slices.Equal(l.Dims, o.Dims) {
		return fmt.Errorf("dimensions %q, want %q: %w", l.Dims, o.Dims, err)
	}
	if n, err := d.StoredBytes(ctx); err != nil && !errors.Is(err, cairn.ErrLimit) || err == nil && n != o.Stored && o.Size > 0 {
		return fmt.Errorf("%d bytes stored, want %d: %w", n, o.Stored, err)
	}

	x.Datasets++
	features := map[string][]string{"writer": {x.writer}, "layout": {info.Layout}, "datatype": {o.Type},
		"dimensions": {fmt.Sprint(len(o.Shape))}}
	if info.Layout == "chunked" {
		features["index"] = []string{info.Index}
		features["filter"] = []string{}
		for _, f := range info.Filters {
			features["filter"] = append(features["filter"], f.ID.String())
		}
		if len(info.Filters) == 0 {
			features["filter"] = []string{"none"}
		}
	}
	x.Covered.dataset(features)
	return nil
}

// info compares the description of a dataset.
func (x *comparison) info(info *hdf5.Info, o *object) error {
	var got []struct{ ID, Params any }
	for _, f := range info.Filters {
		list := []any{}
		for _, p := range f.Params {
			list = append(list, json.Number(fmt.Sprint(p)))
		}
		got = append(got, struct{ ID, Params any }{json.Number(fmt.Sprint(uint16(f.ID))), list})
	}

	switch {
	case info.Layout != o.Layout:
		return fmt.Errorf("layout %s, want %s", info.Layout, o.Layout)
	case !slices.Equal(info.Chunks, o.Chunks):
		return fmt.Errorf("chunks %v, want %v", info.Chunks, o.Chunks)
	case fmt.Sprint(got) != fmt.Sprint(o.Filters):
		return fmt.Errorf("filters %v, want %v", got, o.Filters)
	case info.Address != o.Address:
		return fmt.Errorf("address %d, want %d", info.Address, o.Address)
	case !slices.Equal(info.MaxShape, o.MaxShape):
		return fmt.Errorf("maximum shape %v, want %v", info.MaxShape, o.MaxShape)
	}
	return nil
}

// read returns items that h5py has read.
func (x *comparison) read(at, size int64) ([]byte, error) {
	b := make([]byte, size)
	_, err := x.items.ReadAt(b, at)
	if size == 0 {
		err = nil
	}
	return b, err
}

// whole compares all items of a dataset, and those of boxes, with items that h5py has read.
func (x *comparison) whole(ctx context.Context, d ndarray.Source, want []column, at, size int64) error {
	cols := columnsOf(d.DType())
	if err := sameColumns(cols, want); err != nil {
		return err
	}
	items, err := x.read(at, size)
	if err != nil {
		return err
	}

	shape := d.Shape()
	n := dense.Volume(shape)
	all := make([]byte, n*int64(d.DType().Size()))
	if err := d.ReadBytes(ctx, all, make([]int64, len(shape)), shape); err != nil {
		return err
	}
	if err := sameItems(pack(cols, all, d.DType().Size()), items); err != nil {
		return err
	}
	if n == 0 {
		return nil
	}

	for range 4 {
		start, stop := harness.Box(x.Rand, shape)
		if err := x.box(ctx, d, all, start, stop); err != nil {
			return err
		}
	}
	return nil
}

func (x *comparison) box(ctx context.Context, d ndarray.Source, all []byte, start, stop []int64) error {
	x.Boxes++
	want := (&dense.Array{Shape: d.Shape(), Size: d.DType().Size(), Data: all}).Box(start, stop)
	got := make([]byte, len(want))
	if err := d.ReadBytes(ctx, got, start, stop); err != nil {
		return fmt.Errorf("items %v to %v: %w", start, stop, err)
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("items %v to %v differ from those of the whole", start, stop)
	}
	return nil
}

// attributes compares the attributes of an object.
func (x *comparison) attributes(ctx context.Context, key string, o object) error {
	got, err := x.file.AllAttributes(ctx, key)
	if err != nil {
		return err
	}
	want := o.Attributes
	if !o.Ordered {
		slices.SortFunc(got, func(a, b hdf5.Attribute) int { return strings.Compare(a.Name, b.Name) })
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d attributes, want %d", len(got), len(want))
	}
	for i, a := range got {
		x.Attributes++
		if err := x.attribute(&a, &want[i]); err != nil {
			return fmt.Errorf("attribute %q of %s: %w", a.Name, a.Datatype, err)
		}
	}
	return nil
}

func (x *comparison) attribute(a *hdf5.Attribute, want *attribute) error {
	if a.Name != want.Name {
		return fmt.Errorf("name, want %q", want.Name)
	}
	if want.Refused != "" {
		x.refuse("attribute: "+want.Refused, a.Err)
		if want.Value == nil {
			if !errors.Is(a.Err, cairn.ErrUnsupported) {
				return fmt.Errorf("not refused: %v", a.Err)
			}
			return nil
		}
	} else if want.Null {
		if a.Err != nil || a.Shape != nil {
			return fmt.Errorf("shape %v, want none: %w", a.Shape, a.Err)
		}
		return nil
	}
	if a.Err != nil {
		return a.Err
	}
	if !slices.Equal(a.Shape, want.Shape) {
		return fmt.Errorf("shape %v, want %v", a.Shape, want.Shape)
	}
	if err := sameValue(a.Value, want.Value); err != nil {
		return err
	}
	if want.Refused != "" {
		return nil
	}

	cols := columnsOf(a.DType)
	if err := sameColumns(cols, want.Columns); err != nil {
		return err
	}

	data, err := x.read(want.At, want.Size)
	if err != nil {
		return err
	}
	return sameItems(pack(cols, a.Data, a.DType.Size()), data)
}
