package chunk

import "context"

// cancelable is the context that cancels the work on a chunk, or nil.
type cancelable struct{ ctx context.Context }

// err returns the context's error, or nil to continue.
func (w cancelable) err() error {
	if w.ctx == nil {
		return nil
	}
	return w.ctx.Err()
}

func (w cancelable) context() context.Context {
	if w.ctx == nil {
		return context.Background()
	}
	return w.ctx
}

// Watch makes decoding stop between blocks with the error of ctx when ctx is done. It applies to
// all chunks until the next call of Watch; the initial context is [context.Background]. Chunks that
// need no codec are not interrupted.
func (d *Decoder) Watch(ctx context.Context) { d.watched.ctx = ctx }

// Watch makes encoding stop between blocks, with an error that matches that of ctx, when ctx is
// done. It applies to all chunks until the next call of Watch; the initial context is
// [context.Background].
func (e *Encoder) Watch(ctx context.Context) { e.watched.ctx = ctx }
