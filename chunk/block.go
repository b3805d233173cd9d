package chunk

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/asm/byteshuffle"
	"github.com/cairn-go/cairn/internal/filterchain"
	"github.com/cairn-go/cairn/shuffle"
)

// This file contains the pipeline of one block: filters, then the codec for each stream, and the
// reverse.

// errTooLarge means that the blocks would be larger than the data. It never leaves the package.
var errTooLarge = errors.New("larger than the data")

const runToken = 0x01 // follows a negative stream size: the stream is a run of one byte value

// blockEncoder encodes blocks for one worker.
type blockEncoder struct {
	borrowedSpace
	chain  filterchain.Chain
	ctx    shuffle.Context
	row    *codecs.Row // nil if nothing will be compressed
	params codecs.Params
	codec  codecs.Encoder // of the current chunk
	noRuns bool           // Blosc1 has no run streams
	stored int            // streams of the current chunk that a lossy codec left as they were
}

func newBlockEncoder(o *Options, row codecs.Row, pipeline shuffle.Pipeline) (*blockEncoder, error) {
	w := &blockEncoder{noRuns: o.Blosc1 || o.ZarrBlocks}

	w.ctx = shuffle.Context{BlockShape: o.BlockShape,
		FrameTypeSize: cmp.Or(o.FrameTypeSize, o.resolvedTypeSize()), Exact: o.Exact}
	if o.Blosc1 {
		w.ctx.Version = versionBlosc1
	}

	if err := w.chain.Set(pipeline, o.Engine.Filters); err != nil {
		return nil, err
	}
	w.private = o.Codecs != nil || o.Engine.Filters != nil

	if o.ResolvedLevel() > 0 {
		w.row = &row
		w.params = codecs.Params{Level: o.ResolvedLevel(), Meta: o.Codec.Parameter(),
			TypeSize: chunkTypeSize(o.resolvedTypeSize()), Exact: o.Exact}
		if row.Shaped {
			w.params.BlockShape = o.BlockShape
		}
	}

	defer w.release(true)
	// This checks that the codec and the filters accept their parameters.
	if err := w.begin(chunkTypeSize(o.resolvedTypeSize())); err != nil {
		return w, err
	}
	if err := w.chain.Validate(&w.ctx); err != nil {
		return w, fmt.Errorf("chunk options: Filters: %w", err)
	}

	return w, nil
}

// begin prepares the worker for a chunk. typeSize is the typesize that filters see.
func (w *blockEncoder) begin(typeSize int) error {
	w.ctx.TypeSize = typeSize
	space := w.acquire()
	if w.row == nil {
		return nil
	}
	var err error
	w.codec, err = space.encoder(w.row, w.params)
	return err
}

// release returns the workspace, and with it the codec, to the pool.
func (w *blockEncoder) release(done bool) {
	w.codec = nil
	w.borrowedSpace.release(done)
}

// encode appends the streams of a block to out, which has room for the worst case.
func (w *blockEncoder) encode(out, block []byte, p plan, ref []byte) ([]byte, error) {
	filtered, rows, pitch, err := w.filter(block, p, ref)
	if err != nil {
		return out, err
	}
	if p.layout.cuts != nil {
		// Append a filtered block: its size and its stream, which is raw if the codec does
		// not make it shorter.
		row := filtered[:len(block)]
		out = binary.LittleEndian.AppendUint32(out, uint32(len(row)))
		body := len(out)
		size := 0
		if w.row != nil {
			var err error
			if size, err = w.codec.Encode(out[body:body+len(row)-1], row); err != nil {
				return out, err
			}
		}
		if size == 0 {
			return append(out, row...), nil
		}
		return out[:body+size], nil
	}

	n := len(block) / rows
	out = out[:len(out)+p.lead] // see Encoder.wrapBlocks
	for k := range rows {
		if out, err = w.appendStream(out, filtered[k*pitch:k*pitch+n]); err != nil {
			return out, err
		}
	}
	return out, nil
}

// filter returns a block as the codec's input: that many rows, each beginning pitch bytes after the
// previous one.
func (w *blockEncoder) filter(block []byte, p plan, ref []byte) (filtered []byte, rows, pitch int, err error) {
	rows = 1
	if p.splitsBlock(len(block)) {
		rows = p.typeSize
	}
	w.ctx.Ref = ref
	filtered, pitch, err = w.chain.Forward(&w.space.scratch, block, rows, &w.ctx)
	return filtered, rows, pitch, err
}

// appendStream appends one stream: its size and its bytes.
func (w *blockEncoder) appendStream(out, row []byte) ([]byte, error) {
	if !w.noRuns && repeats(row, 1) {
		if row[0] == 0 {
			return binary.LittleEndian.AppendUint32(out, 0), nil
		}
		return append(binary.LittleEndian.AppendUint32(out, uint32(-int32(row[0]))), runToken), nil
	}

	at := len(out)
	body := at + 4
	// A codec result of the same length as the data would be taken for raw bytes, so the codec gets
	// one byte less.
	size := 0
	if w.codec != nil {
		var err error
		if size, err = w.codec.Encode(out[body:body+len(row)-1], row); err != nil {
			return out, err
		}
	}

	out = out[:body+size]
	if size == 0 {
		size = len(row)
		out = append(out, row...)
		if w.row != nil && w.row.Lossy {
			w.stored++
		}
	}
	binary.LittleEndian.PutUint32(out[at:], uint32(size))
	return out, nil
}

