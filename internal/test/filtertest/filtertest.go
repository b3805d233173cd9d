// Package filtertest is the conformance suite for filters, both built-in and additional ones.
package filtertest

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cairn-go/cairn/internal/filterchain"
	"github.com/cairn-go/cairn/shuffle"
)

// Run tests the contract of [shuffle.Row] for lengths around powers of two and multiples of the
// type size, for many type sizes and alignments. The filter must agree with its reference if
// [ReferenceOf] has one, restore the input unless it is lossy, set all of dst and nothing else, not
// write src, give the same bytes with padding between planes, and not allocate once a chain is
// warm.
func Run(t *testing.T, row shuffle.Row) {
	if row.Forward == nil {
		t.Fatalf("filter %d has no Forward", row.ID)
	}

	for _, size := range typeSizes() {
		t.Run(fmt.Sprintf("%s/typesize=%d", row.Name, size), func(t *testing.T) {
			for _, meta := range metas(row.ID) {
				for _, length := range lengths(size) {
					src := Bytes(length, 1)
					for i, ctx := range contexts(row.ID, size, length) {
						c := trial{t, row, meta, ctx, src}
						if row.Check != nil && row.Check(meta, ctx) != nil || misfits(row.ID, length, ctx) {
							c.refused()
							continue
						}
						c.run(i)
					}
				}
			}
		})
	}

	t.Run(row.Name+"/allocations", func(t *testing.T) { runAllocations(t, row) })
}

func typeSizes() []int {
	sizes := []int{24, 32, 255}
	for size := range 17 {
		sizes = append(sizes, size+1)
	}
	return sizes
}

// lengths returns block lengths in bytes near powers of two and near the sizes of tiles.
func lengths(typeSize int) []int {
	var out []int
	for n := range 20 {
		out = append(out, n)
	}

	for n := 32; n <= 4096; n *= 2 {
		out = append(out, n-1, n, n+1)
	}

	for _, items := range []int{1, 7, 8, 9, 16, 63, 64, 65, 72, 135} {
		out = append(out, items*typeSize-1, items*typeSize, items*typeSize+1)
	}
	return out
}

// metas returns the parameters with which to test a filter. runTypeSize skips those that Check
// refuses.
func metas(id shuffle.ID) []uint8 {
	switch id {
	case shuffle.IDByte:
		return []uint8{0, 1, 3, 8, 255}
	case shuffle.IDTruncPrec:
		return []uint8{1, 10, 22, 23, 24, 51, 52, 53, 0, 255, 256 - 22, 256 - 23, 256 - 51, 256 - 52, 127, 128}
	case shuffle.IDIntTrunc:
		return []uint8{1, 5, 8, 9, 16, 17, 31, 64, 65, 0, 255, 256 - 7, 256 - 8, 256 - 31, 256 - 63, 256 - 64, 127, 128}
	case shuffle.IDNDCell, shuffle.IDNDMean:
		return []uint8{0, 1, 2, 3, 4, 7, 127, 128, 255}
	}
	return []uint8{0, 7}
}

// A trial is a filter with its input.
type trial struct {
	*testing.T
	row  shuffle.Row
	meta uint8
	ctx  *shuffle.Context
	src  []byte
}

func (c trial) fail(what string, args ...any) {
	c.Helper()
	c.Fatalf("%s of %d bytes, parameter %d, version %d, reference %v, shape %v: %s", c.row.Name, len(c.src), c.meta, c.ctx.Version,
		c.ctx.Ref != nil, c.ctx.BlockShape, fmt.Sprintf(what, args...))
}

// refused checks that blocks which Check refuses, or which do not fit their shape, are not encoded.
func (c trial) refused() {
	if err := c.row.Forward(make([]byte, len(c.src)), c.src, c.meta, c.ctx); err == nil {
		c.fail("Forward accepts what is to be refused")
	}
}

// run tests one pair of alignments, which differs between trials.
func (c trial) run(n int) {
	srcShift := (len(c.src) + n) % 8
	dstShift := (len(c.src)/3 + n) % 8
	filtered := c.call("Forward", c.src, srcShift, dstShift, c.row.Forward)
	if reference := ReferenceOf(c.row.ID); reference != nil {
		if want := reference(c.src, c.meta, c.ctx); !bytes.Equal(filtered, want) {
			c.fail("Forward differs from the reference at byte %d", mismatch(filtered, want))
		}
	}

	decoded := filtered
	if c.row.Backward != nil {
		decoded = c.call("Backward", filtered, dstShift, srcShift, c.row.Backward)
	}
	if !c.row.Lossy && !bytes.Equal(decoded, c.src) {
		c.fail("does not round-trip, first at byte %d", mismatch(decoded, c.src))
	}
	if c.row.Planes == nil {
		return
	}

	if planes := c.row.Planes(len(c.src), c.meta, c.ctx); planes > 0 {
		c.padded(filtered, decoded, planes, len(c.src)/planes+1+dstShift)
		c.padded(filtered, decoded, planes, len(c.src)/planes+64)
	}
}

