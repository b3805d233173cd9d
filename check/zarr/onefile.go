package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/test/dense"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/zarr"
)

//go:embed onefilepeer.py
var oneFileSource string

// oneFile makes arrays whose blocks are Zarr chunks as well, changes them, and lets python-blosc2
// read the files, and zarr-python and xarray the references to them.
func oneFile(c *counts, python string, cases int) error {
	peer, versions, err := harness.Python(python, oneFileSource)
	if err != nil {
		return err
	}
	defer peer.Close()
	c.Versions = versions

	dir, err := os.MkdirTemp("", "cairn-onefile-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	for k := range cases {
		o := onefile{drawer: drawer{rand.New(rand.NewPCG(c.Seed, uint64(k)))}, counts: c, peer: peer,
			path: filepath.Join(dir, fmt.Sprintf("%d.b2nd", k))}
		err := o.run(context.Background())
		if errors.Is(err, harness.ErrEnded) {
			return err
		}
		if err != nil {
			c.Failed++
			c.Failures.Add(fmt.Sprintf("case %d: %s of %v, %+v: %v", k, o.dtype, o.model.Shape, o.options, err))
		}
		if err := os.RemoveAll(o.path); err != nil {
			return err
		}
	}
	return nil
}

// A onefile is one case.
type onefile struct {
	drawer
	*counts
	peer    *harness.Peer
	path    string
	dtype   meta.DType
	options *ndarray.Options
	model   *dense.Array
	dims    []string
}

func (o *onefile) run(ctx context.Context) error {
	if err := o.draw(); err != nil {
		return err
	}
	u, err := ndarray.CreateUntyped(o.path, o.dtype.String(), o.model.Shape, o.options)
	if err != nil {
		return err
	}

	for range 1 + o.IntN(4) {
		if err = o.change(ctx, u); err != nil {
			break
		}
	}
	if err := errors.Join(err, u.Close()); err != nil {
		return err
	}

	if u, err = ndarray.Open(o.path, &ndarray.OpenOptions{Mode: ndarray.ReadWrite}); err != nil {
		return err
	}
	if err := errors.Join(o.change(ctx, u), u.Close()); err != nil {
		return err
	}
	return o.compare(ctx)
}

// draw chooses an array.
func (o *onefile) draw() error {
	var err error
	o.dtype, err = meta.ParseDType(pick(o.drawer, "|u1", "<i2", "<i4", "<u8", "<f4", "<f8", ">i4", "<c16", "|S5",
		"<U3", "<M8[s]"))
	if err != nil {
		return err
	}

	shape := make([]int64, 1+o.IntN(3))
	c := &ndarray.Options{ZarrBlocks: true, Level: pick(o.drawer, chunk.Stored, 1, 3, 5, 9),
		Codec:   pick(o.drawer, codecs.BloscLZ, codecs.LZ4, codecs.LZ4HC, codecs.Zlib, codecs.Zstd),
		Filters: []shuffle.Spec{pick(o.drawer, shuffle.None, shuffle.Byte, shuffle.Bit)},
		Split:   pick(o.drawer, chunk.SplitAuto, chunk.SplitAuto, chunk.SplitAlways, chunk.SplitNever),
		Sparse:  o.IntN(4) == 0, Workers: 1 + o.IntN(2), BlockShape: ndarray.Shape{}, ChunkShape: ndarray.Shape{}}
	for i := range shape {
		shape[i] = 1 + o.Int64N(pick(o.drawer, int64(10), 60))
		o.dims = append(o.dims, fmt.Sprintf("d%d", i))
		c.BlockShape = append(c.BlockShape, 1+o.Int64N(12))
		c.ChunkShape = append(c.ChunkShape, c.BlockShape[i]*(1+o.Int64N(4)))
	}

	if dense.Volume(c.BlockShape)%8 != 0 { // which bits of Blosc1 need
		c.BlockShape[0] = 8 * c.BlockShape[0]
		c.ChunkShape[0] = 8 * c.ChunkShape[0]
	}
	o.options = c
	o.model = dense.New(shape, o.dtype.Size(), nil)
	return nil
}

// change changes the array and the model in one of several ways.
func (o *onefile) change(ctx context.Context, u *ndarray.Untyped) error {
	switch o.IntN(4) {
	case 0: // append
		shape := slices.Clone(o.model.Shape)
		shape[0] = 1 + o.Int64N(20)
		items := o.items(dense.Volume(shape))
		o.model.Insert(0, o.model.Shape[0], shape[0], items)
		return u.Append(ctx, 0, items)
	case 1:
		shape := slices.Clone(o.model.Shape)
		i := o.IntN(len(shape))
		shape[i] = 1 + o.Int64N(2*shape[i])
		o.model.Resize(shape)
		return u.Resize(ctx, shape, nil)
	}

	start, stop := harness.Box(o.Rand, o.model.Shape)
	if o.IntN(2) == 0 {
		start = make([]int64, len(start))
		stop = o.model.Shape
	}

	items := o.items(int64(len(o.model.Box(start, stop)) / o.dtype.Size()))
	o.model.SetBox(start, stop, items)
	return u.WriteBox(ctx, items, start, stop)
}

// items returns n items: noise, small numbers, equal items, zeros or NaN.
func (o *onefile) items(n int64) []byte {
	size := o.dtype.Size()
	b := make([]byte, n*int64(size))
	kind := o.IntN(5)
	if text := strings.ContainsRune("US", rune(o.dtype.Kind())); text && kind != 4 {
		kind = 1 // other bytes are not texts
	}

	for i := range b {
		switch {
		case kind == 0:
			b[i] = byte(o.Uint32())
		case kind == 1 && i%size == (size-1)*boolInt(o.dtype.BigEndian()):
			b[i] = byte(1 + i/size/3%90)
		case kind == 2:
			b[i] = byte(i % size)
		case kind == 3:
			b[i] = 0xff
		}
	}
	return b
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compare lets all libraries read the array.
func (o *onefile) compare(ctx context.Context) error {
	u, err := ndarray.Open(o.path, nil)
	if err != nil {
		return err
	}
	defer u.Close()

	got, err := u.Read(ctx)
	if err == nil && !bytes.Equal(got, o.model.Data) {
		err = errors.New("cairn: items differ")
	}
	if err != nil {
		return err
	}

	var refs bytes.Buffer
	err = zarr.WriteReferences(ctx, &refs, zarr.Reference{Name: "a", Array: u, URL: o.path, Dims: o.dims})
	if err != nil {
		return err
	}

	o.Arrays++
	start, stop := harness.Box(o.Rand, o.model.Shape)
	ask := map[string]any{"path": o.path, "refs": o.path + ".json", "want": o.path + ".items", "dtype": o.dtype.String(),
		"shape": o.model.Shape, "start": start, "stop": stop, "dims": o.dims, "xarray": o.IntN(3) == 0}
	defer os.Remove(o.path + ".json")
	defer os.Remove(o.path + ".items")
	if err := errors.Join(os.WriteFile(o.path+".json", refs.Bytes(), 0o600),
		os.WriteFile(o.path+".items", o.model.Data, 0o600)); err != nil {
		return err
	}

	var found []string
	if err := o.peer.Call(ask, &found); err != nil {
		return err
	}
	if len(found) > 0 {
		return errors.New(strings.Join(found, "; "))
	}
	return nil
}
