package frame

import "context"

// flushFirst calls what [inside.Stage.FlushFirst] was given. The caller must not hold a lock.
func (f *Frame) flushFirst(ctx context.Context) error {
	if f.flush == nil || f.env.closed.Load() {
		return nil
	}
	return f.flush(ctx)
}
