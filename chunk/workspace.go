package chunk

import (
	"slices"
	"sync"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/filterchain"
)

// workspace is the memory of one worker while it is at a chunk. Whoever takes it next finds old
// bytes in it, which mean nothing.
type workspace struct {
	scratch  filterchain.Scratch
	block    []byte              // the block at hand, where the caller has no place for it
	first    []byte              // block 0 of a chunk that is encoded, likewise
	ref      filterchain.Scratch // memory for the delta reference
	encoders []made[codecs.Encoder]
	decoders []made[codecs.Decoder]
}

// made is an encoder or decoder for a codec with some parameters.
type made[T any] struct {
	id     uint8
	params codecs.Params
	codec  T
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
	dict  dictUser // the codec at hand, while it has a dictionary
}

// A dictUser is a codec that can have a dictionary, nil for none.
type dictUser interface{ SetDict(dict []byte) error }

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

// leave gives the workspace back, with a codec that has forgotten the dictionary. Nothing may refer
// to its memory any more. done tells that the work has ended; after a panic a codec may be in the
// middle of something, and nobody gets the workspace again.
func (d *desk) leave(done bool) {
	if done && d.dict != nil {
		_ = d.dict.SetDict(nil) // which cannot fail
	}
	d.dict = nil
	switch {
	case !done:
		d.space = nil
	case d.space != nil && !d.own:
		workspaces.Put(d.space)
		d.space = nil
	}
}

// encoder returns an encoder for a codec with the given parameters.
func (s *workspace) encoder(row *codecs.Row, p codecs.Params) (codecs.Encoder, error) {
	return find(&s.encoders, row.ID, p, func() (codecs.Encoder, error) { return row.NewEncoder(p) })
}

// decoder returns a decoder for a codec.
func (s *workspace) decoder(row *codecs.Row, p codecs.Params) (codecs.Decoder, error) {
	key := p
	if !row.Shaped {
		key.TypeSize = 0 // which makes no difference
	}
	return find(&s.decoders, row.ID, key, func() (codecs.Decoder, error) { return row.NewDecoder(p) })
}

// find returns what was made for a codec with the given parameters, or makes it.
func find[T any](all *[]made[T], id uint8, p codecs.Params, create func() (T, error)) (T, error) {
	for i := range *all {
		m := &(*all)[i]
		if m.id == id && m.params.Meta == p.Meta && m.params.Level == p.Level &&
			m.params.TypeSize == p.TypeSize && slices.Equal(m.params.BlockShape, p.BlockShape) {
			return m.codec, nil
		}
	}
	codec, err := create()
	if err != nil {
		return codec, err
	}
	if len(*all) == mostCodecs {
		*all = slices.Delete(*all, 0, 1)
	}
	p.BlockShape = slices.Clone(p.BlockShape)
	*all = append(*all, made[T]{id, p, codec})
	return codec, nil
}
