package command

import (
	"context"
	"strings"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/store"
)

// description is the output of info; its fields are those of the JSON output. Sizes are in bytes.
type description struct {
	Path string `json:"path"`
	Kind string `json:"kind"` // "array" or "frame"
	// what python-blosc2 uses it for: "array", "frame", "object array", "lazy array", …
	Container     string `json:"container"`
	Layout        string `json:"layout"` // "contiguous", "sparse" or "bucket"
	Generation    string `json:"generation"`
	FormatVersion int    `json:"format_version"`

	*Geometry // of arrays

	TypeSize  int      `json:"typesize"`
	ChunkSize int      `json:"chunksize"` // 0 if chunks have individual sizes
	BlockSize int      `json:"blocksize"` // 0 if each chunk chooses
	Codec     string   `json:"codec"`
	CodecMeta uint8    `json:"codec_meta,omitempty"`
	Level     int      `json:"level"`
	Filters   []string `json:"filters"`
	Split     string   `json:"split"`
	Dict      bool     `json:"dict,omitempty"`
	VLBlocks  bool     `json:"vlblocks,omitempty"`

	NBytes int64 `json:"nbytes"` // of all chunks decoded, with the padding of arrays
	CBytes int64 `json:"cbytes"` // of all chunks as stored
	// bytes of CBytes that belong to chunks; -1 if a chunk cannot be read
	Live int64 `json:"live_bytes"`
	Dead int64 `json:"dead_bytes"` // the others
	// behind the frame: left by a writer that was killed, or staged by one at work
	Tail      int64   `json:"tail_bytes"`
	FileBytes int64   `json:"file_bytes"`
	Ratio     float64 `json:"ratio"` // items, or chunks decoded, to the file

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

	Metalayers   []layer `json:"metalayers"`
	VLMetalayers []layer `json:"vlmetalayers"`

	codec codecs.Codec
	valid string // the range of valid values
}

// codecName returns the name of a codec without its parameter.
func codecName(c codecs.Codec) string {
	name, _, _ := strings.Cut(c.String(), ":")
	return name
}

// Geometry is the part of a description that only arrays have.
type Geometry struct {
	Shape     []int64 `json:"shape"`
	Chunks    []int64 `json:"chunks"`
	Blocks    []int64 `json:"blocks"`
	DType     string  `json:"dtype"`
	ItemBytes int64   `json:"item_bytes"` // of all items, without padding
	Metadata  string  `json:"metadata"`   // layout of the array's metalayer
	// names of the dimensions, "" for one without a name
	Dims        []string     `json:"dims,omitempty"`
	Coordinates []coordinate `json:"coordinates,omitempty"`
}

// layer is a metalayer with its value decoded, if it is msgpack.
type layer struct {
	Name  string `json:"name"`
	Size  int    `json:"size"`
	Value any    `json:"value,omitempty"`
}

// describe collects the description of an open file without decoding its chunks.
func describe(ctx context.Context, path string, c *operand.Opened, src ndarray.Source) (*description, error) {
	view := c.Frame().Snapshot()
	info := view.Info()
	d := &description{
		Path: path, Kind: "frame", Layout: "contiguous", Generation: info.Generation, FormatVersion: info.Version,
		TypeSize: info.TypeSize, ChunkSize: max(0, info.ChunkSize), BlockSize: info.BlockSize,
		codec: info.Codec, Codec: codecName(info.Codec), CodecMeta: info.Codec.Parameter(),
		Level: info.Level, Filters: filterNamesOf(info.Pipeline[:]), Split: info.Split.String(),
		Dict: info.Dict, VLBlocks: info.VLBlocks,
		NBytes: info.NBytes, CBytes: info.CBytes, FileBytes: c.Stored(),
		Verdict: info.Verdict.String(), Commit: info.Seq, Healed: info.Healed,
		NumChunks: info.NumChunks, ChunkKinds: map[string]int{}, ChunkCodecs: map[string]int{},
		Metalayers: []layer{}, VLMetalayers: []layer{},
	}
	kind, err := store.KindOf(view)
	if err != nil {
		return nil, err
	}
	d.Container = kind.String()
	switch {
	case c.InBucket():
		d.Layout = inBucketLayout
	case info.Sparse:
		d.Layout = "sparse"
	}
	decoded := d.NBytes
	if u, ok := src.(*ndarray.Untyped); ok {
		d.Kind = "array"
		chunks, blocks := u.Grid()
		d.Geometry = &Geometry{u.Shape(), chunks, blocks, u.DType().String(),
			u.Len() * int64(u.TypeSize()), arrayMetadata(view), nil, nil}
		if l, err := u.Labels(); err == nil {
			d.Dims, d.valid = l.Dims, validText(cf.Of(u.DType(), l.Attributes))
		}
		d.Coordinates = coordinatesOf(ctx, u, c)
		decoded = d.ItemBytes
	}
	if d.FileBytes > 0 {
		d.Ratio = float64(decoded) / float64(d.FileBytes)
	}
	budget := maxDescribed
	for _, l := range view.Layers() {
		d.Metalayers = append(d.Metalayers, describeLayer(l, &budget))
	}
	layers, err := view.VLLayers()
	if err != nil {
		return nil, err
	}
	for _, l := range layers {
		d.VLMetalayers = append(d.VLMetalayers, describeLayer(l, &budget))
	}
	if err := d.countChunks(ctx, view); err != nil {
		return nil, err
	}
	d.countBytes(info)
	return d, nil
}

