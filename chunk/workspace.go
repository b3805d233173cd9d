package chunk

import (
	"slices"
	"sync"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// workspace is the memory of one worker while it is at a chunk. Whoever takes it next finds old
// bytes in it, which mean nothing.
type workspace struct {
	scratch  shuffle.Scratch
	block    []byte          // the block at hand, where the caller has no place for it
	first    []byte          // block 0 of a chunk that is encoded, likewise
	ref      shuffle.Scratch // memory for the delta reference
	encoders []madeEncoder
	decoders []madeDecoder
}

type madeEncoder struct {
	id, meta, level uint8
	typeSize        int
	shape           []int32
	encoder         codecs.Encoder
}

type madeDecoder struct {
	id, meta uint8
	typeSize int     // of a shaped codec, else 0
	shape    []int32 // likewise
	decoder  codecs.Decoder
}

// mostCodecs is how many encoders, and how many decoders, a workspace keeps.
const mostCodecs = 6

// workspaces holds those of idle encoders and decoders, so that short-lived ones need not clear new
// memory (docs/decisions/0006-pooled-workspaces.md).
var workspaces sync.Pool // of *workspace

// desk is a worker's access to a workspace. A chunk at a time it has one that is shared, unless
// filters or codecs of the caller's take part: what those do with memory that they were shown
// before is nobody else's business.
type desk struct {
	own   bool
	space *workspace
}

// sit makes sure that there is a workspace.
func (d *desk) sit() *workspace {
	if d.space == nil && !d.own {
		d.space, _ = workspaces.Get().(*workspace)
	}
	if d.space == nil {
		d.space = &workspace{}
	}
	return d.space
}

// leave gives the workspace back. Nothing may refer to its memory any more.
func (d *desk) leave() {
	if d.space != nil && !d.own {
		workspaces.Put(d.space)
		d.space = nil
	}
}

// abandon is leave after a panic: nobody gets the workspace again.
func (d *desk) abandon() { d.space = nil }

// encoder returns an encoder for a codec with the given parameters.
func (s *workspace) encoder(row *codecs.Row, p codecs.Params) (codecs.Encoder, error) {
	for i := range s.encoders {
		if m := &s.encoders[i]; m.id == row.ID && m.meta == p.Meta && int(m.level) == p.Level && m.typeSize == p.TypeSize && slices.Equal(m.shape, p.BlockShape) {
			return m.encoder, nil
		}
	}
	e, err := row.NewEncoder(p)
	if err != nil {
		return nil, err
	}
	if len(s.encoders) == mostCodecs {
		s.encoders = slices.Delete(s.encoders, 0, 1)
	}
	s.encoders = append(s.encoders, madeEncoder{row.ID, p.Meta, uint8(p.Level), p.TypeSize, slices.Clone(p.BlockShape), e})
	return e, nil
}

// decoder returns a decoder for a codec.
func (s *workspace) decoder(row *codecs.Row, p codecs.Params) (codecs.Decoder, error) {
	typeSize := 0
	if row.Shaped {
		typeSize = p.TypeSize
	}
	for i := range s.decoders {
		if m := &s.decoders[i]; m.id == row.ID && m.meta == p.Meta && m.typeSize == typeSize && slices.Equal(m.shape, p.BlockShape) {
			return m.decoder, nil
		}
	}
	d, err := row.NewDecoder(p)
	if err != nil {
		return nil, err
	}
	if len(s.decoders) == mostCodecs {
		s.decoders = slices.Delete(s.decoders, 0, 1)
	}
	s.decoders = append(s.decoders, madeDecoder{row.ID, p.Meta, typeSize, slices.Clone(p.BlockShape), d})
	return d, nil
}
