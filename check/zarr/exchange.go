package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/dense"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/zarr"
)

// An exchange is one case: zarr-python writes a store, cairn reads it and writes it anew, and
// zarr-python reads that.
type exchange struct {
	*counts
	drawer
	peer *harness.Peer
	js   harness.Zarrita
	dir  string

	want   map[string]string // files with the items, by key
	dtypes map[string]string
	data   map[string][]byte
}

func (x *exchange) run() error {
	c := x.store()
	c.Path = filepath.Join(x.dir, pick(x.drawer, "in.zarr", "in.zarr", "in.zip"))
	x.want = map[string]string{}
	x.dtypes = map[string]string{}
	x.data = map[string][]byte{}
	for i := range c.Arrays {
		c.Arrays[i].Want = filepath.Join(x.dir, fmt.Sprintf("want%d", i))
		x.want[c.Arrays[i].Key] = c.Arrays[i].Want
	}

	var made []struct{ DType string }
	if err := x.peer.Call(c, &made); err != nil {
		return err
	}
	for i, a := range c.Arrays {
		x.dtypes[a.Key] = made[i].DType
		b, err := os.ReadFile(a.Want)
		if err != nil {
			return err
		}
		x.data[a.Key] = b
	}

	x.Stores++
	s, err := zarr.Open(c.Path, &zarr.OpenOptions{Workers: 1 + x.IntN(3)})
	if err != nil {
		return fmt.Errorf("%+v: %w", c, err)
	}
	defer s.Close()
	if err := x.check(s, &c); err != nil {
		return err
	}
	return x.back(s, &c)
}

// nodesOf returns the nodes of a store, and its root.
func nodesOf(ctx context.Context, s *zarr.Store) (nodes []ndarray.Node, err error) {
	for n, err := range ndarray.Walk(ctx, s, "/") {
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	if len(nodes) != 1 || nodes[0].Key != "/" {
		nodes = append([]ndarray.Node{{Key: "/", Kind: ndarray.GroupNode}}, nodes...)
	}
	return nodes, nil
}

// check compares a store with what zarr-python was told to write.
func (x *exchange) check(s *zarr.Store, c *command) error {
	ctx := context.Background()
	nodes, err := nodesOf(ctx, s)
	if err != nil {
		return err
	}

	for _, a := range c.Arrays {
		x.Arrays++
		if !slices.Contains(nodes, ndarray.Node{Key: "/" + a.Key, Kind: ndarray.ArrayNode}) {
			return fmt.Errorf("%s is not among %v", a.Key, nodes)
		}
		z, err := s.Array(ctx, a.Key)
		if err == nil {
			err = x.checkArray(ctx, z, &a)
		}
		if err != nil {
			text, _ := json.Marshal(a)
			return fmt.Errorf("%s: %w", text, err)
		}
	}

	for _, g := range append(c.Groups, groupSpec{"", c.Attributes}) {
		got, err := s.Attributes(ctx, g.Key)
		if err != nil {
			return fmt.Errorf("group %q: %w", g.Key, err)
		}

		if err = sameAttributes(got, g.Attributes); err != nil {
			return fmt.Errorf("group %q: %w", g.Key, err)
		}
	}
	return nil
}

func (x *exchange) checkArray(ctx context.Context, z *zarr.Array, a *arraySpec) error {
	d, err := meta.ParseDType(x.dtypes[a.Key])
	if err != nil {
		return err
	}
	if !d.Equal(z.DType()) || !slices.Equal(z.Shape(), a.Shape) {
		return fmt.Errorf("%v of %v, want %v of %v", z.Shape(), z.DType(), a.Shape, d)
	}
	if err := sameAttributes(labelsOf(z).Attributes, a.Attributes); err != nil {
		return err
	}
	for i, name := range labelsOf(z).Dims {
		if a.Dims[i] != name {
			return fmt.Errorf("dims %q, want %q", labelsOf(z).Dims, a.Dims)
		}
	}

	all := x.data[a.Key]
	got := make([]byte, len(all))
	if err := z.ReadBytes(ctx, got, make([]int64, len(a.Shape)), a.Shape); err != nil {
		return err
	}
	if !bytes.Equal(got, all) {
		return errors.New("items differ")
	}

	for range 3 {
		start, stop := harness.Box(x.Rand, a.Shape)
		if err := x.checkBox(ctx, z, all, start, stop); err != nil {
			return err
		}
	}
	return nil
}

func (x *exchange) checkBox(ctx context.Context, z *zarr.Array, all []byte, start, stop []int64) error {
	x.Boxes++
	want := (&dense.Array{Shape: z.Shape(), Size: z.DType().Size(), Data: all}).Box(start, stop)
	got := make([]byte, len(want))
	if err := z.ReadBytes(ctx, got, start, stop); err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("items %v to %v differ", start, stop)
	}
	return nil
}

