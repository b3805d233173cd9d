package frame

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame/internal/bucket"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// A state is the immutable contents of a frame at one time. It is safe for concurrent use, and
// valid until the frame is closed.
type state struct {
	env    *env
	shown  *atomic.Pointer[Snapshot] // see snapshot; each state that was newest has its own
	source source
	head   format.Header // NBytes and CBytes include staged changes; FrameLen is of the last commit

	index  index.Index
	layers []meta.Layer // fixed
	vl     []meta.Layer // of variable length; contents are chunks

	// bytes of the chunks in the index, with footers in a contiguous frame; or unknownLive
	live    int64
	cover   *cover // nil without checksums
	last    int64  // decoded bytes of the last chunk; 0 if unknown
	blocks  uint8  // whether chunks have blocks of variable length: see usesVL
	touched bool   // the data differ from those of the last commit
	// identifies the state in the files from which it was read; nil for a state that this handle
	// made
	mark *mark
	ctx  context.Context // of the call for which it is used, or nil: see within
}

// A draft is a state under construction, a modified copy of another one. Only the change that makes
// it has access to it. Once its state is published, it must not be changed.
type draft struct{ state }

// draft returns a copy of v to modify. It shares with v what is never modified in place: the index,
// the contents of metalayers, and the source.
func (v *state) draft() *draft {
	d := &draft{*v}
	d.layers = slices.Clone(v.layers)
	d.vl = slices.Clone(v.vl)
	return d
}

// unknownLive is state.live for frames of another writer.
const unknownLive = -1

// info describes the frame.
func (v *state) info() Info {
	h := &v.head
	c := cmp.Or(v.cover, &cover{})
	return Info{
		Verdict: c.verdict, Healed: c.healed, Seq: c.seq,
		Generation: h.Generation.String(), Sparse: h.Sparse(), Variable: h.Variable(), VLBlocks: h.VLBlocks,
		Version: int(h.Version), HeaderLen: h.HeaderLen, FrameLen: h.FrameLen,
		NumChunks: v.index.Len(), NBytes: h.NBytes, CBytes: h.CBytes, Live: v.live,
		TypeSize: int(h.TypeSize), ChunkSize: int(h.ChunkSize), BlockSize: int(h.BlockSize),
		Codec: codecs.ByID(h.Codec, h.CodecMeta), Level: int(h.Level), Pipeline: h.Pipeline,
		Split: h.SplitMode(), Dict: h.Dict, ZarrBlocks: v.env.zarrBlocks,
	}
}

func cloneLayers(layers []meta.Layer) []meta.Layer {
	layers = slices.Clone(layers)
	for i := range layers {
		layers[i].Content = slices.Clone(layers[i].Content)
	}
	return layers
}

func layerNamed(layers []meta.Layer, name string) int {
	return slices.IndexFunc(layers, func(l meta.Layer) bool { return l.Name == name })
}

// withLayer replaces the layer with the name of l by l, or appends l.
func withLayer(layers []meta.Layer, l meta.Layer) []meta.Layer {
	if i := layerNamed(layers, l.Name); i >= 0 {
		layers[i] = l
		return layers
	}
	return append(layers, l)
}

// layer returns the content of a fixed metalayer.
func (v *state) layer(name string) ([]byte, error) {
	if i := layerNamed(v.layers, name); i >= 0 {
		return slices.Clone(v.layers[i].Content), nil
	}
	return nil, v.env.place(fmt.Errorf("metalayer %q: %w", name, cairn.ErrNotFound))
}

// vlValue returns the value of a metalayer of variable length.
func (v *state) vlValue(name string) ([]byte, error) {
	i := layerNamed(v.vl, name)
	if i < 0 {
		return nil, v.env.place(fmt.Errorf("variable-length metalayer %q: %w", name, cairn.ErrNotFound))
	}
	value, err := v.decodeVL(v.vl[i].Content)
	if err != nil {
		return nil, v.env.place(fmt.Errorf("variable-length metalayer %q: %w", name, err))
	}
	return value, nil
}

// vlLayers returns all metalayers of variable length, decoded.
func (v *state) vlLayers() ([]meta.Layer, error) {
	layers := make([]meta.Layer, len(v.vl))
	var total int64
	for i, l := range v.vl {
		// In a hostile trailer, several layers may share one content, so the total is not bounded
		// by the size of the trailer.
		if h, err := v.vlHeader(l.Content); err == nil {
			total += int64(h.NBytes)
		}
		if total > v.env.engine.Limits.MaxMeta {
			return nil, v.env.place(fmt.Errorf("variable-length metalayers of %d bytes: %w: MaxMeta is %d",
				total, cairn.ErrLimit, v.env.engine.Limits.MaxMeta))
		}
		value, err := v.vlValue(l.Name)
		if err != nil {
			return nil, err
		}
		layers[i] = meta.Layer{Name: l.Name, Content: value}
	}
	return layers, nil
}

// vlHeader parses and checks the header of an encoded metalayer of variable length, which is a
// chunk.
func (v *state) vlHeader(encoded []byte) (chunk.Header, error) {
	h, err := chunk.ParseHeader(encoded)
	if err == nil && int64(h.CBytes) != int64(len(encoded)) {
		err = cairn.Corruptf(format.LayerTrailer, -1, "a chunk of %d bytes is stored in %d", h.CBytes, len(encoded))
	}
	return h, err
}

// proveVL decodes a metalayer of variable length without keeping the result.
func (v *state) proveVL(encoded []byte) error {
	h, err := v.vlHeader(encoded)
	if err == nil && h.Special() == chunk.SpecialNone {
		err = v.vlDecoder().DecodeBlocks(h, encoded, nil, nil)
	}
	return err
}

