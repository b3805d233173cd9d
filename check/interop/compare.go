package main

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/dense"
)

// compareChunks compares every chunk of a frame with its expected bytes, by differ, and random
// parts of each chunk with the whole.
func (s *spec) compareChunks(f *frame.Frame, chunks [][]byte, parts int, differ func(got, want []byte) string) error {
	if f.NumChunks() != len(chunks) || f.TypeSize() != s.typeSize {
		return fmt.Errorf("%d chunks of %d-byte items, want %d of %d",
			f.NumChunks(), f.TypeSize(), len(chunks), s.typeSize)
	}

	for i, want := range chunks {
		whole, err := compareChunk(f, i, want, differ)
		if err != nil {
			return err
		}

		for range parts {
			items := len(want) / s.typeSize
			from := s.rng.IntN(items)
			to := from + 1 + s.rng.IntN(items-from)
			part := make([]byte, (to-from)*s.typeSize)
			if _, err := f.ReadItems(context.Background(), part, i, from, to); err != nil {
				return err
			}
			if d := dense.Differ(part, whole[from*s.typeSize:to*s.typeSize]); d != "" {
				return fmt.Errorf("items %d to %d of chunk %d: %s", from, to, i, d)
			}
		}
	}
	return nil
}

// compareChunk returns chunk i of a frame after comparing it with want.
func compareChunk(f *frame.Frame, i int, want []byte, differ func(got, want []byte) string) ([]byte, error) {
	got := make([]byte, len(want))
	n, err := f.ReadChunk(context.Background(), got, i)
	if err != nil {
		return nil, err
	}
	if d := differ(got[:n], want); d != "" {
		return nil, fmt.Errorf("chunk %d: %s", i, d)
	}
	return got, nil
}
