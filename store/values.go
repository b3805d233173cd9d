package store

import (
	"context"
	"fmt"
	"iter"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
)

// Values returns the objects of a leaf that is a batch, list or object array, in their order, as
// [meta.Unpack] gives them: numbers, texts, bytes, lists, maps, [meta.Tuple], and [meta.Ext] for
// what only Python makes an object of. A batch is not told apart from the next one. It ends with
// the first error. Batches that are Arrow's are an error matching [cairn.ErrUnsupported].
func (s *Store) Values(ctx context.Context, key string) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		l, err := s.Leaf(key)
		if err != nil {
			yield(nil, err)
			return
		}
		f, err := s.open(&l)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		err = s.values(ctx, f, func(v any) bool { return yield(v, nil) })
		if err != nil {
			yield(nil, s.fail("read", l.Key, err))
		}
	}
}

// values calls visit with each object until it returns false.
func (s *Store) values(ctx context.Context, f *frame.Frame, visit func(v any) bool) error {
	kind, err := KindOf(f)
	if err != nil {
		return err
	}
	switch kind {
	case Object:
	case Batch, List:
		if err := onlyMsgpack(f); err != nil {
			return err
		}
	default:
		return fmt.Errorf("a %s has no objects: %w", kind, cairn.ErrUnsupported)
	}
	limit := s.options.Limits.WithDefaults().MaxAlloc
	for i := range f.NumChunks() {
		var more bool
		if kind == Object {
			more, err = chunkValue(ctx, f, i, limit, visit)
		} else {
			more, err = blockValues(ctx, f, i, limit, visit)
		}
		if err != nil {
			return cairn.InChunk(err, int64(i), -1)
		}
		if !more {
			return nil
		}
	}
	return nil
}

// onlyMsgpack fails for batches that are not msgpack.
func onlyMsgpack(f *frame.Frame) error {
	raw, err := f.Layer("batcharray")
	if err != nil {
		return err
	}
	v, err := meta.Unpack(raw)
	if err != nil {
		return err
	}
	if serializer, ok := get[string](v, "serializer"); ok && serializer != "msgpack" {
		return fmt.Errorf("batches by %q: %w", serializer, cairn.ErrUnsupported)
	}
	return nil
}

// chunkValue visits the object that a chunk is.
func chunkValue(ctx context.Context, f *frame.Frame, i int, limit int64, visit func(v any) bool) (more bool, err error) {
	info, err := f.Chunk(i)
	if err != nil {
		return false, err
	}
	if int64(info.NBytes) > limit {
		return false, fmt.Errorf("%d bytes, at most %d are decoded at once: %w", info.NBytes, limit, cairn.ErrLimit)
	}
	data := make([]byte, info.NBytes)
	n, err := f.ReadChunk(ctx, data, i)
	if err != nil {
		return false, err
	}
	budget := limit
	v, err := meta.UnpackWithin(data[:n], &budget)
	if err != nil {
		return false, err
	}
	return visit(v), nil
}

// blockValues visits the objects of a chunk whose blocks are lists of them.
func blockValues(ctx context.Context, f *frame.Frame, i int, limit int64, visit func(v any) bool) (more bool, err error) {
	sizes, err := f.BlockSizes(i)
	if err != nil {
		return false, err
	}
	for k, size := range sizes {
		if int64(size) > limit {
			return false, fmt.Errorf("block %d has %d bytes, at most %d are decoded at once: %w", k, size, limit, cairn.ErrLimit)
		}
		data := make([]byte, size)
		n, err := f.ReadBlock(ctx, data, i, k)
		if err != nil {
			return false, err
		}
		budget := limit
		v, err := meta.UnpackWithin(data[:n], &budget)
		if err != nil {
			return false, fmt.Errorf("block %d: %w", k, err)
		}
		list, ok := v.([]any)
		// a list that begins with the word which marks tuples
		if tuple, isTuple := v.(meta.Tuple); isTuple {
			list, ok = append([]any{"__tuple__"}, tuple...), true
		}
		if !ok {
			return false, cairn.Corruptf("batch", -1, "block %d holds %T, no list", k, v)
		}
		for _, item := range list {
			if !visit(item) {
				return false, nil
			}
		}
	}
	return true, nil
}
