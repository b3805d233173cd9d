package frame

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn/internal/test/storagetest"
)

// BenchmarkWritten counts the bytes that a change and its commit write besides the chunk, and the
// final size of the frame before and after a compaction. check/torture/testdata/written.py does the
// same for C-Blosc2, with the same chunks: 64 KiB of noise.
func BenchmarkWritten(b *testing.B) {
	for _, sparse := range []bool{false, true} {
		for _, change := range []string{"append", "update", "update other size"} {
			b.Run(fmt.Sprintf("%s/sparse=%v", change, sparse), func(b *testing.B) {
				for b.Loop() {
					r := storagetest.NewRecorder()
					rng := rand.New(rand.NewPCG(1, 2))
					f := mustCreate(b, "f", &Options{FS: r, Sparse: sparse, ChunkSize: writtenChunk,
						Commits: Commits{NoCompact: true}})
					if change != "append" {
						writeChanges(b, f, rng, "append")
						must(f.Compact(noContext))
					}
					from := r.Len()
					writeChanges(b, f, rng, change)
					b.ReportMetric(float64(writtenBytes(r.Ops()[from:]))/writtenCount, "B/change")
					c := must(f.Compact(noContext))
					b.ReportMetric(float64(c.Before), "B-before")
					b.ReportMetric(float64(c.After), "B-after")
					mustClose(b, f)
				}
			})
		}
	}
}

const (
	writtenChunk = 64 << 10
	writtenCount = 100
)

// writeChanges appends or updates chunks, and commits each one.
func writeChanges(b *testing.B, f *Frame, rng *rand.Rand, change string) {
	b.Helper()
	for i := range writtenCount {
		c := make([]byte, writtenChunk)
		noise := c
		if change == "update other size" {
			noise = c[:writtenChunk/2+8*i] // the rest is zeros
		}
		for k := range noise {
			noise[k] = byte(rng.Uint32())
		}
		var err error
		if change == "append" {
			_, err = f.Append(noContext, c)
		} else {
			err = f.Update(noContext, i, c)
		}
		if err == nil {
			err = f.Commit(noContext)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func writtenBytes(ops []storagetest.Op) (n int) {
	for _, op := range ops {
		n += len(op.Data)
	}
	return n
}
