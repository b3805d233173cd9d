package frame

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// write copies everything intact in v to a new frame.
func (s *salvage) write(v *draft, out string) error {
	item, err := s.fillItem(v)
	if err != nil {
		return err
	}
	f, err := create(s.fs, out, &Options{
		TypeSize: int(v.head.TypeSize), ChunkSize: max(0, int(v.head.ChunkSize)), Sparse: s.src != nil,
		Overwrite: s.options.Overwrite,
		Meta:      v.layers, Workers: 1, Engine: s.options.Engine, FS: s.fs,
	})
	if err != nil {
		return fmt.Errorf("create %s: %w", out, err)
	}

	if err := s.copyTo(f, v, item); err != nil {
		return errors.Join(err, f.Abort())
	}
	if err := f.Close(); err != nil {
		return err
	}
	s.report.Info = f.Info()
	return nil
}

// copyTo copies everything intact in v to a new frame, and fills lost chunks with an item.
func (s *salvage) copyTo(f *Frame, v *draft, item []byte) (err error) {
	w := &salvageCopy{salvage: s, in: v, item: item, room: s.size}
	if s.src != nil {
		if w.room, err = s.storedBytes(); err != nil {
			return err
		}
	}

	if err := f.edit.change(s.ctx, w.copy); err != nil {
		return err
	}
	if s.report.Saved == 0 && s.report.LostTotal > 0 {
		return cairn.Corruptf("frame", -1, "none of its %d chunks can be saved", s.report.LostTotal)
	}
	return nil
}

// storedBytes returns the size of all chunk files of a sparse frame.
func (s *salvage) storedBytes() (total int64, err error) {
	files, err := s.src.files()
	for _, f := range files {
		total += f.Size
	}
	return total, err
}

// fillItem returns the item with which lost chunks are filled, nil for zeros.
func (s *salvage) fillItem(v *draft) ([]byte, error) {
	if s.options.Fill == nil {
		return nil, nil
	}
	item, err := s.options.Fill(int(v.head.TypeSize), cloneLayers(v.layers))
	if err != nil {
		return nil, fmt.Errorf("fill: %w", err)
	}
	if item != nil && len(item) != int(v.head.TypeSize) {
		return nil, fmt.Errorf("fill: an item of %d bytes for a frame with items of %d: %w", len(item),
			v.head.TypeSize, cairn.ErrType)
	}
	return item, nil
}

// salvageCopy copies the chunks to the new frame, in one change.
type salvageCopy struct {
	*salvage
	in   *draft
	next change // of the new frame
	item []byte
	buf  []byte
	room int64 // stored bytes that are left for chunks that share none

	// For chunks with blocks of variable length.
	encoder *chunk.Encoder
	block   []byte
	encoded []byte
}

// maxLost is the most runs of lost chunks that a report lists. LostTotal counts all.
const maxLost = 1 << 16

// head sets the header fields of the new frame that Options cannot express: the old frame may use
// codecs and filters that this program does not have.
func (w *salvageCopy) head() {
	from := &w.in.head
	to := &w.next.head
	to.Inherit(from)
	to.Threads = from.Threads
	if from.Variable() {
		to.ChunkSize = 0
	}
	w.next.vl = withoutPlaced(w.soundVL(w.in))
}

// copy copies all chunks.
func (w *salvageCopy) copy(next change) error {
	w.next = next
	w.head()
	x := w.in.index
	if w.report.Guide != GuidePosition && w.exact == 0 {
		w.total = x.Len() // the index is more reliable than the header
	}

	for i := 0; i < x.Len(); {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		entry, err := x.At(i)
		if err != nil {
			return err
		}

		n := x.Run(i)
		switch {
		case entry == lostEntry:
			n = w.nothing(x, i)
			err = w.lose(i, n, entry, w.reason(i))
		case entry < 0:
			err = w.special(i, n, entry)
		default:
			if err = w.stored(i, entry); err == nil && n > 1 {
				err = w.again(i+1, n-1, entry)
			}
		}
		if err != nil {
			return err
		}
		i += n
	}

	if x.Len() < w.total {
		if err := w.bound(w.total); err != nil {
			return err
		}
		return w.lose(x.Len(), w.total-x.Len(), lostEntry, w.reason(x.Len()))
	}
	return nil
}

