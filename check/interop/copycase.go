package main

import (
	"context"
	"fmt"
	"os"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/dense"
	"github.com/cairn-go/cairn/ndarray"
)

// copies lets cairn make new arrays from the current one; both sides read them.
func (c *arrayCase) copies() error {
	u, err := ndarray.Open(c.path, nil)
	if err != nil {
		return err
	}
	defer u.Close()

	for _, m := range []struct {
		name string
		make func(*arrayCase, *ndarray.Untyped, *ndarray.CopyOptions) error
	}{{"copy", (*arrayCase).copyOnce}, {"concat", (*arrayCase).concat}, {"stack", (*arrayCase).stack}, {"split", (*arrayCase).split}} {
		other := *c
		s := *c.spec
		s.chunks = nil
		s.block = nil // chosen by cairn
		other.spec = &s
		other.path = c.path + "." + m.name
		other.model = c.model.Clone()

		o := c.copyOptions()
		if err := m.make(&other, u, o); err != nil {
			return fmt.Errorf("%s with %+v: %w", m.name, *o, err)
		}
		if err := other.readBoth("after " + m.name); err != nil {
			return err
		}
		if err := os.RemoveAll(other.path); err != nil {
			return err
		}
	}
	return nil
}

// copyOptions draws options for a copy.
func (c *arrayCase) copyOptions() *ndarray.CopyOptions {
	o := &ndarray.CopyOptions{Workers: 1 + c.rng.IntN(3), Memory: 1 << c.rng.IntN(25), AutoShapes: c.rng.IntN(3) == 0, Recode: c.rng.IntN(6) == 0}
	if c.rng.IntN(3) == 0 {
		o.Codec = []codecs.Codec{codecs.LZ4, codecs.Zstd, codecs.BloscLZ}[c.rng.IntN(3)]
		o.Level = 1 + c.rng.IntN(9)
	}
	o.Sparse = []*bool{nil, new(false), new(true)}[c.rng.IntN(3)]
	return o
}

func (c *arrayCase) copyOnce(u *ndarray.Untyped, o *ndarray.CopyOptions) error {
	if !o.AutoShapes && c.rng.IntN(2) == 0 {
		for _, n := range c.model.Shape {
			o.ChunkShape = append(o.ChunkShape, 1+c.rng.Int64N(n+1))
		}
	}
	return u.Save(context.Background(), c.path, o)
}

// concat concatenates the array with itself.
func (c *arrayCase) concat(u *ndarray.Untyped, o *ndarray.CopyOptions) error {
	if len(c.model.Shape) == 0 {
		return c.copyOnce(u, o)
	}
	axis := c.rng.IntN(len(c.model.Shape))
	twice(c.model, axis)
	return ndarray.Save(context.Background(), c.path, ndarray.Concat(axis, u, u), o)
}

func (c *arrayCase) stack(u *ndarray.Untyped, o *ndarray.CopyOptions) error {
	if len(c.model.Shape) > 6 { // NumPy and C-Blosc2 limit the number of dimensions
		return c.copyOnce(u, o)
	}
	axis := c.rng.IntN(len(c.model.Shape) + 1)
	c.model.Shape = append(c.model.Shape[:axis:axis], append([]int64{1}, c.model.Shape[axis:]...)...)
	twice(c.model, axis)
	return ndarray.Save(context.Background(), c.path, ndarray.Stack(axis, u, u), o)
}

// split splits the array and keeps the second part.
func (c *arrayCase) split(u *ndarray.Untyped, o *ndarray.CopyOptions) error {
	if len(c.model.Shape) == 0 {
		return c.copyOnce(u, o)
	}
	axis := c.rng.IntN(len(c.model.Shape))
	at := c.rng.Int64N(c.model.Shape[axis] + 1)
	selectors := make([]ndarray.Selector, axis+1)
	for i := range selectors {
		selectors[i] = ndarray.All
	}
	selectors[axis] = ndarray.From(at)
	c.model.Delete(axis, 0, at)
	return ndarray.Save(context.Background(), c.path, u.Slice(selectors...), o)
}

// twice concatenates an array with itself.
func twice(a *dense.Array, axis int) { a.Insert(axis, a.Shape[axis], a.Shape[axis], a.Data) }

// copies lets cairn make new frames from the current one; both sides read them.
func (c *frameCase) copies() error {
	f, err := frame.Open(c.path, nil)
	if err != nil {
		return err
	}
	defer f.Close()
	o := &frame.CopyOptions{Workers: 1 + c.rng.IntN(3),
		Sparse: []*bool{nil, new(false), new(true)}[c.rng.IntN(3)], Recode: c.rng.IntN(3) == 0}
	if c.rng.IntN(3) == 0 {
		o.Codec = codecs.LZ4
	}
	other := *c
	other.path += ".copy"
	if err := frame.Copy(context.Background(), other.path, f.Snapshot(), o); err != nil {
		return err
	}
	return readBoth(&other, "after copying")
}
