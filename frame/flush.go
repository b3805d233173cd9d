package frame

import "context"

// FlushFirst has Commit, Compact, Atomically, Rollback, RollbackTo, Bytes and Close call flush
// before they begin, and fail if it does: for whoever keeps changes in memory that belong to what
// is staged, as arrays do. flush may change the frame, and is not called when the frame is closed.
// FlushFirst must be called before others use the frame.
func (f *Frame) FlushFirst(flush func(ctx context.Context) error) { f.flush = flush }

// flushFirst calls the function of FlushFirst. The caller must not hold a lock.
func (f *Frame) flushFirst(ctx context.Context) error {
	if f.flush == nil || f.env.closed.Load() {
		return nil
	}
	return f.flush(ctx)
}