// countBytes computes the live and dead bytes.
func (d *description) countBytes(info frame.Info) {
	if d.Layout != "contiguous" {
		d.Live = d.CBytes
		return
	}
	d.Tail = max(0, d.FileBytes-info.FrameLen)
	switch {
	case info.Live >= 0:
		d.Live = info.Live
	case d.Counted < d.NumChunks || d.ChunkKinds[unreadable] > 0:
		d.Live = -1
		return
	}
	d.Live = min(d.Live, d.CBytes) // chunks of a hostile index share bytes
	d.Dead = d.CBytes - d.Live
}

// inBucketLayout is the layout of frames that were created in a bucket.
const inBucketLayout = "bucket"

const unreadable = "unreadable" // a kind of chunks

// maxCounted bounds the chunks that info examines, since each may cost a read and a frame can have
// hundreds of millions. A run of special chunks counts once. In a bucket, each costs a request.
const (
	maxCounted         = 1_000_000
	maxCountedInBucket = 100
)

// countChunks counts the kinds of chunks, including chunks with a damaged header, the first of
// which it reports.
func (d *description) countChunks(ctx context.Context, view *frame.Frame) error {
	looked, most := 0, maxCounted
	if d.Layout == inBucketLayout {
		most = maxCountedInBucket
	}
	for i, run := 0, 0; i < view.NumChunks() && looked < most; i += run {
		if err := ctx.Err(); err != nil {
			return err
		}
		looked++
		run = view.Inside().SpecialRun(i)
		d.Counted += run
		info, err := view.Peek(i)
		if err != nil {
			if d.FirstFault == "" {
				d.FirstFault = err.Error()
			}
			d.ChunkKinds[unreadable] += run
			continue
		}
		d.Live += int64(info.CBytes)
		kind := info.Kind.String()
		if info.Header.Memcpyed() {
			kind = "stored"
		}
		d.ChunkKinds[kind] += run
		if kind == chunk.SpecialNone.String() {
			d.ChunkCodecs[codecName(info.Header.Codec)]++
		}
	}
	return nil
}

// arrayMetadata names the layout of the metalayer that makes the frame an array.
func arrayMetadata(view *frame.Frame) string {
	for _, name := range []string{meta.LayerB2ND, meta.LayerCaterva} {
		if content, err := view.Layer(name); err == nil {
			if m, err := meta.ParseB2ND(content); err == nil {
				return m.Variant.String()
			}
		}
	}
	return "unknown"
}

// maxDescribed bounds the memory of all metalayer values that are shown. Of the others, only the
// size is shown.
const maxDescribed = int64(16 << 20)

func describeLayer(l meta.Layer, budget *int64) layer {
	d := layer{Name: l.Name, Size: len(l.Content)}
	if l.Name == meta.LayerB2ND || l.Name == meta.LayerCaterva {
		return d // shown as the geometry
	}
	if v, err := meta.UnpackWithin(l.Content, budget); err == nil {
		d.Value = item.Meta(v)
	}
	return d
}

// filterNamesOf lists the filters in use, in the order in which they run.
func filterNamesOf(filters []shuffle.Spec) []string {
	names := []string{}
	for _, f := range filters {
		if f.ID != shuffle.IDNone {
			names = append(names, f.String())
		}
	}
	return names
}