type filter func(dst, src []byte, meta uint8, ctx *shuffle.Context) error

// call runs a filter in guarded memory, at the given offsets from an aligned address.
func (c trial) call(name string, src []byte, srcShift, dstShift int, f filter) []byte {
	in := newGuarded(len(src), srcShift)
	out := newGuarded(len(src), dstShift)
	copy(in.data, src)
	if err := f(out.data, in.data, c.meta, c.ctx); err != nil {
		c.fail("%s: %v", name, err)
	}
	if !in.intact() || !bytes.Equal(in.data, src) {
		c.fail("%s writes its source", name)
	}
	if !out.intact() {
		c.fail("%s writes beyond its destination", name)
	}
	return out.data
}

// padded checks that the functions for planes agree with the others.
func (c trial) padded(filtered, decoded []byte, planes, pitch int) {
	length := len(filtered) / planes
	out := newGuarded(planes*pitch, 0)
	if err := c.row.ForwardPlanes(out.data, pitch, c.src, c.meta, c.ctx); err != nil {
		c.fail("ForwardPlanes: %v", err)
	}
	if !out.intact() {
		c.fail("ForwardPlanes writes beyond its destination")
	}

	for k := range planes {
		plane := out.data[k*pitch:][:length]
		padding := out.data[k*pitch+length : (k+1)*pitch]
		if !bytes.Equal(plane, filtered[k*length:][:length]) {
			c.fail("ForwardPlanes, pitch %d: plane %d differs from Forward", pitch, k)
		}
		if bytes.Count(padding, []byte{guardByte}) != len(padding) {
			c.fail("ForwardPlanes, pitch %d: writes into the padding of plane %d", pitch, k)
		}
	}

	back := newGuarded(len(filtered), 3)
	if err := c.row.BackwardPlanes(back.data, out.data, pitch, c.meta, c.ctx); err != nil {
		c.fail("BackwardPlanes: %v", err)
	}
	if !back.intact() || !bytes.Equal(back.data, decoded) {
		c.fail("BackwardPlanes, pitch %d: differs from Backward", pitch)
	}
	if !c.row.Sliceable || length < 3 {
		return
	}

	part := newGuarded(planes*(length-2), 3) // all items except the first and the last
	if err := c.row.BackwardPlanes(part.data, out.data[1:], pitch, c.meta, c.ctx); err != nil {
		c.fail("BackwardPlanes of some items: %v", err)
	}
	if !part.intact() || !bytes.Equal(part.data, decoded[planes:planes*(length-1)]) {
		c.fail("BackwardPlanes, pitch %d: items in the middle differ", pitch)
	}
}

func runAllocations(t *testing.T, row shuffle.Row) {
	registry := new(shuffle.Registry)
	if row.ID >= 160 {
		if err := registry.Add(row); err != nil {
			t.Fatal(err)
		}
	}

	const length = 4096
	ctx := &shuffle.Context{TypeSize: 8, BlockShape: []int32{16, length / 8 / 16}}
	src := Bytes(length, 1)
	dst := make([]byte, length)
	chain := new(filterchain.Chain)
	scratch := new(filterchain.Scratch)
	spec := shuffle.Spec{ID: row.ID}
	switch row.ID {
	case shuffle.IDTruncPrec, shuffle.IDIntTrunc:
		spec.Meta = 10
	case shuffle.IDNDCell, shuffle.IDNDMean:
		spec.Meta = 5
	}

	pipeline := shuffle.Pipeline{spec, spec, spec}
	for _, rows := range []int{1, ctx.TypeSize} {
		got := testing.AllocsPerRun(10, func() {
			if err := chain.Set(pipeline, registry); err != nil {
				t.Fatal(err)
			}
			if _, _, err := chain.Forward(scratch, src, rows, ctx); err != nil {
				t.Fatal(err)
			}

			in, pitch := chain.Input(scratch, dst, rows)
			if err := chain.Backward(dst, scratch, in, pitch, rows, ctx); err != nil {
				t.Fatal(err)
			}
		})
		if got != 0 {
			t.Errorf("%d streams: %v allocations for a block there and back, want none", rows, got)
		}
	}
}
