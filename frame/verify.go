package frame

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// Report is what [Verify] found.
type Report struct {
	Info    Info
	Special int               // chunks that are only an index entry, and as good as the index
	Stored  [Verified + 1]int // the other chunks that are sound, by verdict
	// bytes of chunks that are referred to; chunks that overlap count once each
	Live int64
	// bytes between and behind chunks that nothing refers to, without what may be of damaged ones;
	// 0 for sparse frames
	Dead int64
	// bytes behind the frame that a killed writer left, or one at work has staged
	Tail int64
	// pairs of chunks that share bytes: readable, but C-Blosc2 would ruin one by updating the other
	Overlap [][2]int
	Orphans []string // chunk files of a sparse frame that nothing refers to
	Faults  []error  // everything that is wrong, up to 100, in the order of chunks
}

const maxFaults = 100

func (r *Report) fault(err error) { r.Faults = addFault(r.Faults, err) }

// addFault adds an error, if it is one, to those that are reported.
func addFault(faults []error, err error) []error {
	if err == nil || len(faults) == maxFaults {
		return faults
	}
	return append(faults, err)
}

// Verify opens a frame for reading, decodes every chunk and every metalayer, and checks what the
// parts say of each other. It returns the first fault as its error; the report has the others.
// Overlaps and orphans are not faults, unless chunks have many times the bytes of the file in
// common. With a Workers option chunks are decoded in parallel, in 256 MiB and twice the largest
// block at most.
func Verify(ctx context.Context, path string, o *OpenOptions) (Report, error) {
	options := *cmp.Or(o, &OpenOptions{})
	workers := max(1, options.Workers)
	options.Mode, options.Workers = ReadOnly, 1
	f, err := Open(path, &options)
	if err != nil {
		return Report{Faults: []error{err}}, err
	}
	r, err := f.cur.Load().verify(ctx, workers)
	return r, errors.Join(err, f.Close())
}

// Verify does for the newest state what the function of the same name does for a path.
func (f *Frame) Verify(ctx context.Context) (Report, error) {
	return f.Snapshot().cur.Load().verify(ctx, 1)
}

// verifyVL decodes the metalayers of variable length, those of a hostile trailer that share their
// bytes only once.
func (v *state) verifyVL(r *Report) {
	seen := map[*byte]int{}
	for _, l := range v.vl {
		if n := len(l.Content); n > 0 {
			if seen[&l.Content[0]] == n {
				continue
			}
			seen[&l.Content[0]] = n
		}
		if err := v.proveVL(l.Content); err != nil {
			r.fault(v.env.place(fmt.Errorf("variable-length metalayer %q: %w", l.Name, err)))
		}
	}
}

// extent is where a chunk lies.
type extent struct {
	chunk    int
	from, to int64
}

func (v *state) verify(ctx context.Context, workers int) (Report, error) {
	r := Report{Info: v.info()}
	if err := v.env.open(); err != nil {
		return r, err
	}
	if v.cover != nil {
		r.fault(v.env.place(v.cover.damage))
	}
	c := newChunkVerifier(v, workers, &r)
	if err := c.run(ctx); err != nil {
		return r, err
	}
	v.verifyVL(&r)
	if err := v.source.survey(c); err != nil {
		return r, v.env.place(err)
	}
	if len(r.Faults) > 0 {
		return r, r.Faults[0]
	}
	return r, nil
}

func byPlace(a, b extent) int {
	return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.chunk, b.chunk))
}

// overlaps returns the pairs of neighbours in the file that share bytes, up to 100.
func overlaps(extents []extent) [][2]int {
	slices.SortFunc(extents, byPlace)
	var pairs [][2]int
	reach := 0 // of the extents so far the one that ends last
	for k := 1; k < len(extents) && len(pairs) < maxFaults; k++ {
		if extents[k].from < extents[reach].to {
			pairs = append(pairs, [2]int{extents[reach].chunk, extents[k].chunk})
		}
		if extents[k].to > extents[reach].to {
			reach = k
		}
	}
	return pairs
}

// covered returns how many bytes lie in at least one of the extents, which are sorted.
func covered(extents []extent) int64 {
	var sum, end int64
	for _, e := range extents {
		if e.to > end {
			sum += e.to - max(e.from, end)
			end = e.to
		}
	}
	return sum
}