// again reports n chunks from i on as lost, because they repeat the entry of the chunk before them.
func (w *salvageCopy) again(i, n int, entry int64) error {
	if err := w.bound(n); err != nil {
		return err
	}
	return w.lose(i, n, entry, errShared)
}

// nothing returns the length of the run of lost chunks from i on without a known reason; 1 if chunk
// i has one.
func (w *salvageCopy) nothing(x index.Index, i int) int {
	n := 1
	for w.why[i] == nil && i+n < x.Len() && w.why[i+n] == nil {
		if entry, err := x.At(i + n); err != nil || entry != lostEntry {
			break
		}
		n++
	}
	return n
}

func (w *salvageCopy) reason(i int) error {
	if err := w.why[i]; err != nil {
		return cairn.InChunk(err, int64(i), 0)
	}
	if w.src != nil && w.report.Guide == GuidePosition {
		err := cairn.Corruptf("chunk", -1, "its file %s is missing, and no index refers to another", chunkName(int64(i)))
		return cairn.InChunk(err, int64(i), -1)
	}
	return cairn.InChunk(cairn.Corruptf("chunk", -1, "nothing is left of it, not even an index entry"), int64(i), -1)
}

// count returns the number of chunks of the new frame. The last may be shorter than the others.
func (w *salvageCopy) count() int { return max(w.in.index.Len(), w.total) }

// decoded returns the decoded size of n chunks from i on in a frame with a chunk size.
func (w *salvageCopy) decoded(i, n int) int64 {
	size := int64(w.in.head.ChunkSize)
	total := size * int64(n)
	if count := w.count(); i+n == count && w.trusted && w.exact == 0 && (w.in.head.NBytes-1)/size+1 == int64(count) {
		total -= size*int64(count) - w.in.head.NBytes
	}
	return total
}

// special copies a run of n equal special entries.
func (w *salvageCopy) special(i, n int, entry int64) error {
	kind, err := index.Kind(entry)
	typeSize := int64(w.in.head.TypeSize)
	if err != nil || w.in.head.ChunkSize <= 0 || kind == chunk.SpecialNaN && typeSize != 4 && typeSize != 8 {
		err := cairn.Corruptf("index entry", -1, "%#x is not a valid special entry", uint64(entry))
		return w.lose(i, n, entry, w.in.inChunk(i, entry, err))
	}
	nbytes := w.decoded(i, n)
	if kind != chunk.SpecialZeros && (nbytes%typeSize != 0 || int64(w.in.head.ChunkSize)%typeSize != 0) {
		kind = chunk.SpecialZeros
	}
	w.report.Saved += n
	return w.run(kind, nbytes)
}

// run appends special chunks of the chunk size, nbytes in all; the last may be shorter.
func (w *salvageCopy) run(kind chunk.Special, nbytes int64) error {
	size := int64(w.in.head.ChunkSize)
	if w.next.head.Variable() {
		// Each of them is stored, not only an index entry.
		if err := w.bound(int((nbytes-1)/size + 1)); err != nil {
			return err
		}
	}
	return w.next.appendForeign(kind, nbytes, size)
}