// decodeVL decodes a metalayer of variable length.
func (v *state) decodeVL(encoded []byte) ([]byte, error) {
	h, err := v.vlHeader(encoded)
	if err != nil {
		return nil, err
	}
	if limit := v.env.engine.Limits.MaxMeta; int64(h.NBytes) > limit {
		return nil, fmt.Errorf("%d bytes: %w: MaxMeta is %d", h.NBytes, cairn.ErrLimit, limit)
	}
	if h.Memcpyed() && int64(h.NBytes) > int64(len(encoded)) {
		return nil, cairn.Corruptf("chunk", 4, "states %d uncompressed bytes in a chunk of %d", h.NBytes, len(encoded))
	}
	value := make([]byte, h.NBytes)
	_, err = v.vlDecoder().Decode(value, encoded)
	return value, err
}

func (v *state) vlDecoder() *chunk.Decoder {
	return chunk.NewDecoder(&chunk.DecodeOptions{Engine: v.env.engine})
}

// A source gives access to the bytes of chunks. It is safe for concurrent use.
type source interface {
	// open returns the bytes from the beginning of the chunk of a non-negative entry on. extent is
	// the length of the data section.
	open(entry, extent int64) (span, error)
	// place returns where that chunk is.
	place(entry int64) place
	// book returns what is known of the chunks.
	book() *book
	// survey adds dead, overlapping and unreferenced bytes to a report.
	survey(found *findings) error
}

// findings are what a verification has found of the chunks of a state.
type findings struct {
	*state
	report  *Report
	extents []extent // of sound chunks
	damaged []int64  // offsets of damaged chunks, or unknownPlace
}

// A place is where a chunk is stored.
type place struct {
	file   string // name of its own file or object; "" if chunks share one file
	offset int64  // in the file
}

// A book is what sources of all containers know of their chunks.
type book struct {
	apart    bool // each chunk has a file or an object of its own
	lends    bool // chunks are in memory that the file lends
	requests int  // for chunks that are in flight at most; 0 if they are not read by requests

	verified checked // entries whose chunks matched their checksums
	id       identity
}

// An entryChecker is a source that knows a bad entry without reading the chunk.
type entryChecker interface {
	// check validates a non-negative entry. extent is the length of the data section.
	check(entry, extent int64) error
}

// A lazySource is a source of a frame whose index is fetched in segments.
type lazySource interface {
	// load fetches a segment of the index, unless it is there.
	load(ctx context.Context, segment int) error
}

// A retirer is a source whose file is replaced as a whole by some commits.
type retirer interface {
	// retire arranges that the file is closed once no state refers to it.
	retire() *retiredFile
}

// liveStates holds weak references to the states that were handed out, so as to know which are
// still in use.
type liveStates struct {
	mu     sync.Mutex
	states []weak.Pointer[state]
	kept   []weak.Pointer[keeper]
}

// A keeper keeps a state until it is released, or is garbage.
type keeper struct{ of *state }

// A reads has the methods that read a frame or a snapshot. Those of a frame read the newest state.
// Code in this package calls methods of state.
type reads struct {
	env        *env
	cur        atomic.Pointer[state] // the newest state, or the only one of a snapshot
	liveStates *liveStates           // nil unless commits remove unused chunk files
}

// A Snapshot is one state of a frame, which never changes. It is valid until the frame is closed,
// and need not be closed itself. Any number of goroutines may use it.
type Snapshot struct{ reads }

// apart reports whether each chunk has a file or an object of its own.
func (v *state) apart() bool { return v.source.book().apart }

// footer returns how many bytes the data section has per chunk besides the chunk. Headers of sparse
// frames do not count footers.
func (v *state) footer() int64 {
	if v.apart() || v.env.Deterministic {
		return 0
	}
	return format.FooterSize
}

func (v *state) healed() bool { return v.cover != nil && v.cover.healed }

// A mark identifies the state that a file holds: the header and the pointer to the commit record,
// which has the checksums of the rest. For frames of other writers, which have no such record, it
// is the header, the whole trailer, and the size and time of the file.
type mark struct {
	header  []byte
	end     int64 // length of the frame
	trailer []byte
	foreign bool
	stamp   fileStamp
	// of a frame in a bucket, instead of all others
	version string // of the root's object
	root    *bucket.Root
}

// of reports whether the frame at an offset of a file has the mark.
func (m *mark) of(file storage.File, at int64) (bool, error) {
	if m.foreign {
		if now, err := stampOf(file); err != nil || now != m.stamp {
			return false, err
		}
	}
	b := make([]byte, max(len(m.header), len(m.trailer)))
	same, err := holds(file, b, at, m.header)
	if !same || err != nil {
		return false, err
	}
	return holds(file, b, at+m.end-int64(len(m.trailer)), m.trailer)
}

// holds reports whether a file has the bytes want at an offset.
func holds(file io.ReaderAt, buf []byte, at int64, want []byte) (bool, error) {
	n, err := file.ReadAt(buf[:len(want)], at)
	if n == len(want) || errors.Is(err, io.EOF) {
		err = nil
	}
	return bytes.Equal(buf[:n], want), err
}

// A fileStamp is the size and time of a file.
type fileStamp struct {
	size     int64
	modified time.Time // zero if unknown
}

func stampOf(file storage.File) (fileStamp, error) {
	if dated, ok := file.(interface{ Stat() (fs.FileInfo, error) }); ok {
		info, err := dated.Stat()
		if err != nil {
			return fileStamp{}, err
		}
		return fileStamp{info.Size(), info.ModTime()}, nil
	}
	size, err := file.Size()
	return fileStamp{size: size}, err
}
