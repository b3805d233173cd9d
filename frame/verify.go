package frame

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/storage"
)

// Report is what [Verify] found.
type Report struct {
	Info    Info
	Special int               // chunks that are only an index entry, and as good as the index
	Stored  [Verified + 1]int // the other chunks that are sound, by verdict
	Live    int64             // bytes of chunks that are referred to; chunks that overlap count once each
	Dead    int64             // bytes between and behind chunks that nothing refers to, without what may be of damaged ones; 0 for sparse frames
	Overlap [][2]int          // pairs of chunks that share bytes: readable, but C-Blosc2 would ruin one by updating the other
	Orphans []string          // chunk files of a sparse frame that nothing refers to
	Faults  []error           // everything that is wrong, up to 100, in the order of chunks
}

const maxFaults = 100

func (r *Report) fault(err error) {
	if err != nil && len(r.Faults) < maxFaults {
		r.Faults = append(r.Faults, err)
	}
}

// Verify opens a frame for reading, decodes every chunk and every metalayer, and checks what the parts say of each other. It returns the first
// fault as its error; the report has the others. Overlaps and orphans are not faults. With a Workers option chunks are decoded in parallel.
func Verify(ctx context.Context, path string, o *OpenOptions) (Report, error) {
	options := OpenOptions{}
	if o != nil {
		options = *o
	}
	workers := max(1, options.Workers)
	options.Mode, options.Workers = ReadOnly, 1
	f, err := Open(path, &options)
	if err != nil {
		return Report{Faults: []error{err}}, err
	}
	r, err := f.View().verify(ctx, workers)
	return r, errors.Join(err, f.Close())
}

// Verify does for a state what the function of the same name does for a path.
func (v *View) Verify(ctx context.Context) (Report, error) { return v.verify(ctx, 1) }

// verifyVL decodes the metalayers of variable length, those of a hostile trailer that share their bytes only once.
func (v *View) verifyVL(r *Report) {
	seen := map[*byte]int{}
	for _, l := range v.vl {
		h, err := v.vlHeader(l.Content)
		if err == nil && seen[&l.Content[0]] != len(l.Content) {
			seen[&l.Content[0]] = len(l.Content)
			if h.Special() == chunk.SpecialNone {
				err = v.vlDecoder().DecodeBlocks(l.Content, nil, discard{})
			}
		}
		if err != nil {
			r.fault(v.env.place(fmt.Errorf("variable-length metalayer %q: %w", l.Name, err)))
		}
	}
}

// extent is where a chunk lies.
type extent struct {
	chunk    int
	from, to int64
}

func (v *View) verify(ctx context.Context, workers int) (Report, error) {
	r := Report{Info: v.Info()}
	if err := v.env.open(); err != nil {
		return r, err
	}
	if v.cover != nil {
		r.fault(v.env.place(v.cover.damage))
	}
	extents, damaged, err := v.verifyChunks(ctx, workers, &r)
	if err != nil {
		return r, err
	}
	v.verifyVL(&r)
	switch src := v.source.(type) {
	case *sparse:
		if r.Orphans, err = orphans(src, v.index); err != nil {
			return r, v.env.place(err)
		}
	case *contiguous:
		r.Overlap = overlaps(extents)
		r.Dead = deadBytes(extents, damaged, src.offset(0), src.offset(v.head.cbytes))
	}
	if len(r.Faults) > 0 {
		return r, r.Faults[0]
	}
	return r, nil
}

// result is what is known of one chunk.
type result struct {
	info    ChunkInfo
	verdict Verdict
	footer  int64 // bytes
	at      int64 // where the chunk begins, or unknownPlace
	err     error
}

// unknownPlace stands for where a chunk begins whose index entry cannot be read.
const unknownPlace = -1

// verifyBatch is how many chunks are in flight between two looks at the results.
const verifyBatch = 1024

