package main

import (
	"bytes"
	"cmp"
	"context"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// packedArray makes a frame that holds an array as python-blosc2 packs it: its items, and a
// metalayer that describes them.
func packedArray(typeSize int, dtype string, shape ...any) ([]byte, error) {
	d, err := meta.ParseDType(dtype)
	if err != nil {
		return nil, err
	}

	size := d.Size()
	for i, n := range shape {
		size *= n.(int)
		shape[i] = int64(n.(int))
	}

	layer, err := meta.Pack(meta.Tuple{"numpy", meta.Tuple(shape), dtype})
	if err != nil {
		return nil, err
	}

	return built(&frame.Options{TypeSize: typeSize, ChunkSize: 160}, func(ctx context.Context, f *frame.Frame) error {
		items := sample(size, 3)
		for len(items) > 0 {
			n := min(160, len(items))
			if _, err := f.Append(ctx, items[:n]); err != nil {
				return err
			}
			items = items[n:]
		}
		return cmp.Or(f.SetVL("__pack_tensor__", layer), f.SetVL("other", []byte("\xa5value")))
	})
}

// readPacked opens a frame as a packed array, and reads boxes.
func readPacked(l *tester, s *subject) (asked uint64, err error) {
	b, ok := s.single()
	if !ok {
		return 0, nil
	}
	a, err := ndarray.OpenPackedReader(bytes.NewReader(b), int64(len(b)), &ndarray.OpenOptions{
		Engine: chunk.Engine{Limits: limits(), Codecs: l.codecs, Filters: l.filters}})
	if err != nil {
		return scratch, err
	}
	var got first
	for range 4 {
		start, stop := drawBox(s.rng, a.Shape())
		if size, ok := boxSize(start, stop, int64(a.DType().Size()), int64(len(l.buf))); ok {
			got.take(a.ReadBytes(context.Background(), l.buf[:size], start, stop))
		}
	}
	got.take(a.Close())
	return 5 * scratch, got.err
}
