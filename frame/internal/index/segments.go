package index

import "sync/atomic"

// SegmentLen is the number of entries of a segment: a part of an index that is stored on its own.
const SegmentLen = nodeBlocks * BlockLen

// Lazy returns an index of n entries whose segments are fetched on first access: segment returns
// the entries of segment j as an index of their own. It may be called concurrently, several times
// for one segment, and again after an error.
func Lazy(n int, segment func(j int) (Index, error)) Index {
	x := New()
	x.n = n
	x.disk = &diskIndex{fill: x.fill, segment: segment, blocks: make([]atomic.Pointer[block], (n+BlockLen-1)/BlockLen)}
	return x
}

// fetch returns block k from its segment.
func (d *diskIndex) fetch(k int) (*block, error) {
	x, err := d.segment(k / nodeBlocks)
	if err != nil {
		return nil, err
	}
	b, err := x.block(k % nodeBlocks)
	switch {
	case err != nil:
		return nil, err
	case b == nil && x.fill == d.fill:
		return &block{}, nil
	case b == nil:
		return Index{fill: d.fill}.uniformBlock(x.fill), nil
	case x.fill == d.fill:
		return b, nil
	}

	full := *b
	for j := range full.leaves {
		if full.leaves[j] == nil {
			full.leaves[j] = uniformLeaf(x.fill)
		}
	}
	full.packed = nil
	return &full, nil
}

// Segment returns the entries of segment j of x as an index of their own.
func (x Index) Segment(j int) (Index, error) {
	from := j * SegmentLen
	return New().AppendFrom(x, from, min(SegmentLen, x.n-from))
}

// Uniform returns the entry that all entries of x are equal to, if there is one.
func (x Index) Uniform() (entry int64, ok bool, err error) {
	if x.n == 0 {
		return 0, false, nil
	}
	if ok, err = x.uniform(); ok {
		entry, err = x.At(0)
	}
	return entry, ok, err
}

// Changes calls visit, in order, for each entry of segment j of y that x does not have, or has with
// another value. It skips what x and y share.
func Changes(x, y Index, j int, visit func(i int, entry int64)) error {
	end := min((j+1)*SegmentLen, y.n)
	for i := j * SegmentLen; i < end; {
		k := i / BlockLen
		last := min((k+1)*BlockLen, end)
		if x.own(k) == y.own(k) && x.disk == y.disk && x.fill == y.fill {
			// Shared memory may have entries that only y uses.
			i = max(i, min(x.n, last))
		}

		for ; i < last; i++ {
			entry, err := y.At(i)
			if err != nil {
				return err
			}
			if i < x.n {
				if old, err := x.At(i); err != nil {
					return err
				} else if old == entry {
					continue
				}
			}
			visit(i, entry)
		}
	}

	return nil
}
