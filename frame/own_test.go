package frame

import (
	"testing"

	"github.com/cairn-go/cairn/storage"
)

// TestOwnChunksNeedNoComparison checks that a handle compares all chunks except those that it wrote
// and committed itself. Staged chunks are compared too, because a program that ignores locks may
// overwrite them.
func TestOwnChunksNeedNoComparison(t *testing.T) {
	m := storage.NewMemory()
	unread := func(f *Frame) (out string) {
		v := f.cur.Load()
		for i := range v.index.Len() {
			if v.mustCheck(must(v.index.At(i))) {
				out += "?"
			} else {
				out += "."
			}
		}
		return out
	}
	add := func(f *Frame, n int) {
		for range n {
			must(f.Append(noContext, ramp(100, f.cur.Load().index.Len())))
		}
	}
	expect := func(f *Frame, want string) {
		t.Helper()
		if got := unread(f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	f := must(Create("f", &Options{TypeSize: 4, FS: m}))
	add(f, 5)
	expect(f, "?????")
	if err := f.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(f, ".....")
	mustClose(t, f)
	f = must(Open("f", &OpenOptions{FS: m, Mode: ReadWrite}))
	if err := f.Update(noContext, 2, ramp(100, 9)); err != nil {
		t.Fatal(err)
	}
	expect(f, ".???.") // an update reads the first and the last chunk
	if err := f.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(f, ".?.?.")
	if _, err := f.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(f, ".....")
	mustClose(t, f)
	f = must(Open("f", &OpenOptions{FS: m}))
	expect(f, "?????")
	mustClose(t, f)
}