// verifyChunks returns where the chunks lie that are sound, and where those begin that are not.
func (v *View) verifyChunks(ctx context.Context, workers int, r *Report) (extents []extent, damaged []int64, err error) {
	var nbytes int64
	results := make([]result, verifyBatch)
	for first, n := 0, 0; first < v.index.n; first += n {
		if _, err := v.entry(first); err != nil {
			// The entries of a block of the index can all be had or none.
			r.fault(err)
			damaged = append(damaged, unknownPlace)
			n = blockLen - first%blockLen
			continue
		}
		if n = v.SpecialRun(first); n > verifyBatch {
			res := v.verifyChunk(first)
			r.fault(res.err)
			if res.err != nil {
				damaged = append(damaged, res.at)
			}
			nbytes += int64(n) * int64(res.info.NBytes)
			if res.err == nil && !res.info.InIndex {
				// One chunk many times over.
				r.Stored[res.verdict] += n
				r.Live += int64(n) * int64(res.info.CBytes)
				e := extent{first, res.info.Offset, res.info.Offset + int64(res.info.CBytes) + res.footer}
				extents = append(extents, e, extent{first + 1, e.from, e.to})
				continue
			}
			r.Special += n
			continue
		}
		n = min(verifyBatch, v.index.n-first, blockLen-first%blockLen)
		err := parallel.For(ctx, workers, n, func(_, k int) error {
			results[k] = v.verifyChunk(first + k)
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
		for k, res := range results[:n] {
			r.fault(res.err)
			nbytes += int64(res.info.NBytes)
			switch {
			case res.err != nil:
				damaged = append(damaged, res.at)
			case res.info.InIndex:
				r.Special++
			default:
				r.Live += int64(res.info.CBytes)
				r.Stored[res.verdict]++
				extents = append(extents, extent{first + k, res.info.Offset, res.info.Offset + int64(res.info.CBytes) + res.footer})
			}
		}
	}
	if len(r.Faults) == 0 && nbytes != v.head.nbytes {
		r.fault(v.env.place(wrongTotal(v.head.nbytes, nbytes)))
	}
	return extents, damaged, nil
}

// verifyChunk compares chunk i with its checksum and decodes it block by block, so that a claim to be large costs no memory.
func (v *View) verifyChunk(i int) (res result) {
	entry, err := v.entry(i)
	if err != nil {
		return result{at: unknownPlace, err: err}
	}
	if c, ok := v.source.(*contiguous); ok {
		res.at = c.offset(entry)
	}
	if res.info, err = v.peek(i, entry); err != nil || res.info.InIndex {
		res.err = v.inChunk(i, entry, err)
		return res
	}
	d := v.env.borrow()
	defer v.env.giveBack(d)
	sp := span{brief: true}
	c, behind, lent, err := v.fetchUnchecked(&sp, d.buf, i, entry)
	if err == nil {
		if !lent {
			d.buf = c
		}
		if _, has := parseFooter(behind); has {
			res.footer = footerSize
		}
		res.verdict, err = v.compare(entry, checksum(c), behind)
	}
	// Of special chunks the header has been checked, and there is nothing else to them.
	if err == nil && res.info.Kind == chunk.SpecialNone {
		err = d.decoder.DecodeBlocks(c, nil, discard{})
	}
	runtime.KeepAlive(v) // and with it the mapping that c may be in
	res.err = v.inChunk(i, entry, errors.Join(err, sp.close()))
	return res
}

// discard takes blocks and forgets them.
type discard struct{}

// Dst asks for delivery by Put, into memory of the decoder's.
func (discard) Dst(int, int) []byte { return nil }

// Put forgets a block.
func (discard) Put(int, []byte) {}

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

// orphans returns the chunk files that an index does not refer to.
func orphans(src *sparse, x index) ([]string, error) {
	entries, err := src.fs.ReadDir(src.dir)
	if err != nil {
		return nil, fmt.Errorf("list chunk files: %w", err)
	}
	ids, err := usedIDs(x)
	if err != nil {
		return nil, nil // which the chunks have been blamed for: what is an orphan cannot be told
	}
	used := make(map[string]bool, len(ids))
	for id := range ids {
		used[chunkName(id)] = true
	}
	var names []string
	for _, e := range entries {
		if isChunkFile(e) && !used[e.Name] {
			names = append(names, e.Name)
		}
	}
	return names, nil
}

// isChunkFile reports whether a directory entry has the name of a chunk file.
func isChunkFile(e storage.Info) bool {
	id, ok := strings.CutSuffix(e.Name, ".chunk")
	return ok && !e.Dir && len(id) == 8 && strings.Trim(id, "0123456789ABCDEF") == ""
}
