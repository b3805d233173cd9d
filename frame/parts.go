package frame

import (
	"bytes"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// readParts reads header and trailer of the frame at offset at of a file, and compares them with
// the commit record unless Verify is VerifyOff.
func readParts(file storage.File, at int64, e *env) (parts, error) {
	var p parts
	var err error
	if p.stamp, err = stampOf(file); err != nil {
		return p, err
	}
	size := p.stamp.size
	if at > size {
		return p, fmt.Errorf("offset %d of %d bytes: %w", at, size, cairn.ErrBounds)
	}
	size -= at
	err = p.read(file, at, size, e.engine.Limits)
	if e.verify == VerifyOff || p.head.Generation != format.Current {
		return p, err
	}
	return p, p.prove(file, at, size, e.engine.Limits, err)
}

// read reads header and trailer of the frame at offset at, which has size bytes at most.
func (p *parts) read(file storage.File, at, size int64, limits cairn.Limits) error {
	// Nearly every header fits into one read of this size.
	b, err := wire.ReadFull(file, nil, at, min(size, 1024))
	if err != nil {
		return wire.Missing(err, format.LayerHeader, at)
	}
	if p.head, err = format.ParseHeader(b, size); err != nil {
		return wire.Moved(err, at)
	}

	if n := p.head.HeaderLen; n > limits.MaxHeader {
		return fmt.Errorf("header of %d bytes: %w: MaxHeader is %d", n, cairn.ErrLimit, limits.MaxHeader)
	} else if n > int64(len(b)) {
		if b, err = wire.ReadFull(file, b, at, n); err != nil {
			return wire.Missing(err, format.LayerHeader, at)
		}
	}

	p.rawHeader = b[:p.head.HeaderLen]
	if p.head.LayersAt > 0 {
		if p.layers, err = metalist.ParseHeader(p.rawHeader, p.head.LayersAt); err != nil {
			return wire.Moved(err, at)
		}
	}
	p.layers = cloneLayers(p.layers)
	return p.readTrailer(file, at, limits)
}

// draft makes a state of the parts and a source, without an index.
func (p *parts) draft(e *env, src source) *draft {
	e.typeSize = int(p.head.TypeSize)
	e.oldBits = p.head.Generation.OldBitshuffle()
	e.shape = blockShape(p.layers)
	e.zarrBlocks = hasZarrBlocks(p.layers)
	v := &draft{state{
		env: e, source: src, head: p.head, layers: p.layers, vl: p.vl, cover: p.cover,
		live: unknownLive, mark: p.mark(),
	}}
	if p.record != nil && p.record.Live <= p.head.CBytes {
		v.live = p.record.Live
	}
	return v
}

// blockShape returns the shape of blocks from the b2nd metalayer, which some filters need, or nil.
func blockShape(layers []meta.Layer) []int32 {
	if b := arrayGeometry(layers); b != nil {
		return b.BlockShape
	}
	return nil
}

// hasZarrBlocks reports whether new chunks have the form that chunk.Options.ZarrBlocks makes.
func hasZarrBlocks(layers []meta.Layer) bool { return layerNamed(layers, meta.LayerZarrBlocks) >= 0 }

// readState reads the newest state of the frame at an offset of a file, or, with dir, of the index
// file of a sparse frame.
func readState(file storage.File, e *env, at int64, dir *sparse) (*state, error) {
	p, err := readParts(file, at, e)
	if err != nil {
		return nil, notForeign(file, at, err)
	}
	h := &p.head
	var src source = dir
	switch {
	case dir != nil && !h.Sparse():
		return nil, cairn.Corruptf(format.LayerHeader, format.AtFrameType,
			"frame type %d in the index of a sparse frame", h.FrameType)
	case dir == nil && h.Sparse():
		return nil, fmt.Errorf("this is the index of a sparse frame: open its directory: %w", cairn.ErrUnsupported)
	case h.FrameType > format.TypeSparse:
		return nil, cairn.Corruptf(format.LayerHeader, at+format.AtFrameType,
			"frame type %d does not exist", h.FrameType)
	case dir == nil:
		src = newContiguous(file, at+h.HeaderLen)
	}

	v := p.draft(e, src)
	if h.NBytes == 0 {
		v.head.CBytes = 0 // an empty frame has no index, and its CBytes may be outdated
	}
	if dir != nil {
		v.live = v.head.CBytes
	}

	switch {
	case h.NBytes == 0:
		return &v.state, nil
	case dir == nil && h.CBytes > p.trailerStart-h.HeaderLen:
		return nil, cairn.Corruptf(format.LayerHeader, at+format.AtCBytes,
			"%d bytes of chunks do not fit between the header and the trailer", h.CBytes)
	}
	_, err = v.readIndex(file, at+h.IndexAt(), at+p.trailerStart, p.record)
	return &v.state, err
}

// indexGuess is how much is read of an index of unknown length at first.
const indexGuess = 1 << 20

// readIndex reads the index that begins at from and ends at or before to, and compares it with the
// record r unless that is nil. It returns its encoded size.
func (v *draft) readIndex(file storage.File, from, to int64, r *format.Record) (int64, error) {
	fail := func(err error) (int64, error) { return 0, wire.Moved(err, from) }
	// Without a record, the index nearly always ends where the trailer begins.
	n := min(indexGuess, to-from)
	if r != nil {
		if n = int64(r.IndexLen); n > to-from {
			return fail(cairn.Corruptf(index.Layer, 0, "%d bytes were committed, but the trailer begins after %d",
				n, to-from))
		}
		if limit := v.env.engine.Limits.MaxIndex; n > limit+chunk.HeaderSize {
			return 0, fmt.Errorf("index of %d bytes: %w: MaxIndex is %d", n, cairn.ErrLimit, limit)
		}
	}

	head, err := wire.ReadFull(file, nil, from, n)
	if err != nil {
		return 0, wire.Missing(err, index.Layer, from)
	}
	if r != nil {
		// Compare before anything in it is used.
		if err := format.Compare(head, r.IndexSum, index.Layer, from); err != nil {
			return 0, err
		}
	}

	h, err := index.ParseHeader(head)
	if err != nil {
		return fail(err)
	}
	if int64(h.CBytes) > to-from {
		return fail(cairn.Corruptf(index.Layer, 12, "%d bytes are stated, but the trailer begins after %d",
			h.CBytes, to-from))
	}

	n = int64(h.NBytes) / index.EntrySize
	if size := int64(v.head.ChunkSize); size > 0 && n < (v.head.NBytes-1)/size+1 {
		return fail(cairn.Corruptf(index.Layer, 4, "%d entries, but %d bytes in chunks of %d need more",
			n, v.head.NBytes, size))
	}

	if n > v.env.engine.Limits.MaxIndex/index.EntrySize {
		return 0, fmt.Errorf("index of %d entries: %w: MaxIndex is %d bytes",
			n, cairn.ErrLimit, v.env.engine.Limits.MaxIndex)
	}
	raw := head
	if int64(len(raw)) < int64(h.CBytes) {
		if raw, err = wire.ReadFull(file, head, from, int64(h.CBytes)); err != nil {
			return 0, wire.Missing(err, index.Layer, from)
		}
	}

	raw = raw[:h.CBytes]
	v.index, err = index.Decode(raw, from, v.env.indexLimits(), entryCheck(v.source, v.head.CBytes))
	return int64(h.CBytes), wire.Moved(err, from)
}

// entryCheck returns the function that validates the entries of an index.
func entryCheck(src source, extent int64) index.Check {
	checker, checks := src.(entryChecker)
	return func(i int, entry int64) error {
		if entry < 0 {
			_, err := index.Kind(entry)
			return cairn.InChunk(err, int64(i), -1)
		}
		if !checks {
			return nil
		}
		if err := checker.check(entry, extent); err != nil {
			return cairn.InChunk(err, int64(i), -1)
		}
		return nil
	}
}

func (p *parts) mark() *mark {
	if p.rawHeader == nil {
		return nil // a frame that was not read from a file
	}
	m := &mark{header: p.rawHeader, end: p.head.FrameLen, trailer: p.rawTrailer, foreign: true, stamp: p.stamp}
	if len(m.header) > format.AtWitness && m.header[format.AtWitness] == format.Witness &&
		len(m.trailer) > format.PointerSize {
		_, _, _, ok := format.ParsePointer(m.trailer)
		m.foreign = !ok
	}
	if !m.foreign {
		m.trailer = bytes.Clone(m.trailer[len(m.trailer)-format.PointerSize:])
	}
	return m
}

// arrayGeometry returns the geometry of an array from its metalayers, or nil.
func arrayGeometry(layers []meta.Layer) *meta.B2ND {
	for _, name := range []string{meta.LayerB2ND, meta.LayerCaterva} {
		if i := layerNamed(layers, name); i >= 0 {
			if b, err := meta.ParseB2ND(layers[i].Content); err == nil {
				return b
			}
		}
	}
	return nil
}
