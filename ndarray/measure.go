package ndarray

import (
	"context"
	"time"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
)

// What workers do to chunks, with the counters of Stats. Clocks are read per chunk, not per block, and counters are the worker's own until its call ends.

// leaseChunk fetches the bytes of the chunk at hand.
func (w *worker) leaseChunk(store *frame.Frame) ([]byte, error) {
	if store.Inside().Lends() {
		src, err := store.Inside().Lease(&w.lease, w.encoded, int(w.piece.Chunk))
		w.tally.BytesRead += int64(len(src))
		return src, err
	}
	began := time.Now()
	src, err := store.Inside().Lease(&w.lease, w.encoded, int(w.piece.Chunk))
	w.tally.ReadTime += time.Since(began)
	w.tally.BytesRead += int64(len(src))
	return src, err
}

// decodeBlocks decodes blocks of the chunk src, all of them if want is nil.
func (w *worker) decodeBlocks(h *chunk.Header, src []byte, want []bool, sink chunk.BlockSink) error {
	began := time.Now()
	err := w.dec.DecodeBlocks(src, want, sink)
	w.decoded(h, want, began)
	return err
}

// decodeWhole decodes all of the chunk src to dst.
func (w *worker) decodeWhole(h *chunk.Header, dst, src []byte) error {
	began := time.Now()
	_, err := w.dec.Decode(dst, src)
	w.decoded(h, nil, began)
	return err
}

// decodeStored decodes blocks of the chunk at hand, reading only their bytes.
func (w *worker) decodeStored(store *frame.Frame, info *frame.ChunkInfo, want []bool, sink chunk.BlockSink) error {
	began, before := time.Now(), w.dec.Fetched()
	err := store.Inside().DecodeBlocks(w.dec, int(w.piece.Chunk), info.Header, want, sink)
	w.decoded(&info.Header, want, began)
	w.tally.BytesRead += w.dec.Fetched() - before
	return err
}

// decoded counts the blocks of a chunk that were decoded.
func (w *worker) decoded(h *chunk.Header, want []bool, began time.Time) {
	t := &w.tally
	t.DecodeTime += time.Since(began)
	if h.Special() != chunk.SpecialNone {
		t.ChunksSpecial++
		return
	}
	all := int64(h.Layout().NumBlocks)
	n := all
	if want != nil {
		n = 0
		for _, wanted := range want {
			if wanted {
				n++
			}
		}
	}
	if n == 0 {
		return // whoever writes whole blocks needs none of the old ones
	}
	t.ChunksRead++
	t.BlocksDecoded += n
	t.BlocksSkipped += all - n
	t.BytesDecoded += min(n*int64(h.BlockSize), int64(h.NBytes))
}

// encodeBlocks appends a chunk of the blocks of src.
func (w *worker) encodeBlocks(u *Untyped, out []byte, src chunk.BlockSource) ([]byte, error) {
	began := time.Now()
	out, err := w.enc.AppendBlocks(out, int(u.part.ChunkSize), src)
	w.encodedOne(u, began)
	return out, err
}

// encodeRaw appends a chunk of the decoded one that the worker has in its memory.
func (w *worker) encodeRaw(u *Untyped, out []byte) ([]byte, error) {
	began := time.Now()
	out, err := w.enc.Append(out, w.raw)
	w.encodedOne(u, began)
	return out, err
}

func (w *worker) encodedOne(u *Untyped, began time.Time) {
	w.tally.EncodeTime += time.Since(began)
	w.tally.ChunksEncoded++
	w.tally.BytesEncoded += u.part.ChunkSize
}

// recode appends the chunk old with new blocks where changed is true, unless that is not possible.
func (w *worker) recode(u *Untyped, out, old []byte, changed []bool, src chunk.BlockSource) ([]byte, bool, error) {
	began := time.Now()
	out, ok, err := w.enc.Rewrite(out, old, changed, src)
	w.tally.EncodeTime += time.Since(began)
	if ok {
		w.tally.ChunksRecoded++
		for _, c := range changed {
			if c {
				w.tally.BytesEncoded += u.part.BlockSize
			}
		}
	}
	return out, ok, err
}

// stage puts the chunk that the worker has made into the frame.
func (w *worker) stage(ctx context.Context, u *Untyped, number int64) error {
	began := time.Now()
	err := u.frame.Inside().UpdateEncoded(ctx, int(number), w.out)
	w.tally.WriteTime += time.Since(began)
	if err == nil {
		w.tally.ChunksWritten++
		w.tally.BytesWritten += int64(len(w.out))
	}
	return err
}
