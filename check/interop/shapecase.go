package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn/internal/test/dense"
	"github.com/cairn-go/cairn/ndarray"
)

// reshapeOurs changes the shape with cairn.
func (c *arrayCase) reshapeOurs() error {
	u, err := ndarray.Open(c.path, &ndarray.OpenOptions{Mode: ndarray.ReadWrite, Workers: 1 + c.rng.IntN(3)})
	if err != nil {
		return err
	}
	defer u.Close()

	for range 1 + c.rng.IntN(3) {
		chunks, _ := u.Grid()
		s := c.drawReshape(chunks)
		if err := c.reshapeOnce(u, s); err != nil {
			return fmt.Errorf("%s at %v, axis %d, to %d, shape %v, of %v: %w",
				s.Do, s.Start, s.Axis, s.To, s.Shape, c.model.Shape, err)
		}

		var a struct {
			Shape []int64 `json:"shape"`
			Data  []byte  `json:"data"`
		}
		command := numpyCommand{Op: "numpy", Shape: c.model.Shape, Item: c.typeSize, Data: c.model.Data, Step: s}
		if err := c.peer.Call(command, &a); err != nil {
			return err
		}
		c.model.Shape = a.Shape
		c.model.Data = a.Data
	}
	return u.Close()
}

// numpyCommand asks NumPy for the result of a change of the shape.
type numpyCommand struct {
	Op    string  `json:"op"`
	Shape []int64 `json:"shape"`
	Item  int     `json:"item"`
	Data  []byte  `json:"data"`
	Step  reshape `json:"step"`
}

// A reshape is a change of the shape: append, insert or delete along an axis, or resize.
type reshape struct {
	Do    string  `json:"do"`
	Axis  int     `json:"axis"`
	Start int64   `json:"start"`
	To    int64   `json:"to"`
	Shape []int64 `json:"shape"` // shape of the items to append or insert, or the new shape
	Data  []byte  `json:"data"`  // items, or the fill value of a resize
}

func (c *arrayCase) drawReshape(chunks []int64) reshape {
	shape := slices.Clone(c.model.Shape)
	s := reshape{Do: []string{"append", "insert", "delete", "resize"}[c.rng.IntN(4)], Axis: c.rng.IntN(len(shape))}
	n := shape[s.Axis]
	side := chunks[s.Axis]

	extent := 1 + c.rng.Int64N(side+2)
	if c.rng.IntN(2) == 0 {
		extent = side
	}
	if dense.Volume(shape)/max(1, n)*extent*int64(c.typeSize) > 1<<20 {
		extent = 1
	}

	s.Start = c.rng.Int64N(n + 1)
	if c.rng.IntN(2) == 0 {
		s.Start -= s.Start % side
	}

	switch s.Do {
	case "delete":
		s.To = min(n, s.Start+extent)
		if s.Start == 0 && s.To == n {
			s.To-- // other cases exchange dimensions without items
		}
		return s
	case "resize":
		for i := range shape {
			shape[i] = max(1, shape[i]+c.rng.Int64N(5)-2)
		}
		s.Shape = shape
		s.Data = c.bytes(c.typeSize)
		if c.rng.IntN(2) == 0 {
			clear(s.Data)
		}
		return s
	case "append":
		s.Start = n
	}

	shape[s.Axis] = extent
	s.Shape = shape
	s.Data = c.bytes(int(dense.Volume(shape)) * c.typeSize)
	return s
}

func (c *arrayCase) reshapeOnce(u *ndarray.Untyped, s reshape) error {
	ctx := context.Background()
	switch s.Do {
	case "append":
		return u.Append(ctx, s.Axis, s.Data)
	case "insert":
		return u.Insert(ctx, s.Axis, s.Start, s.Data)
	case "delete":
		return u.Delete(ctx, s.Axis, s.Start, s.To)
	}
	return u.Resize(ctx, s.Shape, &ndarray.ResizeOptions{Fill: s.Data})
}

// reshapeTheirs lets the real library shrink and grow the array. It does not clear items that
// reappear when the array grows, so all new items are written.
func (c *arrayCase) reshapeTheirs() error {
	var steps []step
	resize := func(by int64) {
		shape := slices.Clone(c.model.Shape)
		i := c.rng.IntN(len(shape))
		old := shape[i]
		shape[i] = max(1, old+by)
		steps = append(steps, step{Do: "resize", Shape: shape})
		c.model.Resize(shape)
		if shape[i] > old {
			start := make([]int64, len(shape))
			start[i] = old
			data := c.bytes(len(c.model.Box(start, shape)))
			steps = append(steps, step{Do: "write", Start: start, Stop: shape, Data: data})
			c.model.SetBox(start, shape, data)
		}
	}

	resize(-c.rng.Int64N(4))
	if len(c.model.Shape) == 1 && c.rng.IntN(2) == 0 {
		data := c.bytes((1 + c.rng.IntN(6)) * c.typeSize)
		steps = append(steps, step{Do: "append", Data: data})
		c.model.Insert(0, c.model.Shape[0], int64(len(data)/c.typeSize), data)
	} else {
		resize(1 + c.rng.Int64N(6))
	}
	return c.peer.Call(arrayCommand{Op: "change_array", Path: c.path, Steps: steps}, &struct{}{})
}
