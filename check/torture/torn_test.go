package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/golden"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

var tornStride = flag.Int("torn-stride", 11, "distance of the bytes at which foreign headers are torn")

// foreignFirst are goldens of every kind of editable contiguous frame.
var foreignFirst = []string{
	"cover-055-zstd-shuffle-delta-t16.b2frame", "special-mixed.b2frame", "vlmeta-changed.b2frame",
	"meta-updated.b2frame", "early-2.0.0-zstd-meta.b2frame", "odd-trailing.b2frame",
	"extra-meta.b2nd", "nd1-02-blosclz.b2nd", "nd2-05-zstd.b2nd", "zeros.b2nd",
	"early-python-blosc2-2.1.1-data.b2nd",
}

// A firstEdit is the first edit by cairn of a file that another program wrote.
type firstEdit struct {
	name  string
	array func(t *testing.T, u *ndarray.Untyped) error
	frame func(t *testing.T, f *frame.Frame) error
}

var firstEdits = []firstEdit{
	{name: "write", array: func(t *testing.T, u *ndarray.Untyped) error {
		shape := u.Shape()
		stop := slices.Clone(shape)
		stop[0] = min(2, shape[0])
		n := int64(u.TypeSize())
		for _, e := range stop {
			n *= e
		}
		return u.WriteBox(t.Context(), noise(int(n)), make([]int64, len(shape)), stop)
	}, frame: func(t *testing.T, f *frame.Frame) error {
		return f.Update(t.Context(), 0, noise(decodedSize(f, 0)))
	}},
	{name: "append", array: func(t *testing.T, u *ndarray.Untyped) error {
		n := 3 * int64(u.TypeSize())
		for _, e := range u.Shape()[1:] {
			n *= e
		}
		return u.Append(t.Context(), 0, noise(int(n)))
	}, frame: func(t *testing.T, f *frame.Frame) error {
		_, err := f.Append(t.Context(), noise(decodedSize(f, 0)))
		return err
	}},
	{name: "resize", array: func(t *testing.T, u *ndarray.Untyped) error {
		shape := slices.Clone(u.Shape())
		shape[0] += 700
		return u.Resize(t.Context(), shape, nil)
	}, frame: func(t *testing.T, f *frame.Frame) error {
		return f.AppendSpecial(t.Context(), chunk.SpecialZeros, int64(decodedSize(f, 0)))
	}},
	{name: "value", array: func(t *testing.T, u *ndarray.Untyped) error {
		return u.Frame().SetVL("of cairn", noise(40))
	}, frame: func(t *testing.T, f *frame.Frame) error { return f.SetVL("of cairn", noise(40)) }},
	{name: "metalayer", frame: func(t *testing.T, f *frame.Frame) error {
		for _, l := range f.Layers() {
			if l.Name != "b2nd" {
				return f.SetMeta(l.Name, bytes.Repeat([]byte{0xc0}, len(l.Content)))
			}
		}
		return nil
	}},
}

