package main

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/test/dense"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// The array that programs change: items of two bytes, with this initial shape.
const (
	arrayRows    = 37
	arrayColumns = 22
)

// arrayCopy is an array as plain data.
type arrayCopy struct {
	*dense.Array
	vl []meta.Layer
}

func (c arrayCopy) Clone() arrayCopy { return arrayCopy{c.Array.Clone(), slices.Clone(c.vl)} }

func (c arrayCopy) extent() (rows, columns int) { return int(c.Shape[0]), int(c.Shape[1]) }

// arraySubject is an array and its copy.
type arraySubject struct {
	rng *rand.Rand
	a   *ndarray.Untyped
	twin[arrayCopy]
}

func createArray(fsys storage.FS, rng *rand.Rand, sparse bool) (subject, error) {
	s := &arraySubject{rng: rng}
	s.copy.Array = dense.New([]int64{arrayRows, arrayColumns}, 2, nil)
	s.keep()
	a, err := ndarray.CreateUntyped(programName, "<i2", ndarray.Shape{arrayRows, arrayColumns}, &ndarray.Options{
		ChunkShape: ndarray.Shape{10, 11}, BlockShape: ndarray.Shape{5, 6}, Sparse: sparse, FS: fsys, Workers: 1, Codec: codecs.LZ4,
		// room for nothing, some chunks, or the whole array
		WriteBehind: []int64{1, 1500, 4 << 10}[rng.IntN(3)],
	})
	s.a = a
	return s, err
}

// span returns a random range of at most n items.
func (s *arraySubject) span(n int) (from, to int) {
	from = s.rng.IntN(n)
	return from, from + 1 + s.rng.IntN(n-from)
}

func (s *arraySubject) change() error {
	switch s.rng.IntN(6) {
	case 0:
		return s.layer()
	case 1, 2:
		return s.reshape()
	}

	height, across := s.copy.extent()
	top, bottom := s.span(height)
	left, right := s.span(across)
	rows := ndarray.Range(int64(top), int64(bottom))
	columns := ndarray.Range(int64(left), int64(right))
	width := 2 * (right - left)
	box := make([]byte, (bottom-top)*width)
	value := int16(s.rng.Int32N(1 << 15))

	var err error
	if s.rng.IntN(3) == 0 {
		for i := range box {
			box[i] = byte(uint16(value) >> (8 * (i % 2)))
		}
		err = s.a.Fill(context.Background(), value, rows, columns)
	} else {
		for i := range box {
			box[i] = byte(s.rng.Uint32() >> (s.rng.IntN(5) * 4))
		}
		err = s.a.Write(context.Background(), box, rows, columns)
	}

	return s.then(err, func(c *arrayCopy) {
		c.SetBox([]int64{int64(top), int64(left)}, []int64{int64(bottom), int64(right)}, box)
	})
}

// reshape inserts or deletes rows or columns anywhere, or resizes both dimensions.
func (s *arraySubject) reshape() error {
	ctx := context.Background()
	rows, columns := s.copy.extent()
	if s.rng.IntN(3) == 0 {
		down := max(1, rows+s.rng.IntN(9)-5)
		right := max(1, columns+s.rng.IntN(9)-5)
		shape := ndarray.Shape{int64(down), int64(right)}
		return s.then(s.a.Resize(ctx, shape, nil), func(c *arrayCopy) { c.Resize(shape) })
	}

	axis := s.rng.IntN(2)
	extent := rows
	across := columns
	if axis == 1 {
		extent = columns
		across = rows
	}

	if extent > 40 || extent > 2 && s.rng.IntN(2) == 0 {
		i, j := s.span(extent - 1)
		from := int64(i)
		to := int64(j)
		return s.then(s.a.Delete(ctx, axis, from, to), func(c *arrayCopy) { c.Delete(axis, from, to) })
	}

	at := s.rng.IntN(extent + 1)
	n := 1 + s.rng.IntN(12)
	if s.rng.IntN(2) == 0 {
		at = extent
	}

	src := make([]byte, 2*n*across)
	for i := range src {
		src[i] = byte(s.rng.Uint32() >> (s.rng.IntN(5) * 4))
	}
	err := s.a.Insert(ctx, axis, int64(at), src)
	return s.then(err, func(c *arrayCopy) { c.Insert(axis, int64(at), int64(n), src) })
}

func (s *arraySubject) layer() error {
	name := string(rune('a' + s.rng.IntN(3)))
	value := make([]byte, s.rng.IntN(60))
	for i := range value {
		value[i] = byte(s.rng.Uint32())
	}
	return s.then(s.a.Frame().SetVL(name, value), func(c *arrayCopy) { c.vl = setLayer(slices.Clone(c.vl), name, value) })
}

func (s *arraySubject) commit(ctx context.Context) error { return s.a.Commit(ctx) }
func (s *arraySubject) compact(ctx context.Context) error {
	_, err := s.a.Compact(ctx)
	return err
}
func (s *arraySubject) close() error { return s.a.Close() }

func (s *arraySubject) rollback() error { return s.rolledBack(s.a.Rollback()) }

func (s *arraySubject) want() content {
	sum := newSummer()
	sum.add(s.copy.Data)
	sum.layers(s.copy.vl)
	return content{1, int64(len(s.copy.Data)), sum.sum()}
}
