package described

import (
	"context"
	"strings"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// A Frame is what is known of a frame of Blosc2 whose chunks were looked at.
type Frame struct {
	Generation    string `json:"generation"`
	FormatVersion int    `json:"format_version"`
	Metadata      string `json:"metadata,omitempty"` // layout of the metalayer of an array
	ChunkSize     int    `json:"chunksize"`          // 0 if chunks have individual sizes
	BlockSize     int    `json:"blocksize"`          // 0 if each chunk chooses
	Split         string `json:"split"`
	Dict          bool   `json:"dict,omitempty"`
	VLBlocks      bool   `json:"vlblocks,omitempty"`

	Padded int64 `json:"padded_bytes"` // of all chunks decoded, with the padding of arrays
	Live   int64 `json:"live_bytes"`   // of CBytes, those of chunks; -1 if a chunk cannot be read
	Dead   int64 `json:"dead_bytes"`   // the others
	// behind the frame: left by a writer that was killed, or staged by one at work
	Tail int64 `json:"tail_bytes"`

	Verdict string `json:"verdict"`          // of checksums on header, index and trailer
	Commit  uint64 `json:"commit,omitempty"` // number of the last commit, if cairn made it
	// the header in the file is damaged and was read from the commit record
	Healed bool `json:"healed,omitempty"`

	NumChunks int `json:"num_chunks"`
	// number of chunks that the next two maps describe, from the first
	Counted int `json:"chunks_counted"`
	// data, stored (uncompressed), zeros, nan, value, uninit, unreadable
	ChunkKinds  map[string]int `json:"chunk_kinds"`
	ChunkCodecs map[string]int `json:"chunk_codecs"` // of the chunks of kind data
	FirstFault  string         `json:"first_fault,omitempty"`

	Metalayers   []Layer `json:"metalayers"`
	VLMetalayers []Layer `json:"vlmetalayers"`
}

// A Layer is a metalayer with its value decoded, if it is msgpack.
type Layer struct {
	Name  string `json:"name"`
	Size  int    `json:"size"`
	Value any    `json:"value,omitempty"`
}

// BucketLayout is the layout of frames that were created in a bucket.
const BucketLayout = "bucket"

// OfFrame describes a frame of some bytes, which may be an array, or u is nil, and in a bucket.
func OfFrame(ctx context.Context, f *frame.Snapshot, u *ndarray.Untyped, fileBytes int64, inBucket bool) (*Array, error) {
	info := f.Info()
	a := &Array{Entry: Entry{Kind: FrameKind}, NBytes: info.NBytes}
	if u != nil {
		a = Of(ctx, u)
	}

	a.addInfo(info)
	a.setRatio()
	a.FileBytes = fileBytes
	if inBucket {
		a.Layout = BucketLayout
	}

	kind, err := store.KindOf(f)
	a.Container = kind.String()
	return a, err
}

// AddFrame adds what only a frame tells. It looks at the chunks without decoding them.
func (a *Array) AddFrame(ctx context.Context, f *frame.Snapshot) error {
	info := f.Info()
	a.Frame = &Frame{
		Generation: info.Generation, FormatVersion: info.Version,
		ChunkSize: max(0, info.ChunkSize), BlockSize: info.BlockSize, Split: info.Split.String(),
		Dict: info.Dict, VLBlocks: info.VLBlocks, Padded: info.NBytes,
		Verdict: info.Verdict.String(), Commit: info.Seq, Healed: info.Healed,
		NumChunks: info.NumChunks, ChunkKinds: map[string]int{}, ChunkCodecs: map[string]int{},
	}

	if a.Kind == ArrayKind {
		a.Metadata = metadataOf(f)
	}

	layers, err := f.VLLayers()
	if err != nil {
		return err
	}

	budget := MaxLayers
	a.Metalayers = LayersOf(f.Layers(), &budget)
	a.VLMetalayers = LayersOf(layers, &budget)
	if err := a.countChunks(ctx, f); err != nil {
		return err
	}

	a.countBytes(info)
	return nil
}

// countBytes computes the live and dead bytes.
func (a *Array) countBytes(info frame.Info) {
	if a.Layout != "contiguous" {
		a.Live = a.CBytes
		return
	}

	a.Tail = max(0, a.FileBytes-info.FrameLen)
	switch {
	case info.Live >= 0:
		a.Live = info.Live
	case a.Counted < a.NumChunks || a.ChunkKinds[string(Unreadable)] > 0:
		a.Live = -1
		return
	}

	a.Live = min(a.Live, a.CBytes) // chunks of a hostile index share bytes
	a.Dead = a.CBytes - a.Live
}

// maxCounted bounds the chunks that are examined, since each may cost a read and a frame can have
// hundreds of millions. A run of special chunks counts once. In a bucket, each costs a request.
const (
	maxCounted         = 1_000_000
	maxCountedInBucket = 100
)

// countChunks counts the kinds of chunks, including chunks with a damaged header, the first of
// which it reports.
func (a *Array) countChunks(ctx context.Context, view *frame.Snapshot) error {
	looked := 0
	most := maxCounted
	if a.Layout == BucketLayout {
		most = maxCountedInBucket
	}

	for i, run := 0, 0; i < view.NumChunks() && looked < most; i += run {
		if err := ctx.Err(); err != nil {
			return err
		}

		// Special chunks of one kind and size share an entry of the index, so one look tells all.
		looked++
		run = view.Inside().SpecialRun(i)
		a.Counted += run

		info, err := view.Peek(i)
		if err != nil {
			if a.FirstFault == "" {
				a.FirstFault = err.Error()
			}
			a.ChunkKinds[string(Unreadable)] += run
			continue
		}

		a.Live += int64(info.CBytes)
		kind := info.Kind.String()
		if info.Header.Memcpyed() {
			kind = "stored"
		}

		a.ChunkKinds[kind] += run
		if kind == chunk.SpecialNone.String() {
			a.ChunkCodecs[NameOf(info.Header.Codec)]++
		}
	}
	return nil
}

// NameOf returns the name of a codec without its parameter.
func NameOf(c codecs.Codec) string {
	name, _, _ := strings.Cut(c.String(), ":")
	return name
}

// metadataOf names the layout of the metalayer that makes a frame an array.
func metadataOf(view *frame.Snapshot) string {
	for _, name := range []string{meta.LayerB2ND, meta.LayerCaterva} {
		content, err := view.Layer(name)
		if err != nil {
			continue
		}
		if m, err := meta.ParseB2ND(content); err == nil {
			return m.Variant.String()
		}
	}
	return "unknown"
}

// MaxLayers bounds the memory of all metalayer values that are described. Of the others, only the
// size is told.
const MaxLayers = int64(16 << 20)

// LayersOf describes metalayers, whose values may take the bytes of a budget.
func LayersOf(layers []meta.Layer, budget *int64) []Layer {
	all := []Layer{}
	for _, l := range layers {
		d := Layer{Name: l.Name, Size: len(l.Content)}
		if l.Name != meta.LayerB2ND && l.Name != meta.LayerCaterva { // told as the shape and so on
			if v, err := meta.UnpackWithin(l.Content, budget); err == nil {
				d.Value = item.Meta(v)
			}
		}
		all = append(all, d)
	}
	return all
}