func noise(n int) []byte {
	b := make([]byte, n)
	rng := rand.New(rand.NewPCG(uint64(n), 5))
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

func decodedSize(f *frame.Frame, i int) int {
	c, err := f.Chunk(i)
	if err != nil {
		panic(err)
	}
	return int(c.NBytes)
}

// TestFirstHeadersOverForeignFilesAreHealed tears each write to the header during the first edit of
// a file of the C library: either half first, at every byte with -torn-stride 1, and mixtures byte
// by byte. The file must then have the state before or after the edit.
func TestFirstHeadersOverForeignFilesAreHealed(t *testing.T) {
	m, err := golden.Load()
	if err != nil {
		t.Fatal(err)
	}
	states := 0
	for _, name := range foreignFirst {
		c, err := m.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		original, err := c.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range firstEdits {
			if n, err := tearFirst(t, original, c.Kind == golden.B2ND, e); err != nil {
				t.Errorf("%s, %s: %v", name, e.name, err)
			} else {
				states += n
			}
		}
	}
	t.Logf("%d states", states)
	if states**tornStride < 14000 {
		t.Errorf("only %d states", states)
	}
}

// tearFirst makes one edit of a file and checks the state after every tear.
func tearFirst(t *testing.T, original []byte, array bool, e firstEdit) (states int, err error) {
	m := storage.NewMemory()
	put(t, m, original)
	r, settled, err := storagetest.Resume(m)
	if err != nil {
		return 0, err
	}
	before, err := lookVerified(r, array)
	if err == nil {
		err = e.run(t, r, array)
	}
	if err != nil {
		return 0, err
	}
	after, err := lookVerified(r, array)
	if err != nil || after == before {
		return 0, err // nil if this edit changes nothing
	}
	ops := r.Ops()
	log := storagetest.NewLog(ops)
	for at := settled; at < len(ops); at++ {
		op := ops[at]
		// only writes of the witness or the header
		if op.Kind != storagetest.OpWrite || op.File != 0 || op.Offset > 0x56 {
			continue
		}
		old := read(t, log.Image(storagetest.Crash{Model: storagetest.Kill, At: at, From: at}))
		for torn := range tears(old, op) {
			states++
			image := storage.NewMemory()
			put(t, image, torn)
			for range 2 { // first as it is, then after it was opened for writing
				got, err := lookVerified(image, array)
				if err != nil || got != before && got != after {
					return states, fmt.Errorf("%v, torn to %x: %v, want %v or %v: %w",
						op, torn[:len(op.Data)], got, before, after, errors.Join(err, errDiffers))
				}
				f, err := frame.Open(programName, &frame.OpenOptions{FS: image, Mode: frame.ReadWrite})
				if err == nil {
					err = f.Close()
				}
				if err != nil {
					return states, fmt.Errorf("%v, torn to %x: %w", op, torn[:len(op.Data)], err)
				}
			}
		}
	}
	return states, nil
}

func (e *firstEdit) run(t *testing.T, fsys storage.FS, array bool) error {
	if array && e.array != nil {
		u, err := ndarray.Open(programName, &ndarray.OpenOptions{FS: fsys, Mode: ndarray.ReadWrite, Workers: 1})
		if err != nil {
			return err
		}
		return errors.Join(e.array(t, u), u.Close())
	}
	f, err := frame.Open(programName, &frame.OpenOptions{FS: fsys, Mode: frame.ReadWrite})
	if err != nil {
		return err
	}
	return errors.Join(e.frame(t, f), f.Close())
}

// tears yields the possible results of a write at the beginning of a file on a disk that does not
// even write sectors as a whole.
func tears(old []byte, op storagetest.Op) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		rng := rand.New(rand.NewPCG(uint64(len(old)), 9))
		n := len(op.Data)
		mixed := func(fresh func(i int) bool) bool {
			b := bytes.Clone(old)
			for i := range n {
				if fresh(i) {
					b[int(op.Offset)+i] = op.Data[i]
				}
			}
			return yield(b)
		}
		for cut := 0; cut <= n; cut += *tornStride {
			if !mixed(func(i int) bool { return i < cut }) || !mixed(func(i int) bool { return i >= cut }) ||
				!mixed(func(int) bool { return rng.IntN(n+1) < cut }) {
				return
			}
		}
	}
}

// lookVerified reads everything in a file, and verifies it.
func lookVerified(fsys storage.FS, array bool) (content, error) {
	c, err := lookAtForeign(fsys, programName, array)
	if err != nil {
		return c, err
	}
	f, err := frame.Open(programName, &frame.OpenOptions{FS: fsys})
	if err != nil {
		return c, err
	}
	_, err = f.Verify(context.Background())
	return c, errors.Join(err, f.Close())
}

func put(t *testing.T, fsys storage.FS, b []byte) {
	t.Helper()
	f, err := fsys.Create(programName)
	if err == nil {
		_, err = f.WriteAt(b, 0)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, fsys storage.FS) []byte {
	t.Helper()
	f, err := fsys.Open(programName)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size, err := f.Size()
	b := make([]byte, size)
	if err == nil {
		_, err = f.ReadAt(b, 0)
	}
	if err != nil && !strings.Contains(err.Error(), "EOF") {
		t.Fatal(err)
	}
	return b
}
