package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/internal/test/dense"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
)

//go:embed npypeer.py
var npySource string

type npyCommand struct {
	Op    string   `json:"op"`
	Seed  uint64   `json:"seed"`
	Case  int      `json:"case"`
	Dir   string   `json:"dir"`
	Names []string `json:"names"`
}

// A drawn array is one that NumPy made.
type drawn struct {
	Objects bool    `json:"objects"` // of Python, so that it must be refused
	DType   string  `json:"dtype"`
	Shape   []int64 `json:"shape"`
	Fortran bool    `json:"fortran"`
	Kind    string  `json:"kind"` // how it was written
	Name    string  `json:"name"` // in an archive
	Data    []byte  `json:"data"` // in C order
}

// npyCase exchanges one array, and returns what kind of file it came from.
func npyCase(p *harness.Peer, seed uint64, k int) (string, error) {
	dir, err := os.MkdirTemp("", "cairn-formats-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)

	var d drawn
	if err := p.Call(npyCommand{Op: "draw", Seed: seed, Case: k, Dir: dir}, &d); err != nil {
		return "", err
	}

	if d.Objects {
		_, err := npy.Open(filepath.Join(dir, "x.npy"), nil)
		if !errors.Is(err, cairn.ErrUnsupported) {
			return "", fmt.Errorf("an array of Python objects: %w", err)
		}
		return "objects", nil
	}

	rng := rand.New(rand.NewPCG(seed, uint64(k)))
	dtype, err := meta.ParseDType(d.DType)
	if err != nil {
		return "", fmt.Errorf("dtype %s: %w", d.DType, err)
	}
	a, done, err := d.open(rng, dir, dtype)
	if err != nil {
		return "", fmt.Errorf("%s of %s %v: %w", d.Kind, d.DType, d.Shape, err)
	}

	exchange := func() error {
		if err := d.compare(rng, a, dtype); err != nil {
			return err
		}

		u, err := ndarray.Copy(context.Background(), a, drawChunks(rng, d.Shape))
		if err != nil {
			return err
		}

		names := []string{"a", "g/" + d.Name}
		if err := d.write(rng, dir, u, names); err != nil {
			return errors.Join(err, u.Close())
		}
		return errors.Join(p.Call(npyCommand{Op: "compare", Names: names}, &struct{}{}), u.Close())
	}
	if err = errors.Join(exchange(), done()); err != nil {
		return "", fmt.Errorf("%s of %s %v, Fortran order %v: %w", d.Kind, d.DType, d.Shape, d.Fortran, err)
	}
	return d.Kind, nil
}

// open opens the file of the array in one of the ways that there are.
func (d *drawn) open(rng *rand.Rand, dir string, dtype meta.DType) (ndarray.Source, func() error, error) {
	if d.Kind != "packed" {
		return d.openNPY(rng, dir, dtype)
	}

	name := filepath.Join(dir, "x.b2frame")
	open := func() (*ndarray.Packed, error) { return ndarray.OpenPacked(name, nil) }
	if rng.IntN(2) == 0 {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, nil, err
		}
		open = func() (*ndarray.Packed, error) {
			return ndarray.OpenPackedReader(bytes.NewReader(b), int64(len(b)), nil)
		}
	}

	a, err := open()
	if err != nil {
		return nil, nil, err
	}
	return a, a.Close, nil
}

func (d *drawn) openNPY(rng *rand.Rand, dir string, dtype meta.DType) (*npy.Array, func() error, error) {
	name := filepath.Join(dir, "x.npy")
	o := &npy.OpenOptions{Map: rng.IntN(2) == 0, Verify: rng.IntN(2) == 0}
	switch d.Kind {
	case "savez", "savez_compressed":
		z, err := npy.OpenArchive(filepath.Join(dir, "x.npz"), o)
		if err != nil {
			return nil, nil, err
		}
		a, err := z.Array(context.Background(), d.Name)
		return a, z.Close, err
	case "raw":
		name = filepath.Join(dir, "x.raw")
		o.Raw = &npy.Header{DType: dtype, Shape: d.Shape, Fortran: d.Fortran}
	}

	b, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}

	none := func() error { return nil }
	switch rng.IntN(3) {
	case 0:
		a, err := npy.OpenReader(bytes.NewReader(b), int64(len(b)), o)
		return a, none, err
	case 1: // all of a stream at once, as one that is read again
		s, err := npy.OpenStream(struct{ io.Reader }{bytes.NewReader(b)}, o)
		if err != nil {
			return nil, nil, err
		}
		items := make([]byte, len(d.Data))
		if err := s.ReadBytes(context.Background(), items, make([]int64, len(d.Shape)), d.Shape); err != nil {
			return nil, nil, err
		}
		h := npy.Header{DType: s.DType(), Shape: s.Shape()}
		a, err := npy.OpenReader(bytes.NewReader(items), int64(len(items)), &npy.OpenOptions{Raw: &h})
		return a, none, err
	}

	a, err := npy.Open(name, o)
	if err != nil {
		return nil, nil, err
	}
	return a, a.Close, nil
}

// compare reads all of an array and some boxes.
func (d *drawn) compare(rng *rand.Rand, a ndarray.Source, dtype meta.DType) error {
	if !a.DType().Equal(dtype) || !slices.Equal(a.Shape(), d.Shape) {
		return fmt.Errorf("read as %s %v", a.DType(), a.Shape())
	}

	model := &dense.Array{Shape: d.Shape, Size: dtype.Size(), Data: d.Data}
	for k := range 4 {
		start := make([]int64, len(d.Shape))
		stop := d.Shape
		if k > 0 && dense.Volume(d.Shape) > 0 {
			start, stop = harness.Box(rng, d.Shape)
		}

		want := model.Box(start, stop)
		got := make([]byte, len(want))
		if err := a.ReadBytes(context.Background(), got, start, stop); err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("the box from %v to %v differs", start, stop)
		}
	}
	return nil
}

// drawChunks returns options with random chunks, or those that are chosen.
func drawChunks(rng *rand.Rand, shape []int64) *ndarray.CopyOptions {
	if rng.IntN(3) == 0 {
		return nil
	}
	chunks := make(ndarray.Shape, len(shape))
	for i, n := range shape {
		chunks[i] = 1 + rng.Int64N(max(1, n+2))
	}
	return &ndarray.CopyOptions{ChunkShape: chunks}
}

// write writes an array in all ways.
func (d *drawn) write(rng *rand.Rand, dir string, u *ndarray.Untyped, names []string) error {
	ctx := context.Background()
	for _, fortran := range []bool{false, true} {
		o := npy.SaveOptions{Fortran: fortran, Memory: 1 + rng.Int64N(10_000)}
		name := filepath.Join(dir, map[bool]string{false: "c", true: "f"}[fortran])
		if err := npy.Save(ctx, name+".npy", u, &o); err != nil {
			return err
		}

		o.Raw = true
		if err := npy.Save(ctx, name+".raw", u, &o); err != nil {
			return err
		}
	}

	for _, deflate := range []bool{false, true} {
		o := npy.SaveOptions{Deflate: deflate, Fortran: rng.IntN(2) == 0}
		name := filepath.Join(dir, map[bool]string{false: "s.npz", true: "z.npz"}[deflate])
		err := npy.SaveArchive(ctx, name, func(put npy.PutFunc) error {
			for _, name := range names {
				if err := put(name, u); err != nil {
					return err
				}
			}
			return nil
		}, &o)
		if err != nil {
			return err
		}
	}
	return nil
}
