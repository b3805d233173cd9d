package ndarray

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/test/golden"
	"github.com/cairn-go/cairn/shuffle"
)

// arrays returns the arrays among the golden files.
func arrays(t testing.TB) []golden.Case {
	t.Helper()
	m, err := golden.Load()
	if err != nil {
		t.Fatal(err)
	}
	cases := slices.DeleteFunc(m.Cases, func(c golden.Case) bool { return c.Kind != golden.B2ND })
	if len(cases) < 60 {
		t.Fatalf("only %d golden arrays", len(cases))
	}
	return cases
}

func TestGoldenArraysReadAsTheLibraryWroteThem(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 22))
	for _, c := range arrays(t) {
		t.Run(c.Name, func(t *testing.T) {
			u, err := Open(c.Path(), &OpenOptions{Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			defer u.Close()
			if !slices.Equal(u.Shape(), c.Shape) || !slices.Equal(u.chunkShape(), widen(c.ChunkShape)) ||
				!slices.Equal(u.blockShape(), widen(c.BlockShape)) || u.DType().String() != c.DType ||
				u.TypeSize() != c.TypeSize {
				t.Fatalf("%v in %v in %v of %s with %d bytes, want %v in %v in %v of %s with %d",
					u.Shape(), u.chunkShape(), u.blockShape(),
					u.DType().String(), u.TypeSize(), c.Shape, c.ChunkShape, c.BlockShape, c.DType, c.TypeSize)
			}
			data, err := u.Read(t.Context())
			if c.NeedsCodec != 0 && errors.Is(err, cairn.ErrUnsupported) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != c.DecodedSHA256 {
				t.Fatalf("%d bytes differ from the library's %d", len(data), c.DecodedSize)
			}
			if d := u.DType(); d.Size() != c.TypeSize || (d.Kind() == 0) != c.OddDType {
				t.Fatalf("dtype %q is %v of %d bytes: %v", c.DType, d, d.Size(), err)
			}
			m := &model{shape: u.Shape(), item: u.TypeSize(), data: data}
			for range 20 {
				start, stop := randomBox(rnd, m.shape)
				compare(t, u, m, start, stop)
			}
		})
	}
}

// TestGoldenArraysTakeWrites changes files of C-Blosc2 in place; items that were not written must
// stay the same.
func TestGoldenArraysTakeWrites(t *testing.T) {
	rnd := rand.New(rand.NewPCG(23, 24))
	for _, c := range arrays(t) {
		// ndmean does not reproduce the items
		if c.Sparse || c.NeedsCodec != 0 || c.NeedsFilter == int(shuffle.IDNDMean) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			file, err := c.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			u, err := FromBytes(slices.Clone(file), &OpenOptions{Mode: ReadWrite})
			if err != nil {
				t.Fatal(err)
			}
			defer u.Close()
			data, err := u.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			exercise(t, rnd, u, &model{shape: u.Shape(), item: u.TypeSize(), data: data})
		})
	}
}

func FuzzOpenArray(f *testing.F) {
	for _, c := range arrays(f) {
		if c.Sparse || c.Size > 5000 {
			continue
		}
		b, err := c.Bytes()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(readHostile)
}

// readHostile opens what may be an array and reads two corners of it. Errors must be of a
// documented kind; nothing may panic or take much memory.
func readHostile(t *testing.T, b []byte) {
	u, err := FromBytes(b, &OpenOptions{Workers: 1,
		Engine: chunk.Engine{Limits: cairn.Limits{MaxAlloc: 1 << 22, MaxChunk: 1 << 22, MaxIndex: 1 << 16}}})
	if err != nil {
		return
	}
	defer u.Close()
	shape := u.Shape()
	first, last := make([]int64, len(shape)), make([]int64, len(shape))
	corner := make([]int64, len(shape))
	items := 1
	for i, n := range shape {
		// At most 8 items wide: whatever the shape, that is little memory.
		width := min(n, 8)
		if i > 3 {
			width = min(n, 1)
		}
		items *= int(width)
		corner[i], first[i], last[i] = width, n-width, n
	}
	if int64(items)*int64(u.TypeSize()) > 1<<24 {
		return
	}
	dst := make([]byte, items*u.TypeSize())
	low := u.ReadBytes(t.Context(), dst, make([]int64, len(shape)), corner)
	high := u.ReadBytes(t.Context(), dst, first, last)
	for _, err := range []error{low, high} {
		if err != nil && !errors.Is(err, cairn.ErrCorrupt) && !errors.Is(err,
			cairn.ErrUnsupported) && !errors.Is(err, cairn.ErrLimit) {
			t.Fatalf("an error of no known kind: %v", err)
		}
	}
	if again := bytes.Clone(dst); high == nil && u.ReadBytes(t.Context(), again, first,
		last) == nil && !bytes.Equal(again, dst) {
		t.Fatal("two reads of one box differ")
	}
}

// TestDamagedArraysNeverPanic changes every byte of the header and of the metalayers in several
// ways, and truncates the file at every length.
func TestDamagedArraysNeverPanic(t *testing.T) {
	rnd := rand.New(rand.NewPCG(31, 32))
	for _, c := range arrays(t) {
		if !c.Hostile || c.Sparse || c.Size > 2000 {
			continue
		}
		original, err := c.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(original); at += len(original) / rounds(len(original)) {
			damaged := bytes.Clone(original)
			damaged[at] ^= 1 << rnd.IntN(8)
			readHostile(t, damaged)
			damaged[at] = []byte{0, 0x7f, 0x80, 0xff}[rnd.IntN(4)]
			readHostile(t, damaged)
			readHostile(t, original[:at])
		}
	}
}
