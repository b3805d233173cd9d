package main

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn/internal/test/dense"
	"github.com/cairn-go/cairn/ndarray"
)

// apply applies a step to the array, and remembers whether it failed.
func (s *subject) apply(st *step) result {
	r := s.run(context.Background(), st)
	s.failed = s.failed || r.err != nil
	return r
}

func (s *subject) run(ctx context.Context, st *step) result {
	switch st.Do {
	case doRead:
		selectors := selectors(st.Key)
		sel := s.u.Slice(selectors...)
		if err := sel.Err(); err != nil {
			return result{err: err}
		}
		data, err := s.u.Read(ctx, selectors...)
		return result{shape: sel.Shape(), data: data, err: err}
	case doWrite, doFill:
		return result{err: s.write(ctx, st)}
	case doAtomically:
		return result{err: s.atomically(ctx, st)}
	case doPoints, doScatter, doMask, doPaint, doView, doThrough:
		return s.visit(ctx, st)
	case doConcat:
		return result{err: s.join(ctx, st)}
	case doResize, doAppend, doInsert, doDelete:
		return result{err: s.reshape(ctx, st)}
	case doCopy:
		return result{err: s.copyTo(ctx, st)}
	case doSnapshot:
		v, err := s.u.Snapshot(ctx)
		if err != nil {
			return result{err: err}
		}

		s.snapshots = append(s.snapshots, v)
		return result{err: err}
	}

	return result{err: s.life(ctx, st)}
}

// life applies a step that changes no item, such as a commit.
func (s *subject) life(ctx context.Context, st *step) error {
	switch st.Do {
	case doCommit:
		return s.commit()
	case doRollback:
		return s.u.Rollback()
	case doCompact:
		if _, err := s.u.Compact(ctx); err != nil {
			return err
		}
		return s.remember()
	case doReopen:
		return s.reopen()
	case doKill:
		return s.again(s.u.Abort)
	}
	return fmt.Errorf("no such step: %s", st.Do)
}

func (s *subject) atomically(ctx context.Context, st *step) error {
	err := s.u.Atomically(ctx, func() error {
		for i := range st.Steps {
			if r := s.apply(&st.Steps[i]); r.err != nil {
				return r.err
			}
		}
		if st.Fail {
			return errFailed
		}
		return nil
	})
	if err != nil {
		return err
	}

	return s.remember()
}

func (s *subject) reshape(ctx context.Context, st *step) error {
	switch st.Do {
	case doResize:
		o := &ndarray.ResizeOptions{}
		if s.Fill != nil {
			o.Fill = s.Fill
		}
		return s.u.Resize(ctx, st.Shape, o)
	case doDelete:
		return s.u.Delete(ctx, st.Axis, st.At, st.To)
	case doInsert:
		return s.u.Insert(ctx, st.Axis, st.At, s.slab(st, st.To))
	}
	return s.u.Append(ctx, st.Axis, s.slab(st, st.At))
}

// slab returns the data of n more items along the axis of a step.
func (s *subject) slab(st *step, n int64) []byte {
	return noise(st.Seed, st.volume(&dense.Array{Shape: s.u.Shape(), Size: s.Size}, n))
}

// copyTo replaces the array by a copy with other chunks and blocks.
func (s *subject) copyTo(ctx context.Context, st *step) error {
	o := &ndarray.CopyOptions{ChunkShape: st.Chunks, BlockShape: st.Blocks, Workers: s.Workers, FS: s.fs}
	if st.Chunks == nil {
		o.AutoShapes = true
	}
	return s.copied(ctx, s.u, o)
}

// copied replaces the array by a copy of a source.
func (s *subject) copied(ctx context.Context, src ndarray.Source, o *ndarray.CopyOptions) error {
	path := s.next()
	if path == "" {
		u, err := ndarray.Copy(ctx, src, o)
		if err != nil {
			return err
		}
		return s.replace(u, path)
	}
	if err := ndarray.Save(ctx, path, src, o); err != nil {
		return err
	}
	u, err := ndarray.Open(path, s.openOptions())
	if err != nil {
		return err
	}
	return s.replace(u, path)
}

func (s *subject) write(ctx context.Context, st *step) error {
	selectors := selectors(st.Key)
	if st.Do == doFill {
		return s.u.Fill(ctx, noise(st.Seed, s.Size), selectors...)
	}
	sel := s.u.Slice(selectors...)
	if err := sel.Err(); err != nil {
		return err
	}
	return s.u.Write(ctx, noise(st.Seed, int(sel.Len())*s.Size), selectors...)
}

func readAll(u *ndarray.Untyped) ([]byte, error) {
	return u.Read(context.Background())
}
