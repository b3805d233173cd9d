package frame

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/storage"
)

// measured returns n int32 similar to measurements.
func measured(n int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	b, v := make([]byte, 4*n), uint32(1<<20)
	for i := range n {
		v += rng.Uint32N(17) - 8
		binary.LittleEndian.PutUint32(b[4*i:], v)
	}
	return b
}

// compare runs two functions in turns and returns a time of each that other processes hardly
// disturbed: the 5th percentile.
func compare(rounds int, a, b func()) (time.Duration, time.Duration) {
	var times [2][]time.Duration
	for r := range 2 * rounds {
		run := a
		if r%2 == 1 {
			run = b
		}
		start := time.Now()
		run()
		times[r%2] = append(times[r%2], time.Since(start))
	}
	slices.Sort(times[0])
	slices.Sort(times[1])
	return times[0][rounds/20], times[1][rounds/20]
}

// extra reports by how many percent b is slower than a.
func extra(b *testing.B, plain, checked time.Duration, size int) {
	b.ReportMetric(100*(float64(checked)/float64(plain)-1), "%extra")
	b.ReportMetric(float64(size)/1e6/plain.Seconds(), "MB/s-without")
	b.ReportMetric(0, "ns/op")
}

var trustCodecs = []struct {
	name  string
	codec codecs.Codec
	level int
}{{"zstd", codecs.Zstd, 5}, {"lz4", codecs.LZ4, 5}, {"stored", codecs.LZ4, chunk.Stored}}

// BenchmarkChecksumsReading reads every chunk of a frame once, with and without comparing
// checksums, alternately.
func BenchmarkChecksumsReading(b *testing.B) {
	data, dst := measured(1<<16), make([]byte, 1<<18)
	for _, c := range trustCodecs {
		for _, place := range []string{"memory", "file"} {
			b.Run(c.name+"/"+place, func(b *testing.B) {
				fsys, path := storage.FS(storage.NewMemory()), "f"
				if place == "file" {
					fsys, path = storage.OS(), filepath.Join(b.TempDir(), "f")
				}
				f := must(Create(path, &Options{TypeSize: 4, Codec: c.codec, Level: c.level, FS: fsys}))
				for range 4 {
					must(f.Append(noContext, data))
				}
				must(0, f.Close())
				read := func(mode VerifyMode) func() {
					f := must(Open(path, &OpenOptions{FS: fsys, Verify: mode}))
					b.Cleanup(func() { f.Close() })
					return func() {
						for i := range 4 {
							must(f.ReadChunk(noContext, dst, i))
						}
					}
				}
				off, on := read(VerifyOff), read(VerifyAlways)
				for b.Loop() {
					plain, checked := compare(400, off, on)
					extra(b, plain, checked, 1<<20)
				}
			})
		}
	}
}

// BenchmarkChecksumsWriting appends chunks to a frame in memory, with and without checksums,
// alternately.
func BenchmarkChecksumsWriting(b *testing.B) {
	data := measured(1 << 16)
	for _, c := range trustCodecs {
		b.Run(c.name, func(b *testing.B) {
			write := func(plain bool) func() {
				return func() {
					f := must(New(&Options{TypeSize: 4, Codec: c.codec, Level: c.level,
						Commits: Commits{Deterministic: plain}}))
					for range 4 {
						must(f.Append(noContext, data))
					}
					must(0, f.Close())
				}
			}
			for b.Loop() {
				plain, checked := compare(100, write(true), write(false))
				extra(b, plain, checked, 1<<20)
			}
		})
	}
}

// BenchmarkCommit appends a chunk of 64 KiB to a file and commits, and counts the bytes that a
// commit adds beyond the chunk.
func BenchmarkCommit(b *testing.B) {
	data := measured(1 << 14)
	for _, plain := range []bool{false, true} {
		for name, d := range map[string]Durability{"full": Full, "ordered": Ordered, "none": None} {
			b.Run(fmt.Sprintf("%s/checksums=%v", name, !plain), func(b *testing.B) {
				f := must(Create(filepath.Join(b.TempDir(), "f"),
					&Options{TypeSize: 4, Codec: codecs.LZ4,
						Commits: Commits{Durability: d, Deterministic: plain, NoCompact: true}}))
				must(f.Append(noContext, data))
				must(0, f.Commit(noContext))
				before, first := f.Info().FrameLen, must(f.Chunk(0)).CBytes
				n := 0
				var times []time.Duration
				for b.Loop() {
					must(f.Append(noContext, data))
					start := time.Now()
					must(0, f.Commit(noContext))
					times = append(times, time.Since(start))
					n++
				}
				slices.Sort(times)
				b.ReportMetric(float64(times[n/2].Microseconds()), "µs/median")
				b.ReportMetric(float64(times[n/10].Microseconds()), "µs/tenth")
				b.ReportMetric(float64(f.Info().FrameLen-before)/float64(n)-float64(first), "B/commit-beyond")
				must(0, f.Close())
			})
		}
	}
}

// BenchmarkFirstTouch reads one block of each chunk of a file for the first time, and again.
func BenchmarkFirstTouch(b *testing.B) {
	path := filepath.Join(b.TempDir(), "f")
	f := must(Create(path, &Options{TypeSize: 4, Codec: codecs.LZ4, BlockSize: 16 << 10}))
	data := measured(1 << 18)
	for range 32 {
		must(f.Append(noContext, data))
	}
	must(0, f.Close())
	want := make([]bool, 64)
	want[3] = true
	for _, mode := range []VerifyMode{VerifyOff, VerifyOnFirstTouch} {
		b.Run(fmt.Sprintf("mode=%d", mode), func(b *testing.B) {
			var once, again time.Duration
			n, d := 0, chunk.NewDecoder(nil)
			for b.Loop() {
				f := must(Open(path, &OpenOptions{Verify: mode}))
				for round := range 2 {
					start := time.Now()
					for i := range 32 {
						v := f.Snapshot()
						must(0, v.Inside().DecodeBlocks(context.Background(), d, i, must(v.Chunk(i)).Header, want, nil))
					}
					if took := time.Since(start); round == 0 {
						once += took
					} else {
						again += took
					}
				}
				must(0, f.Close())
				n++
			}
			b.ReportMetric(float64(once.Nanoseconds())/float64(32*n), "ns/first")
			b.ReportMetric(float64(again.Nanoseconds())/float64(32*n), "ns/again")
			b.ReportMetric(0, "ns/op")
		})
	}
}
