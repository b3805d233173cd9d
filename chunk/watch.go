package chunk

import "context"

// watched is the context that ends the work on a chunk early; nil for none.
type watched struct{ ctx context.Context }

// err returns why to go no further.
func (w watched) err() error {
	if w.ctx == nil {
		return nil
	}
	return w.ctx.Err()
}

func (w watched) context() context.Context {
	if w.ctx == nil {
		return context.Background()
	}
	return w.ctx
}

// Watch makes decoding end between blocks, with the error of ctx, when ctx has ended. It holds for
// all chunks until the next call; [context.Background], as in the beginning, never ends. Chunks
// that need no codec are decoded to their end.
func (d *Decoder) Watch(ctx context.Context) { d.watched.ctx = ctx }

// Watch makes encoding end between blocks, with an error that matches that of ctx, when ctx has
// ended. It holds for all chunks until the next call; [context.Background], as in the beginning,
// never ends.
func (e *Encoder) Watch(ctx context.Context) { e.watched.ctx = ctx }
