package compute

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// ErrIndivisible is matched by errors of [Divide] about expressions that cannot be computed in
// pieces.
var ErrIndivisible = fmt.Errorf("the expression cannot be computed in pieces: %w", cairn.ErrUnsupported)

// A Division computes reductions piece by piece, in any number of processes: each one calls Reduce
// for some pieces, and one of them Merge for what all others made. The results are those of
// [CalcAll], to the bit.
//
// The processes need sources with the same items; for Merge it suffices that shapes, dtypes and
// grids are the same. Any number of goroutines may use a Division.
type Division struct {
	texts   []string
	sources map[string]ndarray.Source
	options *CalcOptions
	passes  []pass
	results []*Expression
	hash    [8]byte
}

// Divide divides the reductions of expressions into pieces, without reading items. It fails with
// [ErrIndivisible] unless all items of the results come from reductions, none of which needs the
// result of another one: quantiles, cumulative sums and first and last cannot be merged, and
// a - mean(a) and reductions with each=True are as long as a.
func Divide(ctx context.Context, texts []string, sources map[string]ndarray.Source, o *CalcOptions) (*Division, error) {
	d := &Division{texts: texts, sources: sources, options: cmp.Or(o, &CalcOptions{})}
	var err error
	d.results, err = calcAll(ctx, texts, sources, d.options, func(p pass) ([]*ndarray.Untyped, error) {
		d.passes = append(d.passes, p)
		return p.blank(ctx)
	})
	if err != nil {
		return nil, err
	}

	sum := sha256.New()
	for i, e := range d.results {
		if !e.root.reduces || e.root.reads {
			return nil, fmt.Errorf("calc: %s has items that are not reduced: %w", texts[i], ErrIndivisible)
		}
		fmt.Fprintf(sum, "%q ", texts[i])
	}

	for _, p := range d.passes {
		fmt.Fprintln(sum, p.geometry())
	}

	copy(d.hash[:], sum.Sum(nil))
	return d, nil
}

// Results returns the results with their shapes, dtypes and labels. All items are zero.
func (d *Division) Results() []*Expression { return d.results }

// Pieces returns the number of pieces.
func (d *Division) Pieces() (n int64) {
	for _, p := range d.passes {
		n += p.pieces()
	}
	return n
}

// Bytes returns the number of bytes of the items that all pieces reduce.
func (d *Division) Bytes() (n int64) {
	for _, p := range d.passes {
		n += p.bytes()
	}
	return n
}

// Whole returns the number of successive pieces that make a whole part of the results.
// Accumulators of as many, from a multiple of this number on, are as large as those of one piece.
func (d *Division) Whole() (n int64) {
	for _, p := range d.passes {
		n = max(n, p.whole())
	}
	return max(1, n)
}

// The accumulators of some pieces are encoded as in docs/format/job.md, "Accumulators":
//
//	 0  8  magic and version
//	 8  8  hash of the expressions and of the geometry
//	16  8  number of the first piece
//	24  8  number after that of the last piece
//	32     records
const (
	accumulatorMagic  = "\xc3\xb2red\x00\x00\x01"
	accumulatorHeader = 32
)

// Size returns the number of bytes of what Reduce returns for some pieces.
func (d *Division) Size(from, to int64) int64 {
	n := int64(accumulatorHeader)
	_ = d.each(from, to, func(p pass, from, to int64) error {
		n += p.recordBytes(from, to)
		return nil
	})
	return n
}

// each calls do for the passes of some pieces, with the numbers that the pieces have in the pass.
func (d *Division) each(from, to int64, do func(p pass, from, to int64) error) error {
	for _, p := range d.passes {
		n := p.pieces()
		if a, b := max(0, from), min(n, to); a < b {
			if err := do(p, a, b); err != nil {
				return err
			}
		}
		from -= n
		to -= n
	}
	return nil
}

