package main

import (
	"context"
	"testing"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/golden"
)

func manifest(t *testing.T) *golden.Manifest {
	t.Helper()
	m, err := golden.Load()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func findGolden(t *testing.T, name string) *golden.Case {
	t.Helper()
	c, err := manifest(t).Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func goldenBytes(t *testing.T, name string) []byte {
	t.Helper()
	b, err := findGolden(t, name).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// checkDecoded compares decoded bytes with the manifest.
func checkDecoded(t *testing.T, c *golden.Case, got []byte, err error) {
	t.Helper()
	if err == nil {
		err = c.Check(got)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// decodeFrame returns the decoded chunks of a frame, concatenated.
func decodeFrame(f *frame.Frame) ([]byte, error) {
	var out []byte
	for i := range f.NumChunks() {
		info, err := f.Chunk(i)
		if err != nil {
			return nil, err
		}
		at := len(out)
		out = append(out, make([]byte, info.NBytes)...)
		if _, err := f.ReadChunk(context.Background(), out[at:], i); err != nil {
			return nil, err
		}
	}
	return out, nil
}
