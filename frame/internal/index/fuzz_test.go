package index

import (
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
)

func FuzzIndex(f *testing.F) {
	var x Index
	for i := range 700 {
		x = must(x.Append(int64(40 * i)))
	}
	for _, n := range []int{1, 3, 700} {
		y := Repeat(0, x.Fill())
		for i := range n {
			y = must(y.Append(must(x.At(i))))
		}
		c, err := new(Packer).Append(nil, y)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(c)
	}
	zeros, _ := Special(chunk.SpecialZeros)
	c, err := new(Packer).Append(nil, Repeat(1000, zeros))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(c)
	limits := cairn.Limits{MaxIndex: 1 << 16, MaxChunk: 1 << 20, MaxAlloc: 1 << 20}.WithDefaults()
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := ParseHeader(b); err != nil {
			sane(t, err)
		}
		checked := 0
		x, err := Decode(b, 0, Limits{limits, true}, func(int, int64) error { checked++; return nil })
		if err != nil {
			sane(t, err)
			return
		}
		if x.Len() > 0 && checked == 0 {
			t.Fatal("entries that nobody checked")
		}
		if x.Len() == 0 || x.Len() > 8000 {
			return
		}
		for i := range x.Len() {
			if _, err := x.At(i); err != nil {
				sane(t, err)
				return
			}
		}
		c, err := new(Packer).Append(nil, x)
		if err != nil {
			t.Fatal(err)
		}
		y, err := Decode(c, 0, Limits{limits, true}, func(int, int64) error { return nil })
		if err != nil || y.Len() != x.Len() {
			t.Fatalf("%d entries became %d, %v", x.Len(), y.Len(), err)
		}
		for i := range x.Len() {
			if got, want := must(y.At(i)), must(x.At(i)); got != want {
				t.Fatalf("entry %d: %#x became %#x", i, want, got)
			}
		}
	})
}

// sane fails the test unless err is one of the errors for invalid input.
func sane(t *testing.T, err error) {
	t.Helper()
	for _, want := range []error{cairn.ErrCorrupt, cairn.ErrLimit, cairn.ErrUnsupported} {
		if errors.Is(err, want) {
			return
		}
	}
	t.Fatalf("bytes from outside caused %v", err)
}
