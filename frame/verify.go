package frame

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// Report is the result of [Verify].
type Report struct {
	Info    Info
	Special int               // chunks that are only an index entry
	Stored  [Verified + 1]int // number of sound stored chunks, by verdict
	// bytes of the chunks in the index; bytes that several chunks share count for each of them
	Live int64
	// unreferenced bytes between and behind chunks, without those that may belong to damaged
	// chunks; 0 for sparse frames
	Dead int64
	// bytes behind the frame, left by a killed writer or staged by an active one
	Tail int64
	// pairs of chunks that share bytes: readable, but C-Blosc2 would damage one by updating the
	// other
	Overlap [][2]int
	Orphans []string // chunk files of a sparse frame that are not in the index
	Faults  []error  // up to 100 errors, in the order of chunks
}

const maxFaults = 100

func (r *Report) fault(err error) { r.Faults = addFault(r.Faults, err) }

// addFault appends err to faults, unless it is nil or faults is full.
func addFault(faults []error, err error) []error {
	if err == nil || len(faults) == maxFaults {
		return faults
	}
	return append(faults, err)
}

// Verify opens a frame for reading, decodes every chunk and every metalayer, and checks that the
// parts are consistent. It returns the first fault as its error; the report has all. Overlaps and
// orphans are not faults, unless overlapping chunks have many times the bytes of the file.
// o.Workers chunks are decoded in parallel, in at most 256 MiB plus twice the largest block of
// memory.
func Verify(ctx context.Context, path string, o *OpenOptions) (Report, error) {
	options := *cmp.Or(o, &OpenOptions{})
	workers := max(1, options.Workers)
	options.Mode = ReadOnly
	options.Workers = 1
	f, err := Open(path, &options)
	if err != nil {
		return Report{Faults: []error{err}}, err
	}
	r, err := f.cur.Load().verify(ctx, workers)
	return r, errors.Join(err, f.Close())
}

// verifyVL decodes the metalayers of variable length. In a hostile trailer they may share bytes,
// which are decoded only once.
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

// extent is the range of bytes of a chunk.
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

	v = v.within(ctx)
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

// overlaps returns up to 100 pairs of extents that share bytes. It sorts extents.
func overlaps(extents []extent) [][2]int {
	slices.SortFunc(extents, byPlace)
	var pairs [][2]int
	reach := 0 // index of the extent so far that ends last
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

// covered returns how many bytes are in at least one of the sorted extents.
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
