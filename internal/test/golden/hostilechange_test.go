package golden_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/golden"
	"github.com/cairn-go/cairn/ndarray"
)

// TestHostileChanges changes damaged files. If a file opens, each change must succeed or fail with
// an error, within the limits for reading.
func TestHostileChanges(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range cases(t, golden.Frame, golden.B2ND) {
		family, _, _ := strings.Cut(c.Name, "-") // one of each family shows what the others would
		if c.Sparse || c.Offset != 0 || !c.Hostile || seen[family] {
			continue
		}
		seen[family] = true
		raw, err := c.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		change := changeFrame
		if c.Kind == golden.B2ND {
			change = changeArray
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			damage(t, victim{c.Name, raw, c.DecodedSize, change})
		})
	}
	if len(seen) < 10 {
		t.Fatalf("only %d families of goldens", len(seen))
	}
}

// patch is the data that the tests write; it is constant.
var patch = make([]byte, 4096)

// changeFrame makes one change of each kind, commits and reads the result.
func changeFrame(raw []byte) (digest [32]byte, err error) {
	ctx := context.Background()
	f, err := frame.FromBytes(raw, &frame.OpenOptions{Mode: frame.ReadWrite,
		Engine: chunk.Engine{Limits: hostileLimits}})
	if err != nil {
		return digest, err
	}
	defer f.Close()
	piece := patch[:min(max(f.ChunkSize(), f.TypeSize()), len(patch))]
	last := f.NumChunks() - 1
	_, appended := f.Append(ctx, piece)
	err = errors.Join(appended, f.Insert(ctx, 0, piece), f.SetVL("new", []byte("value")))
	if last > 0 {
		err = errors.Join(err, f.Update(ctx, last, piece), f.Delete(ctx, last/2))
	}
	if err := errors.Join(err, f.Commit(ctx)); err != nil {
		return digest, err
	}
	return digestFrame(f)
}

// changeArray writes a small box in a corner and reads the result.
func changeArray(raw []byte) (digest [32]byte, err error) {
	ctx := context.Background()
	u, err := ndarray.FromBytes(raw, &ndarray.OpenOptions{Mode: frame.ReadWrite, Workers: 1,
		Engine: chunk.Engine{Limits: hostileLimits}})
	if err != nil {
		return digest, err
	}
	defer u.Close()
	stop := append([]int64{}, u.Shape()...)
	size := int64(u.TypeSize())
	for i := range stop {
		stop[i] = min(stop[i], 2)
		size *= stop[i]
	}
	if size > int64(len(patch)) {
		return digest, errors.New("the items are too big")
	}
	if err := u.WriteBox(ctx, patch[:size], make([]int64, len(stop)), stop); err != nil {
		return digest, err
	}
	if err := u.Commit(ctx); err != nil {
		return digest, err
	}
	return digestArray(u)
}
