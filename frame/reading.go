package frame

import (
	"context"

	"github.com/cairn-go/cairn/meta"
)

// The methods of Frame read the newest state; a snapshot has only one. Code in this package calls
// methods of state.

// beginRead begins a read of the newest state, and endRead ends it. In between, nothing is swept.
func (f *Frame) beginRead() *state {
	f.env.readers.Add(1)
	return f.cur.Load()
}

func (f *Frame) endRead() { f.env.readers.Add(-1) }

// NumChunks returns the number of chunks.
func (f *Frame) NumChunks() int { return f.cur.Load().index.Len() }

// NBytes returns the decoded size of all chunks together.
func (f *Frame) NBytes() int64 { return f.cur.Load().head.NBytes }

// CBytes returns the stored size of all chunks. For a contiguous frame this includes dead bytes
// between chunks.
func (f *Frame) CBytes() int64 { return f.cur.Load().head.CBytes }

// TypeSize returns the bytes per item, from the header of the frame.
func (f *Frame) TypeSize() int { return int(f.cur.Load().head.TypeSize) }

// ChunkSize returns the decoded size of every chunk but the last: 0 if chunks have individual
// sizes, -1 if there is no chunk yet.
func (f *Frame) ChunkSize() int { return int(f.cur.Load().head.ChunkSize) }

// BlockSize returns the decoded size of blocks of new chunks, 0 if each chunk chooses.
func (f *Frame) BlockSize() int { return int(f.cur.Load().head.BlockSize) }

// Info describes the frame.
func (f *Frame) Info() Info { return f.cur.Load().info() }

// Layers returns the fixed metalayers. The caller owns the result, contents included.
func (f *Frame) Layers() []meta.Layer { return cloneLayers(f.cur.Load().layers) }

// Layer returns the content of a fixed metalayer, or ErrNotFound. The caller owns it.
func (f *Frame) Layer(name string) ([]byte, error) { return f.cur.Load().layer(name) }

// VLNames returns the names of the metalayers of variable length, in their order.
func (f *Frame) VLNames() []string {
	layers := f.cur.Load().vl
	names := make([]string, len(layers))
	for i, l := range layers {
		names[i] = l.Name
	}
	return names
}

// VL returns the value of a metalayer of variable length, of Limits.MaxMeta bytes at most, or
// ErrNotFound. The caller owns it.
func (f *Frame) VL(name string) ([]byte, error) { return f.cur.Load().vlValue(name) }

// VLLayers returns all metalayers of variable length, decoded. The caller owns the result. Together
// they are bounded by Limits.MaxMeta.
func (f *Frame) VLLayers() ([]meta.Layer, error) { return f.cur.Load().vlLayers() }

// Chunk describes chunk i. If it has a checksum, the first call reads the whole chunk, because its
// header has no separate checksum; Peek does not.
func (f *Frame) Chunk(i int) (ChunkInfo, error) {
	defer f.endRead()
	return f.beginRead().chunkInfo(i, (*state).describe)
}

// Peek describes chunk i by its header, without comparing the chunk with its checksum.
func (f *Frame) Peek(i int) (ChunkInfo, error) {
	defer f.endRead()
	return f.beginRead().chunkInfo(i, (*state).peek)
}

// EncodedChunk returns the encoded bytes of chunk i: in buf if they fit, in new memory, or as a
// view of the frame's own memory. The caller must not modify them. For a chunk that is only an
// index entry it returns an equivalent special chunk of 32 bytes.
func (f *Frame) EncodedChunk(buf []byte, i int) ([]byte, error) {
	defer f.endRead()
	return f.beginRead().encodedChunk(buf, i)
}

// ReadChunk decodes chunk i into dst and returns its size. It fails with ErrBounds if dst is too
// small. After an error the contents of dst are undefined.
func (f *Frame) ReadChunk(ctx context.Context, dst []byte, i int) (int, error) {
	defer f.endRead()
	return f.beginRead().decode(ctx, i, func(d *decoding, c []byte) (int, error) {
		return d.decoder.Decode(dst, c)
	})
}

// ReadItems decodes items [from, to) of chunk i into dst and returns their size in bytes. It
// decodes only the blocks that contain them.
func (f *Frame) ReadItems(ctx context.Context, dst []byte, i, from, to int) (int, error) {
	defer f.endRead()
	return f.beginRead().decode(ctx, i, func(d *decoding, c []byte) (int, error) {
		return d.decoder.DecodeItems(dst, c, from, to)
	})
}

// BlockSizes returns the decoded sizes of the blocks of chunk i. It reads the chunk if its blocks
// have variable lengths.
func (f *Frame) BlockSizes(i int) ([]int, error) {
	defer f.endRead()
	return f.beginRead().blockSizes(i)
}

// ReadBlock decodes block k of chunk i into dst and returns its size. It fails with ErrBounds if
// there is no such block or dst is too small. It reads at most the offset table, the dictionary and
// this block from a file, except that the first read of a chunk may read all of it for the
// checksum. After an error the contents of dst are undefined.
func (f *Frame) ReadBlock(ctx context.Context, dst []byte, i, k int) (int, error) {
	defer f.endRead()
	return f.beginRead().readBlock(ctx, dst, i, k)
}