// Reduce reads the items of the pieces from number from to before number to, and returns their
// accumulators. It fails with [cairn.ErrBounds] if there are no such pieces.
func (d *Division) Reduce(ctx context.Context, from, to int64) ([]byte, error) {
	if from < 0 || from > to || to > d.Pieces() {
		return nil, fmt.Errorf("pieces %d to %d of %d: %w", from, to, d.Pieces(), cairn.ErrBounds)
	}

	b := make([]byte, 0, d.Size(from, to))
	b = append(append(b, accumulatorMagic...), d.hash[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(from))
	b = binary.LittleEndian.AppendUint64(b, uint64(to))

	err := d.each(from, to, func(p pass, from, to int64) (err error) {
		b, err = p.reduce(ctx, b, from, to)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("calc: %w", err)
	}
	return b, nil
}

// Merge returns the results, computed from what Reduce returned for all pieces, in their order. It
// fails with [cairn.ErrCorrupt] if parts are damaged, missing, or of another division.
func (d *Division) Merge(ctx context.Context, parts iter.Seq2[[]byte, error]) ([]*Expression, error) {
	next, stop := iter.Pull2(parts)
	defer stop()
	m := &merging{d: d, next: next}
	number := 0
	before := int64(0)

	results, err := calcAll(ctx, d.texts, d.sources, d.options, func(p pass) ([]*ndarray.Untyped, error) {
		if number == len(d.passes) || p.geometry() != d.passes[number].geometry() {
			return nil, errors.New("a source has changed")
		}

		first := before
		pieces := p.pieces()
		number++
		before += pieces
		return p.merge(ctx, func(from int64) (int64, []byte, error) {
			to, b, err := m.take(p, first, from, pieces)
			return to, b, err
		})
	})
	if err != nil {
		return nil, err
	}

	if err := m.end(); err != nil {
		return nil, err
	}
	return results, nil
}

// A merging takes records from parts.
type merging struct {
	d        *Division
	next     func() ([]byte, error, bool)
	from, to int64 // pieces whose records are in rest
	rest     []byte
}

// take returns the records of some pieces of a pass that begins with piece first, from number from
// in the pass on.
func (m *merging) take(p pass, first, from, pieces int64) (to int64, b []byte, err error) {
	for m.from == m.to {
		if err := m.open(); err != nil {
			return 0, nil, err
		}
	}

	to = min(pieces, m.to-first)
	n := p.recordBytes(from, to)
	b, m.rest = m.rest[:n], m.rest[n:]
	m.from = first + to
	return to, b, nil
}

// open opens the next part.
func (m *merging) open() error {
	b, err, ok := m.next()
	switch {
	case err != nil:
		return err
	case !ok:
		return cairn.Corruptf("accumulators", -1, "those of piece %d of %d are missing", m.to, m.d.Pieces())
	case len(b) < accumulatorHeader || string(b[:8]) != accumulatorMagic:
		return cairn.Corruptf("accumulators", 0, "this does not have the magic and version of accumulators")
	case !bytes.Equal(b[8:16], m.d.hash[:]):
		return cairn.Corruptf("accumulators", 8, "these are of another calculation, or of sources with another geometry")
	}

	from := binary.LittleEndian.Uint64(b[16:])
	to := binary.LittleEndian.Uint64(b[24:])
	if from != uint64(m.to) || to < from || to > uint64(m.d.Pieces()) {
		return cairn.Corruptf("accumulators", 16, "pieces %d to %d of %d follow piece %d", from, to, m.d.Pieces(), m.to)
	}

	if want := m.d.Size(int64(from), int64(to)); int64(len(b)) != want {
		return cairn.Corruptf("accumulators", -1, "%d bytes for pieces %d to %d, must be %d", len(b), from, to, want)
	}

	m.from = int64(from)
	m.to = int64(to)
	m.rest = b[accumulatorHeader:]
	return nil
}

// end fails unless all parts have been taken.
func (m *merging) end() error {
	b, err, ok := m.next()
	if err != nil {
		return err
	}
	if ok {
		return cairn.Corruptf("accumulators", -1, "a part of %d bytes behind the last one", len(b))
	}
	return nil
}

// Same reports whether other has the same expressions and pieces, so that Merge takes what its
// Reduce returns.
func (d *Division) Same(other *Division) bool { return d.hash == other.hash }
