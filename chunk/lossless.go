package chunk

import (
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// A lossy codec returns no stream for a block whose items it would destroy, and such blocks are
// stored as they are. If a chunk has some, it is also encoded without loss, by a codec that
// compresses them, and the smaller of both chunks is kept. Every chunk has its codec and filters in
// its header, so that readers notice nothing.

// storedStreams returns the number of streams of the current chunk that a lossy codec left as they
// were.
func (e *Encoder) storedStreams() int {
	n := 0
	for _, w := range e.workers {
		n += w.stored
	}
	return n
}

// withoutLoss returns the encoder for chunks that the codec would destroy.
func (e *Encoder) withoutLoss(p plan) (*Encoder, error) {
	if e.exact != nil {
		return e.exact, nil
	}

	o := e.opts
	o.Codec = codecs.Zstd
	o.Filters = []shuffle.Spec{shuffle.Byte}
	o.Dict = false
	o.BlockSize = p.layout.BlockSize

	var err error
	e.exact, err = NewEncoder(&o)
	return e.exact, err
}
