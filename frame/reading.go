package frame

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn/meta"
)

// beginRead begins a read of the newest state, and endRead ends it. In between, nothing is swept.
func (r *reads) beginRead() *state {
	r.env.readers.Add(1)
	return r.cur.Load()
}

func (r *reads) endRead() { r.env.readers.Add(-1) }

// keep returns the newest state, whose chunks stay as long as it is referred to.
func (r *reads) keep() *state {
	defer r.endRead()
	v := r.beginRead()
	if r.liveStates != nil {
		r.liveStates.add(v)
	}
	return v
}

// snapshot returns the snapshot that shows v, always the same. It is made on demand, because most
// states of a frame that grows chunk by chunk are never read.
func (v *state) snapshot() *Snapshot {
	if v.shown.Load() == nil {
		v.shown.CompareAndSwap(nil, newSnapshot(v))
	}
	return v.shown.Load()
}

func newSnapshot(v *state) *Snapshot {
	s := &Snapshot{reads{env: v.env}}
	s.cur.Store(v)
	return s
}

// String describes the frame in one line: its path, its chunks and their encoding.
func (r *reads) String() string {
	i := r.Info()
	name := r.env.name
	switch {
	case name != "":
	case r.env.fixed:
		name = "reader"
	default:
		name = "memory"
	}
	return fmt.Sprintf("%s: frame of %d chunks, %d bytes in %d, typesize %d, %v level %d",
		name, i.NumChunks, i.NBytes, i.CBytes, i.TypeSize, i.Codec, i.Level)
}

// Bytes returns the state as a contiguous frame without dead bytes. The caller owns the result.
func (s *Snapshot) Bytes() ([]byte, error) { return s.cur.Load().bytes() }

// Verify verifies the newest state as the function [Verify] does.
func (r *reads) Verify(ctx context.Context) (Report, error) { return r.keep().verify(ctx, 1) }

// NumChunks returns the number of chunks.
func (r *reads) NumChunks() int { return r.cur.Load().index.Len() }

// NBytes returns the decoded size of all chunks together.
func (r *reads) NBytes() int64 { return r.cur.Load().head.NBytes }

// CBytes returns the stored size of all chunks. For a contiguous frame this includes dead bytes
// between chunks.
func (r *reads) CBytes() int64 { return r.cur.Load().head.CBytes }

// TypeSize returns the bytes per item, from the header of the frame.
func (r *reads) TypeSize() int { return int(r.cur.Load().head.TypeSize) }

// ChunkSize returns the decoded size of every chunk but the last: 0 if chunks have individual
// sizes, -1 if there is no chunk yet.
func (r *reads) ChunkSize() int { return int(r.cur.Load().head.ChunkSize) }

// BlockSize returns the decoded size of blocks of new chunks, 0 if each chunk chooses.
func (r *reads) BlockSize() int { return int(r.cur.Load().head.BlockSize) }

// Info describes the frame.
func (r *reads) Info() Info { return r.cur.Load().info() }

// Layers returns the fixed metalayers. The caller owns the result, contents included.
func (r *reads) Layers() []meta.Layer { return cloneLayers(r.cur.Load().layers) }

// Layer returns the content of a fixed metalayer, or ErrNotFound. The caller owns it.
func (r *reads) Layer(name string) ([]byte, error) { return r.cur.Load().layer(name) }

// VLNames returns the names of the metalayers of variable length, in their order.
func (r *reads) VLNames() []string {
	layers := r.cur.Load().vl
	names := make([]string, len(layers))
	for i, l := range layers {
		names[i] = l.Name
	}
	return names
}

// VL returns the value of a metalayer of variable length, of Limits.MaxMeta bytes at most, or
// ErrNotFound. The caller owns it.
func (r *reads) VL(name string) ([]byte, error) { return r.cur.Load().vlValue(name) }

// VLLayers returns all metalayers of variable length, decoded. The caller owns the result. Together
// they are bounded by Limits.MaxMeta.
func (r *reads) VLLayers() ([]meta.Layer, error) { return r.cur.Load().vlLayers() }

// Chunk describes chunk i. If it has a checksum, the first call reads the whole chunk, because its
// header has no separate checksum; Peek does not.
func (r *reads) Chunk(i int) (ChunkInfo, error) {
	defer r.endRead()
	return r.beginRead().chunkInfo(i, (*state).describe)
}

// Peek describes chunk i by its header, without comparing the chunk with its checksum.
func (r *reads) Peek(i int) (ChunkInfo, error) {
	defer r.endRead()
	return r.beginRead().chunkInfo(i, (*state).peek)
}

// EncodedChunk returns the encoded bytes of chunk i: in buf if they fit, in new memory, or as a
// view of the frame's own memory. The caller must not modify them. For a chunk that is only an
// index entry it returns an equivalent special chunk of 32 bytes.
func (r *reads) EncodedChunk(buf []byte, i int) ([]byte, error) {
	defer r.endRead()
	return r.beginRead().encodedChunk(buf, i)
}

// ReadChunk decodes chunk i into dst and returns its size. It fails with ErrBounds if dst is too
// small. After an error the contents of dst are undefined.
func (r *reads) ReadChunk(ctx context.Context, dst []byte, i int) (int, error) {
	defer r.endRead()
	return r.beginRead().decode(ctx, i, func(d *decoding, c []byte) (int, error) {
		return d.decoder.Decode(dst, c)
	})
}

// ReadItems decodes items [from, to) of chunk i into dst and returns their size in bytes. It
// decodes only the blocks that contain them.
func (r *reads) ReadItems(ctx context.Context, dst []byte, i, from, to int) (int, error) {
	defer r.endRead()
	return r.beginRead().decode(ctx, i, func(d *decoding, c []byte) (int, error) {
		return d.decoder.DecodeItems(dst, c, from, to)
	})
}

// BlockSizes returns the decoded sizes of the blocks of chunk i. It reads the chunk if its blocks
// have variable lengths.
func (r *reads) BlockSizes(i int) ([]int, error) {
	defer r.endRead()
	return r.beginRead().blockSizes(i)
}

// ReadBlock decodes block k of chunk i into dst and returns its size. It fails with ErrBounds if
// there is no such block or dst is too small. It reads at most the offset table, the dictionary and
// this block from a file, except that the first read of a chunk may read all of it for the
// checksum. After an error the contents of dst are undefined.
func (r *reads) ReadBlock(ctx context.Context, dst []byte, i, k int) (int, error) {
	defer r.endRead()
	return r.beginRead().readBlock(ctx, dst, i, k)
}