// stored copies stored chunk i.
func (w *salvageCopy) stored(i int, entry int64) error {
	if w.room < 0 {
		return w.lose(i, 1, entry, errShared)
	}
	res := w.in.verifyChunk(i, entry)
	info := res.info
	err := w.in.inChunk(i, entry, res.err)

	// A chunk that this program cannot decode is copied only if its checksum matches, or if its
	// codec and filters are those of the frame's header.
	sure := res.verdict >= VerifiedChunkOnly
	unchecked := errors.Is(err, cairn.ErrUnsupported) &&
		(sure || info.Header.Codec.ID() == w.in.head.Codec && info.Header.Pipeline == w.in.head.Pipeline)
	switch {
	case unchecked:
		err = nil
	case err == nil && w.exact > 0 && int64(info.NBytes) != w.exact:
		err = w.in.inChunk(i, entry, cairn.Corruptf("chunk", 4,
			"decodes to %d bytes, but chunks of this array have %d", info.NBytes, w.exact))
	}
	if w.room -= int64(info.CBytes); err == nil && w.room < 0 {
		err = errShared
	}
	if err != nil {
		return w.lose(i, 1, entry, err)
	}

	c, err := w.in.encodedChunk(w.buf, i)
	if err != nil {
		return w.lose(i, 1, entry, err)
	}
	if !w.in.lends() {
		w.buf = c
	}
	if err := w.next.insert(w.next.index.Len(), c); err != nil {
		if errors.Is(err, cairn.ErrUnsupported) || errors.Is(err, cairn.ErrBounds) {
			return w.lose(i, 1, entry, err) // not valid in any frame
		}
		return err
	}

	w.report.Saved++
	if unchecked && !sure {
		w.report.Unchecked++
	}
	return nil
}

// lose fills n chunks from i on, and reports them as lost.
func (w *salvageCopy) lose(i, n int, entry int64, why error) error {
	l := LostChunk{Chunk: i, Count: n, Offset: -1, Err: why}
	if entry >= 0 {
		at := w.in.source.place(entry)
		l.Offset = at.offset
		l.File = at.file
	} else if at, ok := w.places[i]; ok {
		l.Offset = at
	}

	var err error
	if l.NBytes, err = w.fill(i, n, entry); err != nil {
		return err
	}
	w.report.LostTotal += n
	lost := w.report.Lost
	if k := len(lost) - 1; k >= 0 && why == errShared && lost[k].Err == why && lost[k].Chunk+lost[k].Count == i {
		lost[k].Count += n
		lost[k].NBytes += l.NBytes
		return nil
	}

	if len(lost) < maxLost {
		w.report.Lost = append(lost, l)
	}
	return nil
}

// freeFilling is how many bytes, plus some for each byte of the file, a filled chunk may have if
// only a header states its size.
const freeFilling = 64 << 10

// fill appends n filled chunks from i on, and returns their decoded size.
func (w *salvageCopy) fill(i, n int, entry int64) (int64, error) {
	if w.in.head.ChunkSize > 0 && !w.in.head.VLBlocks {
		total := w.decoded(i, n)
		if w.item == nil {
			return total, w.run(chunk.SpecialZeros, total)
		}
		for k := range n {
			if err := w.filled(w.decoded(i+k, 1)); err != nil {
				return 0, err
			}
		}
		return total, nil
	}

	// Use the size in the chunk's header if that can be read. Otherwise fill one item, so that
	// later chunks keep their index. The size of an item is limited, as it may be damaged too.
	nbytes := int64(w.in.head.TypeSize)
	if w.in.head.VLBlocks {
		nbytes = min(nbytes, freeFilling+rawRatio*w.size)
	}
	if entry >= 0 {
		if info, err := w.in.peek(i, entry); err == nil && info.NBytes > 0 && (!w.in.head.VLBlocks ||
			plausible(info.Header)) {
			nbytes = int64(info.NBytes)
		}
	}

	if int64(n) > w.size {
		return 0, fmt.Errorf("%d lost chunks of unknown sizes: %w", n, cairn.ErrLimit)
	}
	for range n {
		if err := w.filled(nbytes); err != nil {
			return 0, err
		}
	}

	return nbytes * int64(n), nil
}

