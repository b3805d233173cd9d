package main

import (
	"context"

	"github.com/cairn-go/cairn/ndarray"
)

// A format is one besides Blosc2, whose arrays are opened, read and copied.
type format struct {
	// each opens the subject and calls do with some of its arrays; it returns the first error.
	each func(s *subject, do func(a ndarray.Source, got *first)) error
	// cost is what opening may allocate, and costRead what it may if arrays are read too.
	cost, costRead func(s *subject) uint64

	boxes     int    // that are read of each array
	mostBytes int64  // of a box
	read      uint64 // what a box may allocate
	copying   uint64 // what a copy may allocate
	copied    uint64 // and for each byte

	// Optional: what else is looked at when an array is opened, what is read in its place, whether
	// its chunks are so large that it is not copied, and what else is done with its copy.
	look    func(a ndarray.Source, got *first)
	through func(s *subject, a ndarray.Source) ndarray.Source
	large   func(a ndarray.Source) bool
	also    func(u *ndarray.Untyped, got *first)
}

// each calls do with some arrays of a tree, and see, which may be nil, with these and some groups.
// It returns the first error.
func (s *subject) each(
	t ndarray.Tree, see func(n ndarray.Node, got *first), do func(a ndarray.Source, got *first),
) error {
	ctx := context.Background()
	var got first
	nodes := []ndarray.Node{{Key: "/", Kind: ndarray.GroupNode}}
	for n, err := range ndarray.Walk(ctx, t, "/") {
		if got.take(err); n.Kind != ndarray.LinkNode {
			nodes = append(nodes, n)
		}
	}

	for range min(len(nodes), 2*someLeaves) {
		n := nodes[s.rng.IntN(len(nodes))]
		_, err := t.Attributes(ctx, n.Key)
		got.take(err)
		if see != nil {
			see(n, &got)
		}
		if n.Kind == ndarray.GroupNode {
			continue
		}

		a, err := t.Open(ctx, n.Key)
		got.take(err)
		if err == nil {
			do(a, &got)
		}
	}

	got.take(t.Close())
	return got.err
}

// scratchOnly is the cost of formats that ask for nothing else.
func scratchOnly(*subject) uint64 { return scratch }

// open looks at arrays without reading them.
func (f *format) open(_ *tester, s *subject) (uint64, error) {
	err := f.each(s, func(a ndarray.Source, got *first) {
		a.Shape()
		a.Grid()
		_ = a.DType().String()
		if f.look != nil {
			f.look(a, got)
		}
	})
	return f.cost(s), err
}

// readBoxes reads random boxes.
func (f *format) readBoxes(l *tester, s *subject) (asked uint64, err error) {
	err = f.each(s, func(a ndarray.Source, got *first) {
		if f.through != nil {
			a = f.through(s, a)
		}
		asked += uint64(f.boxes) * f.read
		for range f.boxes {
			start, stop := drawBox(s.rng, a.Shape())
			if size, ok := boxSize(start, stop, int64(a.DType().Size()), min(f.mostBytes, int64(len(l.buf)))); ok {
				got.take(a.ReadBytes(context.Background(), l.buf[:size], start, stop))
			}
		}
	})
	return asked + f.costRead(s), err
}

// copyArrays stores arrays as arrays of Blosc2.
func (f *format) copyArrays(_ *tester, s *subject) (asked uint64, err error) {
	err = f.each(s, func(a ndarray.Source, got *first) {
		shape := a.Shape()
		size, ok := boxSize(make([]int64, len(shape)), shape, int64(a.DType().Size()), 1<<16)
		if !ok || f.large != nil && f.large(a) {
			return
		}
		asked += f.copying + f.copied*uint64(size)
		u, err := ndarray.Copy(context.Background(), a, &ndarray.CopyOptions{Workers: 1, Memory: maxAlloc})
		if err != nil {
			got.take(err)
			return
		}
		if f.also != nil {
			f.also(u, got)
		}
		got.take(u.Close())
	})
	return asked + f.costRead(s), err
}

// manyItems reports whether an array has many dimensions, or long chunks.
func manyItems(a ndarray.Source) bool {
	chunks, _ := a.Grid()
	return len(a.Shape()) > 8 || len(chunks) > 0 && chunks[0] > 1<<16
}
