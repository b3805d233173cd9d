package frame_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
)

// benchCounts are the numbers of chunks for which costs are compared.
func benchCounts() []int { return []int{1_000, 10_000, 100_000, 1_000_000} }

func benchName(n int) string {
	if n >= 1_000_000 {
		return fmt.Sprintf("%dM", n/1_000_000)
	}
	return fmt.Sprintf("%dk", n/1000)
}

const benchChunk = 128 // decoded bytes

// benchChunks returns encoded chunks of many lengths, so that the offsets in an index are as
// irregular as with real data.
func benchChunks(b *testing.B) [][]byte {
	b.Helper()
	e, err := chunk.NewEncoder(&chunk.Options{Codec: codecs.LZ4, TypeSize: 1})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	chunks := make([][]byte, 256)
	for i := range chunks {
		data := make([]byte, benchChunk)
		data[0] = 1
		for k := range rng.IntN(benchChunk) {
			data[k] = byte(rng.Uint32())
		}
		if chunks[i], err = e.Append(nil, data); err != nil {
			b.Fatal(err)
		}
	}
	return chunks
}

func appendMany(b *testing.B, f *frame.Frame, chunks [][]byte, n int) {
	b.Helper()
	for i := range n {
		if _, err := f.AppendEncoded(context.Background(), chunks[i%len(chunks)]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFrames shows which costs depend on the number of chunks. Commits do, because they write
// the whole index. They leave the old index behind, so run few iterations: -benchtime 50x.
func BenchmarkFrames(b *testing.B) {
	chunks := benchChunks(b)
	for _, n := range benchCounts() {
		b.Run(benchName(n), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "frame")
			f, err := frame.Create(path, &frame.Options{Codec: codecs.LZ4})
			if err != nil {
				b.Fatal(err)
			}
			appendMany(b, f, chunks, n)
			if err := f.Close(); err != nil {
				b.Fatal(err)
			}
			b.Run("open", func(b *testing.B) { benchOpen(b, path, n) })
			b.Run("read", func(b *testing.B) { benchRead(b, path, n, false) })
			b.Run("read mapped", func(b *testing.B) { benchRead(b, path, n, true) })
			b.Run("append", func(b *testing.B) {
				benchChange(b, path, func(f *frame.Frame, i int) error {
					_, err := f.AppendEncoded(b.Context(), chunks[i%len(chunks)])
					return err
				})
			})
			b.Run("update", func(b *testing.B) {
				benchChange(b, path, func(f *frame.Frame, i int) error {
					return f.Inside().UpdateEncoded(b.Context(), i*7919%n, chunks[i%len(chunks)])
				})
			})
			b.Run("append+commit", func(b *testing.B) {
				benchChange(b, path, func(f *frame.Frame, i int) error {
					if _, err := f.AppendEncoded(b.Context(), chunks[i%len(chunks)]); err != nil {
						return err
					}
					return f.Commit(b.Context())
				})
			})
		})
	}
}

// benchOpen opens a frame and reads a chunk in the middle.
func benchOpen(b *testing.B, path string, n int) {
	dst := make([]byte, benchChunk)
	for b.Loop() {
		f, err := frame.Open(path, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := f.ReadChunk(b.Context(), dst, n/2); err != nil {
			b.Fatal(err)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// benchRead reads random chunks.
func benchRead(b *testing.B, path string, n int, mapped bool) {
	f, err := frame.Open(path, &frame.OpenOptions{Map: mapped})
	if err != nil {
		b.Fatal(err)
	}
	dst := make([]byte, benchChunk)
	for i := range n/1000 + 1 {
		if _, err := f.ReadChunk(b.Context(), dst, i*1000%n); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(benchChunk)
	i := 0
	for b.Loop() {
		i += 7919
		if _, err := f.ReadChunk(b.Context(), dst, i%n); err != nil {
			b.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}

// benchChange measures changes of a frame, after a few for warming up.
func benchChange(b *testing.B, path string, change func(f *frame.Frame, i int) error) {
	f, err := frame.Open(path, &frame.OpenOptions{Mode: frame.ReadWrite})
	if err != nil {
		b.Fatal(err)
	}
	i := 0
	once := func() {
		if err := change(f, i); err != nil {
			b.Fatal(err)
		}
		i++
	}
	for range 3 {
		once()
	}
	for b.Loop() {
		once()
	}
	if err := f.Abort(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkAppend8KiB encodes and appends chunks of 8 KiB to frames of several lengths.
func BenchmarkAppend8KiB(b *testing.B) {
	data := make([]byte, 8<<10)
	for i := range data {
		data[i] = byte(i / 16)
	}
	for _, n := range benchCounts() {
		b.Run(benchName(n), func(b *testing.B) {
			f, err := frame.Create(filepath.Join(b.TempDir(), "frame"), &frame.Options{Codec: codecs.BloscLZ, TypeSize: 8})
			if err != nil {
				b.Fatal(err)
			}
			e, err := chunk.NewEncoder(&chunk.Options{Codec: codecs.BloscLZ, TypeSize: 8})
			if err != nil {
				b.Fatal(err)
			}
			c, err := e.Append(nil, data)
			if err != nil {
				b.Fatal(err)
			}
			appendMany(b, f, [][]byte{c}, n)
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := f.Append(b.Context(), data); err != nil {
					b.Fatal(err)
				}
			}
			if err := f.Abort(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkReadLarge reads whole chunks of several sizes, and single items of them, from a file
// with and without a mapping.
func BenchmarkReadLarge(b *testing.B) {
	for _, size := range []int{4 << 10, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "frame")
			f, err := frame.Create(path, &frame.Options{Codec: codecs.LZ4, TypeSize: 4})
			if err != nil {
				b.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(2, 2))
			data := make([]byte, size)
			n := (64 << 20) / size
			for range n {
				for k := range len(data) / 4 {
					// one of four bytes is noise
					data[4*k], data[4*k+1] = byte(rng.Uint32()), byte(k>>8)
				}
				if _, err := f.Append(b.Context(), data); err != nil {
					b.Fatal(err)
				}
			}
			if err := f.Close(); err != nil {
				b.Fatal(err)
			}
			for _, mapped := range []bool{false, true} {
				name := map[bool]string{false: "", true: " mapped"}[mapped]
				b.Run("chunks"+name, func(b *testing.B) {
					b.SetBytes(int64(size))
					benchLarge(b, path, mapped, func(f *frame.Frame, i int) error {
						_, err := f.ReadChunk(b.Context(), data, i%n)
						return err
					})
				})
				b.Run("items"+name, func(b *testing.B) {
					benchLarge(b, path, mapped, func(f *frame.Frame, i int) error {
						_, err := f.ReadItems(b.Context(), data, i*7%n, size/8, size/8+1)
						return err
					})
				})
			}
		})
	}
}

func benchLarge(b *testing.B, path string, mapped bool, read func(f *frame.Frame, i int) error) {
	f, err := frame.Open(path, &frame.OpenOptions{Map: mapped})
	if err != nil {
		b.Fatal(err)
	}
	i := 0
	for b.Loop() {
		if err := read(f, i); err != nil {
			b.Fatal(err)
		}
		i++
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}