// filled appends one filled chunk of the given size.
func (w *salvageCopy) filled(nbytes int64) error {
	if w.in.head.VLBlocks {
		return w.filledVL(nbytes)
	}

	kind := chunk.SpecialValue
	item := w.item
	typeSize := len(item)
	blockSize := int(w.in.head.BlockSize)
	if item == nil || nbytes%int64(len(item)) != 0 {
		kind = chunk.SpecialZeros
		item = nil
		typeSize = int(w.in.head.TypeSize)
		blockSize = 0
	}

	c, err := chunk.AppendSpecial(nil, kind, item, int(nbytes), typeSize, blockSize)
	if err != nil {
		return err
	}
	return w.next.insert(w.next.index.Len(), c)
}

// filledVL is filled for frames whose chunks have blocks of variable length. Special chunks cannot
// have such blocks.
func (w *salvageCopy) filledVL(nbytes int64) error {
	if w.encoder == nil {
		e, err := chunk.NewEncoder(&chunk.Options{TypeSize: int(w.in.head.TypeSize), Codec: codecs.BloscLZ,
			Filters: []shuffle.Spec{shuffle.None}})
		if err != nil {
			return err
		}
		w.encoder = e
	}
	w.block = fresh.Grow(w.block[:0], int(nbytes))[:nbytes]
	clear(w.block)
	for at := 0; w.item != nil && nbytes%int64(len(w.item)) == 0 && at < len(w.block); {
		at += copy(w.block[at:], w.item)
	}
	var err error
	if w.encoded, err = w.encoder.AppendVL(w.encoded[:0], [][]byte{w.block}); err != nil {
		return err
	}
	return w.next.insert(w.next.index.Len(), w.encoded)
}

// Salvage copies everything that is intact in a damaged frame to a new frame of the same layout. A
// chunk is intact if all of its blocks decode and it matches its checksum, if it has one. Other
// chunks are filled, so that every chunk keeps its index, and reported. If the index is lost,
// Salvage searches the file for chunks; if the header is lost, Salvage derives it from the chunks.
// It only reads in. o may be nil.
//
// Salvage fails if nothing could be saved or if writing failed; the report is then incomplete.
// Damage alone is not an error.
func Salvage(ctx context.Context, in, out string, o *SalvageOptions) (SalvageReport, error) {
	o = cmp.Or(o, &SalvageOptions{})
	s := &salvage{ctx: ctx, options: o, fs: cmp.Or(o.FS, storage.OS())}
	oo := OpenOptions{Workers: o.Workers, Engine: o.Engine}
	if err := oo.Validate(); err != nil {
		return s.report, err
	}
	if filepath.Clean(in) == filepath.Clean(out) {
		return s.report, fmt.Errorf("salvage %s: the new frame cannot have the name of the damaged one: %w", in,
			cairn.ErrBounds)
	}
	s.env = newEnv("", &oo)
	if err := s.run(in, out); err != nil {
		if pe, ok := err.(*fs.PathError); ok && pe.Path == in {
			return s.report, err // it names the file already
		}
		return s.report, fmt.Errorf("salvage %s: %w", in, err)
	}
	return s.report, nil
}

func (s *salvage) run(in, out string) (err error) {
	info, err := s.fs.Stat(in)
	if err != nil {
		return err
	}
	name := in
	if info.Dir {
		s.src = newSparse(s.fs, in)
		name = in + "/" + sparseIndex
	}

	if s.file, err = s.fs.Open(name); err != nil {
		if s.src == nil {
			return err
		}
		// Without its index file, a sparse frame is rebuilt from the chunk files.
		s.report.fault(err)
		s.file = storage.BytesFile(nil)
	}

	defer func() { err = errors.Join(err, s.file.Close()) }()
	if s.size, err = s.file.Size(); err != nil {
		return err
	}
	v, err := s.open()
	if err != nil {
		s.report.fault(err)
		if v, err = s.rebuild(); err != nil {
			if s.src != nil {
				return err
			}
			return notForeign(s.file, 0, err)
		}
	}

	return s.write(v, out)
}
