package ndarray

import (
	"context"

	"github.com/cairn-go/cairn/chunk"
)

// engines are a worker's decoders and encoders, made when first needed: one for each number of goroutines that may work on the blocks of one
// chunk, less one. It is 1 where other workers have the other CPUs, and more where there are fewer chunks than CPUs.
type engines struct {
	dec []*chunk.Decoder
	enc []*chunk.Encoder
}

// ready selects the engines for a call: blocks is how many blocks of a chunk may be worked on at a time.
func (w *worker) ready(ctx context.Context, u *Untyped, blocks int, write bool) error {
	for len(w.engines.dec) < blocks {
		w.engines.dec, w.engines.enc = append(w.engines.dec, nil), append(w.engines.enc, nil)
	}
	dec, enc := &w.engines.dec[blocks-1], &w.engines.enc[blocks-1]
	if *dec == nil {
		o := u.decode
		o.Workers = blocks
		*dec = chunk.NewDecoder(&o)
	}
	if write && *enc == nil {
		o := u.encode
		o.Workers = blocks
		var err error
		if *enc, err = chunk.NewEncoder(&o); err != nil {
			return err
		}
	}
	w.dec, w.enc, w.total = *dec, *enc, u.total
	w.watch(ctx)
	return nil
}

// watch makes the engines at hand end early with ctx, never if that is nil.
func (w *worker) watch(ctx context.Context) {
	if w.dec != nil {
		w.dec.Watch(ctx)
	}
	if w.enc != nil {
		w.enc.Watch(ctx)
	}
}