// blockDecoder decodes blocks for one worker.
type blockDecoder struct {
	borrowedSpace
	chain filterchain.Chain
	ctx   shuffle.Context
	codec codecs.Decoder // of the current chunk
	item  []byte         // the item of a special chunk
	// the streams of the current block, in the workspace or in the chunk
	planes [byteshuffle.MaxPlanes][]byte
}

// decode fills dst with the block whose streams begin at src[at:].
func (w *blockDecoder) decode(dst, src []byte, at, block, rows int, ref []byte) error {
	return w.decodeItems(dst, src, at, block, rows, 0, len(dst)/rows, ref)
}

// decodeItems is decode for the items [lo, hi) of a block. Each of the rows streams has one byte
// per item. Streams are decoded only up to hi if the codec can stop there; of raw streams only that
// range is copied.
func (w *blockDecoder) decodeItems(dst, src []byte, at, block, rows, lo, hi int, ref []byte) error {
	if len(dst) < rows || len(dst)%rows != 0 {
		return corruptBlock(at, block, "%d bytes cannot be split into %d streams", len(dst), rows)
	}
	if w.interleaves(len(dst), rows, hi-lo) {
		planes, err := w.readPlanes(dst, src, at, block, rows, lo, hi)
		if err != nil {
			return err
		}

		w.interleave(dst, planes, lo, hi)
		return nil
	}

	in, pitch := w.chain.Input(&w.space.scratch, dst, rows)
	n := len(dst) / rows
	for k := range rows {
		row := in[k*pitch : k*pitch+n]
		stream, next, err := w.readStream(row, lo, hi, src, at, block)
		if err != nil {
			return err
		}
		if &stream[0] != &row[0] {
			copy(row[lo:hi], stream[lo:])
		}
		at = next
	}

	w.ctx.Ref = ref
	if err := w.chain.Backward(dst[lo*rows:hi*rows], &w.space.scratch, in[lo:], pitch, rows, &w.ctx); err != nil {
		return wrapBlock(at, block, "filters", err)
	}
	return nil
}

// interleaves reports whether decodeItems would only interleave the streams, by a kernel. They are
// then planes, which need not be copied.
func (w *blockDecoder) interleaves(size, rows, items int) bool {
	return items >= byteshuffle.RowItems && byteshuffle.HasRows(rows) && w.chain.Sliceable(size, rows, &w.ctx)
}

// readPlanes decodes the streams of a block like decodeItems, but does not interleave them. They
// are valid until the next block.
func (w *blockDecoder) readPlanes(dst, src []byte, at, block, rows, lo, hi int) ([][]byte, error) {
	in, pitch := w.chain.Input(&w.space.scratch, dst, rows)
	n := len(dst) / rows
	for k := range rows {
		var err error
		if w.planes[k], at, err = w.readStream(in[k*pitch:k*pitch+n], lo, hi, src, at, block); err != nil {
			return nil, err
		}
	}
	return w.planes[:rows], nil
}

// interleave restores the items [lo, hi) of a block from its planes.
func (w *blockDecoder) interleave(dst []byte, planes [][]byte, lo, hi int) {
	byteshuffle.InterleaveRows(dst, lo*len(planes), planes, lo, byteshuffle.Rows{Items: hi - lo, Count: 1})
}

// readStream decodes the stream at src[at:] into row[lo:hi], and possibly more of row. It returns
// row, or the part of src that holds the same bytes, and the offset of the next stream.
func (w *blockDecoder) readStream(row []byte, lo, hi int, src []byte, at, block int) ([]byte, int, error) {
	if len(src)-at < 4 {
		return nil, 0, corruptBlock(at, block, "the chunk ends within a stream size")
	}
	size := int64(int32(binary.LittleEndian.Uint32(src[at:])))
	body := at + 4
	switch {
	case size == 0:
		clear(row[lo:hi])
		return row, body, nil
	case size < 0:
		if size < -255 || len(src) == body || src[body]&runToken == 0 {
			return nil, 0, corruptBlock(at, block, "stream size %d without a valid run token", size)
		}
		fill(row[lo:hi], byte(-size))
		return row, body + 1, nil
	case size > int64(len(src)-body):
		return nil, 0, corruptBlock(at, block, "a stream of %d bytes, the chunk has only %d left", size, len(src)-body)
	}

	end := body + int(size)
	var err error
	switch {
	case int(size) == len(row):
		return src[body:end], end, nil
	case lo > 0 || hi < len(row):
		err = w.decodePart(row, lo, hi, src[body:end])
	default:
		err = w.codec.Decode(row, src[body:end])
	}

	if err != nil {
		return nil, 0, wrapBlock(body, block, "stream", err)
	}
	return row, end, nil
}

// fill sets every byte of b to v.
func fill(b []byte, v byte) {
	if v == 0 {
		clear(b)
		return
	}
	pattern(b, []byte{v}, 0)
}

// pattern fills b with repetitions of value, beginning at value[phase].
func pattern(b, value []byte, phase int) {
	n := copy(b, value[phase:])
	n += copy(b[n:], value[:phase])
	for n < len(b) && n > 0 {
		n += copy(b[n:], b[:n])
	}
}

// equalBytes reports whether all bytes of b are v.
func equalBytes(b []byte, v byte) bool {
	return len(b) == 0 || b[0] == v && bytes.Equal(b[1:], b[:len(b)-1])
}