// sameAttributes compares attributes by their JSON, in any order.
func sameAttributes(got meta.Map, want map[string]any) error {
	// cairn makes this one of fill values, as xarray does
	got = slices.DeleteFunc(slices.Clone(got), func(p meta.Pair) bool { return p.Key == "_FillValue" })
	delete(want, "_FillValue")
	left, err := json.Marshal(plain(got))
	if err != nil {
		return err
	}
	right, err := json.Marshal(want)
	if err != nil {
		return err
	}
	if len(want) == 0 && len(got) == 0 {
		return nil
	}
	if !bytes.Equal(left, right) {
		return fmt.Errorf("attributes %s, want %s", left, right)
	}
	return nil
}

// plain returns a value with maps of Go, which are written in the order of their keys.
func plain(v any) any {
	switch v := v.(type) {
	case meta.Map:
		m := map[string]any{}
		for _, p := range v {
			m[p.Key.(string)] = plain(p.Value)
		}
		return m
	case []any:
		list := []any{}
		for _, item := range v {
			list = append(list, plain(item))
		}
		return list
	}
	return v
}

// back writes the store anew, by way of arrays of cairn or directly, and lets others read it.
func (x *exchange) back(s *zarr.Store, c *command) error {
	ctx := context.Background()
	r := command{Op: "read", Version: 2 + x.IntN(2), Consolidated: x.IntN(2) == 0, TensorStore: true, Want: x.want,
		DTypes: x.dtypes, Single: len(c.Arrays) == 1 && x.IntN(2) == 0}
	r.Path = filepath.Join(x.dir, pick(x.drawer, "out.zarr", "out.zarr", "out.zarr", "out.zip"))

	w, err := zarr.Create(r.Path, &zarr.SaveOptions{Version: r.Version, Durability: frame.None})
	if err != nil {
		return err
	}
	nodes, err := nodesOf(ctx, s)
	if err != nil {
		return err
	}

	arrays := 0
	for _, n := range nodes {
		key := n.Key
		attributes, err := s.Attributes(ctx, key)
		switch {
		case err != nil:
		case n.Kind == ndarray.GroupNode:
			if !r.Single {
				err = w.Group(key, attributes)
			}
		default:
			arrays++
			to := key
			if r.Single {
				to = "/"
				r.Want = map[string]string{"": x.want[key[1:]]}
				r.DTypes = map[string]string{"": x.dtypes[key[1:]]}
			}
			err = x.put(ctx, w, s, r.Version, key, to)
		}
		// cairn does not write such structures as Zarr 3.
		if errors.Is(err, cairn.ErrUnsupported) && r.Version == 3 && strings.Contains(err.Error(),
			"big-endian fields") {
			return w.Abort()
		}
		if err != nil {
			return errors.Join(err, w.Abort())
		}
	}

	if err := w.Close(); err != nil {
		return err
	}
	x.Written += arrays
	if strings.HasSuffix(r.Path, ".zip") {
		x.Zipped += arrays
	}
	if r.Version == 2 {
		x.Version2 += arrays
	}
	return x.others(&r, s)
}

