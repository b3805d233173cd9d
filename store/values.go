package store

import (
	"context"
	"fmt"
	"iter"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
)

// Values returns the objects of a batch, list or object array in order, as [meta.Unpack] decodes
// them: numbers, strings, bytes, lists, maps, [meta.Tuple], and [meta.Ext] for Python-specific
// types. The objects of all batches form one sequence, which ends with the first error. Batches
// serialized by Arrow yield an error matching [cairn.ErrUnsupported].
func (s *Store) Values(ctx context.Context, key string) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		l, err := s.Leaf(key)
		if err != nil {
			yield(nil, err)
			return
		}

		more := true
		err = s.within(&l, func(f *frame.Frame) error {
			return s.fail("read", l.Key, s.values(ctx, f, func(v any) bool {
				more = yield(v, nil)
				return more
			}))
		})
		if err != nil && more { // a loop that has ended must not be called again
			yield(nil, err)
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
		more, err := chunkValues(ctx, f, i, kind != Object, limit, visit)
		if err != nil {
			return cairn.InChunk(err, int64(i), -1)
		}
		if !more {
			return nil
		}
	}
	return nil
}

// onlyMsgpack fails if batches are not serialized as msgpack.
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

// chunkValues visits the single object of a chunk, or the objects in the lists of its blocks.
func chunkValues(ctx context.Context, f *frame.Frame, i int, lists bool, limit int64,
	visit func(v any) bool) (more bool, err error) {
	if !lists {
		info, err := f.Chunk(i)
		if err != nil {
			return false, err
		}
		v, err := decodedValue(info.NBytes, limit, func(dst []byte) (int, error) { return f.ReadChunk(ctx, dst, i) })
		return err == nil && visit(v), err
	}
	sizes, err := f.BlockSizes(i)
	if err != nil {
		return false, err
	}
	for k, size := range sizes {
		v, err := decodedValue(size, limit, func(dst []byte) (int, error) { return f.ReadBlock(ctx, dst, i, k) })
		if err != nil {
			return false, fmt.Errorf("block %d: %w", k, err)
		}

		list, ok := v.([]any)
		// meta.Unpack took a list for a tuple because its first element is the tuple marker
		if tuple, isTuple := v.(meta.Tuple); isTuple {
			list = append([]any{"__tuple__"}, tuple...)
			ok = true
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

// decodedValue returns the value in the bytes that read decodes.
func decodedValue(size int, limit int64, read func(dst []byte) (int, error)) (any, error) {
	if int64(size) > limit {
		return nil, fmt.Errorf("%d bytes, at most %d are decoded at once: %w", size, limit, cairn.ErrLimit)
	}

	data := make([]byte, size)
	n, err := read(data)
	if err != nil {
		return nil, err
	}
	return meta.UnpackWithin(data[:n], &limit)
}
