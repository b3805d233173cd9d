package chunk

import (
	"slices"
	"sync"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/filterchain"
)

// workspace is the memory that one worker uses for a chunk. It may contain stale bytes from earlier
// uses.
type workspace struct {
	scratch  filterchain.Scratch
	block    []byte              // the current block, if the caller has no place for it
	first    []byte              // block 0 of a chunk being encoded, likewise
	ref      filterchain.Scratch // memory for the delta reference
	lead     []byte              // decoded block 0 of a chunk being decoded, if delta needs it
	fetched  []byte              // the parts of a chunk that were read from a file
	filler   []byte              // a block of a special chunk being rewritten
	encoders []cachedCodec[codecs.Encoder]
	decoders []cachedCodec[codecs.Decoder]
}

// cachedCodec is an encoder or decoder that was created with the given parameters.
type cachedCodec[T any] struct {
	id     uint8
	params codecs.Params
	codec  T
}

// maxCodecs is the maximum number of encoders, and of decoders, in a workspace.
const maxCodecs = 6

// workspaces is the pool of idle workspaces, so that short-lived encoders and decoders need not
// clear new memory (docs/decisions/0006-pooled-workspaces.md).
var workspaces sync.Pool // of *workspace

// borrowedSpace is a worker's access to a workspace. It borrows one from the pool for each chunk.
// If custom codecs or filters are used, the workspace is not shared, because they might keep
// references to its memory.
type borrowedSpace struct {
	private bool
	space   *workspace
	dict    dictUser // the current codec if it has a dictionary
}

// A dictUser is a codec that accepts a dictionary; nil removes it.
type dictUser interface{ SetDict(dict []byte) error }

// acquire makes sure that there is a workspace.
func (d *borrowedSpace) acquire() *workspace {
	if d.space == nil && !d.private {
		d.space, _ = workspaces.Get().(*workspace)
	}
	if d.space == nil {
		d.space = &workspace{}
	}
	return d.space
}

// release returns the workspace to the pool after removing any dictionary from the codec. Nothing
// may refer to its memory afterwards. done is false after a panic: the workspace is then dropped,
// because a codec may be in an undefined state.
func (d *borrowedSpace) release(done bool) {
	if done && d.dict != nil {
		_ = d.dict.SetDict(nil) // cannot fail
	}
	d.dict = nil

	switch {
	case !done:
		d.space = nil
	case d.space != nil && !d.private:
		workspaces.Put(d.space)
		d.space = nil
	}
}

// encoder returns an encoder for a codec and parameters.
func (s *workspace) encoder(row *codecs.Row, p codecs.Params) (codecs.Encoder, error) {
	return find(&s.encoders, row.ID, p, func() (codecs.Encoder, error) { return row.NewEncoder(p) })
}

// decoder returns a decoder for a codec.
func (s *workspace) decoder(row *codecs.Row, p codecs.Params) (codecs.Decoder, error) {
	key := p
	if !row.Shaped {
		key.TypeSize = 0 // only shaped codecs use it
	}
	return find(&s.decoders, row.ID, key, func() (codecs.Decoder, error) { return row.NewDecoder(p) })
}

// find returns the existing codec for the parameters, or creates it.
func find[T any](all *[]cachedCodec[T], id uint8, p codecs.Params, create func() (T, error)) (T, error) {
	for i := range *all {
		m := &(*all)[i]
		if m.id == id && m.params.Meta == p.Meta && m.params.Level == p.Level &&
			m.params.TypeSize == p.TypeSize && slices.Equal(m.params.BlockShape, p.BlockShape) &&
			slices.Equal(m.params.Exact, p.Exact) {
			return m.codec, nil
		}
	}

	codec, err := create()
	if err != nil {
		return codec, err
	}
	if len(*all) == maxCodecs {
		*all = slices.Delete(*all, 0, 1)
	}

	p.BlockShape = slices.Clone(p.BlockShape)
	p.Exact = slices.Clone(p.Exact)
	*all = append(*all, cachedCodec[T]{id, p, codec})
	return codec, nil
}