// put writes an array with random options, from the store or from an array of cairn.
func (x *exchange) put(ctx context.Context, w *zarr.Writer, s *zarr.Store, version int, key, to string) error {
	z, err := s.Array(ctx, key)
	if err != nil {
		return err
	}

	o := &zarr.SaveOptions{NoShards: x.IntN(3) == 0,
		Level:      x.IntN(10),
		Compressor: zarr.Compressor(x.IntN(7 - version)), Workers: 1 + x.IntN(3), Memory: 1 + x.Int64N(1<<16),
		Codec: pick(x.drawer, codecs.BloscLZ, codecs.LZ4, codecs.LZ4HC, codecs.Zlib, codecs.Zstd)}
	if x.IntN(2) == 0 {
		o.Shuffle = &[]shuffle.Spec{shuffle.None, shuffle.Byte, shuffle.Bit}[x.IntN(3)]
	}
	if strings.HasPrefix(z.DType().String(), "|V") || z.DType().IsStruct() {
		o.NoShards = true // zarr-python 3.1.6 fails at those
	}
	if x.IntN(2) == 0 {
		for _, n := range z.Shape() {
			o.Chunks = append(o.Chunks, 1+x.Int64N(n+2))
		}
	}

	if x.IntN(2) == 0 {
		return w.Put(ctx, to, z, o)
	}
	u, err := ndarray.Copy(ctx, z, &ndarray.CopyOptions{AutoShapes: x.IntN(2) == 0})
	if err != nil {
		return err
	}
	return errors.Join(w.Put(ctx, to, u, o), u.Close())
}

// others compares what zarr-python, TensorStore and zarrita read with the original.
func (x *exchange) others(r *command, s *zarr.Store) error {
	var got struct {
		Groups map[string]struct{ Attributes map[string]any }
		Arrays map[string]struct {
			Attributes map[string]any
			Dims       []any
			Same       bool
			TS         string
		}
	}
	if err := x.peer.Call(r, &got); err != nil {
		return fmt.Errorf("%s: %w", r.Path, err)
	}
	if len(got.Arrays) != len(r.Want) {
		return fmt.Errorf("%d arrays, want %d", len(got.Arrays), len(r.Want))
	}

	for key, a := range got.Arrays {
		from := key
		if r.Single {
			nodes, err := nodesOf(context.Background(), s)
			if err != nil {
				return err
			}
			from = nodes[slices.IndexFunc(nodes, func(n ndarray.Node) bool { return n.Kind == ndarray.ArrayNode })].Key
		}

		z, err := s.Array(context.Background(), from)
		if err != nil {
			return err
		}
		if !a.Same || a.TS == "different" {
			return fmt.Errorf("written %v of %v (version %d): zarr-python %v, TensorStore %s", z.Shape(),
				z.DType(), r.Version, a.Same, a.TS)
		}
		if a.TS == "same" {
			x.TensorStore++
		}
		if err := sameAttributes(labelsOf(z).Attributes, a.Attributes); err != nil {
			return err
		}
		if want := labelsOf(z).Dims; len(want) != len(a.Dims) {
			return fmt.Errorf("dims %v became %v", want, a.Dims)
		}
	}

	for key, g := range got.Groups {
		attributes, err := s.Attributes(context.Background(), key)
		if err != nil {
			return fmt.Errorf("written group %q: %w", key, err)
		}

		if err = sameAttributes(attributes, g.Attributes); err != nil {
			return fmt.Errorf("written group %q: %w", key, err)
		}
	}
	return x.zarrita(r)
}

// labelsOf returns the labels of an array of a store.
func labelsOf(z *zarr.Array) ndarray.Labels {
	l, _ := z.Labels() // there is no error
	return l
}

// zarrita compares what zarrita reads of a directory with the original.
func (x *exchange) zarrita(r *command) error {
	for key, want := range r.Want {
		d, err := meta.ParseDType(r.DTypes[key])
		if err != nil {
			return err
		}
		info, err := os.Stat(want)
		if err != nil || info.Size() == int64(d.Size()) || !x.js.Knows(d) || strings.HasSuffix(r.Path, ".zip") {
			continue // of one item, it is perhaps a scalar, which is no array to it
		}
		if err := x.js.Compare(filepath.Join(r.Path, key), want, d, r.Version); err != nil {
			return err
		}
		x.Zarrita++
	}
	return nil
}
