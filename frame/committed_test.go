package frame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// A committing is a way to commit two changes of a frame with 5 chunks, in files that may fail. It
// returns the error of what committed.
type committing struct {
	name string
	run  func(f *Frame) error
}

func changeTwo(f *Frame, ctx context.Context) error {
	for _, i := range []int{1, 3} {
		if err := f.Update(ctx, i, bytes.Repeat([]byte{99, byte(i)}, 20)); err != nil {
			return err
		}
	}
	return nil
}

// errUnchanged marks the failure of what goes before a commit.
var errUnchanged = errors.New("not changed")

func committings(ctx context.Context) []committing {
	staged := func(commit func(f *Frame) error) func(f *Frame) error {
		return func(f *Frame) error {
			if err := changeTwo(f, ctx); err != nil {
				return errors.Join(errUnchanged, err, f.Abort())
			}
			return commit(f)
		}
	}
	return []committing{
		{"Commit", staged(func(f *Frame) error { return errors.Join(f.Commit(ctx), ignore(f.Abort())) })},
		{"Close", staged((*Frame).Close)},
		{"Compact", staged(func(f *Frame) error {
			_, err := f.Compact(ctx)
			return errors.Join(err, ignore(f.Abort()))
		})},
		{"Atomically", func(f *Frame) error {
			err := f.Atomically(ctx, func() error { return changeTwo(f, ctx) })
			return errors.Join(err, ignore(f.Abort()))
		}},
		{"Atomically and Close", func(f *Frame) error {
			return errors.Join(f.Atomically(ctx, func() error { return changeTwo(f, ctx) }), f.Close())
		}},
	}
}

func ignore(error) error { return nil }

// TestAnErrorSaysWhetherTheCommitHappened makes each operation of each way to commit fail, once or
// from then on, and looks with another handle.
func TestAnErrorSaysWhetherTheCommitHappened(t *testing.T) {
	count := map[string]int{}
	for _, c := range committings(t.Context()) {
		for shape := range 16 {
			sparse, foreign, fresh, deterministic := shape&1 != 0, shape&2 != 0, shape&4 != 0, shape&8 != 0
			for kind := range 6 {
				if testing.Short() && (kind+shape)%3 != 0 {
					continue
				}
				for at, done := 1, false; !done; at++ {
					m := storage.NewMemory()
					fsys := &storagetest.Faults{FS: m, FailAt: at, Persistent: kind&1 != 0, Short: kind&1 != 0,
						Full: kind == 2, Reads: kind >= 4, Closes: true}
					o := &Options{TypeSize: 1, ChunkSize: 40, Sparse: sparse, FS: m, Overwrite: true,
						Commits: Commits{Deterministic: deterministic}}
					must(0, fiveChunks(o, false).Close())
					if foreign {
						zeroWitness(t, m, sparse)
					}
					what := fmt.Sprintf("%s, sparse %v, foreign %v, fresh %v, deterministic %v, faults %d, operation %d",
						c.name, sparse, foreign, fresh, deterministic, kind, at)
					err := commitWith(fsys, o, fresh, c.run)
					done = fsys.Hits() == 0
					is := newest(t, m, what)
					switch {
					case err == nil && is != "new":
						t.Fatalf("%s: no error, but the state is %s", what, is)
					case err == nil:
						count["no error"]++
					case errors.Is(err, cairn.ErrCommitted) && is != "new":
						t.Fatalf("%s: the state is %s, but the error says that it is committed: %v", what, is, err)
					case !errors.Is(err, cairn.ErrCommitted) && is == "new" && fsys.Reads && fsys.Persistent && !sparse:
						count["unknown"]++ // a torn header, and nothing can be read
					case !errors.Is(err, cairn.ErrCommitted) && is != "old":
						t.Errorf("%s: the state is %s, but the error does not say so: %v", what, is, err)
					case is == "new":
						count["committed"]++
					default:
						count["not committed"]++
					}
				}
			}
		}
	}
	t.Log(count)
	if count["committed"] < 100 || count["not committed"] < 100 {
		t.Errorf("faults that were tested: %v", count)
	}
}

// commitWith opens a frame and commits, or replaces it by a new one.
func commitWith(fsys storage.FS, o *Options, fresh bool, run func(f *Frame) error) (err error) {
	if !fresh {
		f, err := Open("f", &OpenOptions{FS: fsys, Mode: ReadWrite, Commits: o.Commits})
		if err != nil {
			return err
		}
		return run(f)
	}
	next := *o
	next.FS = fsys
	f, err := Create("f", &next)
	if err != nil {
		return err
	}
	for i := range byte(5) {
		if _, err := f.Append(context.Background(), bytes.Repeat([]byte{i}, 40)); err != nil {
			return errors.Join(err, f.Abort())
		}
	}
	return run(f)
}

func fiveChunks(o *Options, _ bool) *Frame {
	f := must(Create("f", o))
	for i := range byte(5) {
		must(f.Append(context.Background(), bytes.Repeat([]byte{i}, 40)))
	}
	return f
}

// zeroWitness makes the frame look as if another program had written it last.
func zeroWitness(t *testing.T, m storage.FS, sparse bool) {
	t.Helper()
	name := "f"
	if sparse {
		name += "/" + sparseIndex
	}
	file := must(m.OpenRW(name))
	must(file.WriteAt([]byte{0}, 86))
	size := must(file.Size())
	must(file.WriteAt(make([]byte, 16), size-16))
	must(0, file.Close())
}

// newest tells which state the frame has: "old", "new" or what is wrong.
func newest(t *testing.T, m storage.FS, what string) string {
	t.Helper()
	f, err := Open("f", &OpenOptions{FS: m})
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	var got [5]byte
	b := make([]byte, 40)
	for i := range got {
		if _, err := f.ReadChunk(noContext, b, i); err != nil {
			return err.Error()
		}
		got[i] = b[0]
	}
	switch got {
	case [5]byte{0, 1, 2, 3, 4}:
		return "old"
	case [5]byte{0, 99, 2, 99, 4}:
		return "new"
	}
	return fmt.Sprint(got)
}
