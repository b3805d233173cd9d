package pcodec

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
)

// wrappedName returns what the name of a wrapped golden says of its numbers.
func wrappedName(t testing.TB, name string) (typ Type, pages []int) {
	t.Helper()
	parts := strings.Split(name, "-")
	for _, s := range strings.Split(parts[6], ".") {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, n)
	}
	return types[parts[0]], pages
}

// readAll reads a header, metadata and pages one behind the other.
func readAll(d *WrappedDecoder, t Type, dst, src []byte, pages []int) error {
	at, err := d.ReadHeader(src)
	if err != nil {
		return err
	}
	n, err := d.ReadMeta(t, src[at:])
	if err != nil {
		return err
	}

	at += n
	for _, numbers := range pages {
		n, err := d.ReadPage(dst[:numbers*t.Size()], src[at:])
		if err != nil {
			return err
		}
		at += n
		dst = dst[numbers*t.Size():]
	}
	if at < len(src) {
		return errors.New("bytes are left")
	}
	return nil
}

// TestWrappedGoldens decodes what the library wrote, where a part begins being known only from the
// part before it.
func TestWrappedGoldens(t *testing.T) {
	modes := map[mode]int{}
	deltas := map[deltaKind]int{}
	for name, src := range goldens(t, ".wrapped", 19) {
		typ, pages := wrappedName(t, name)
		parts := strings.Split(name, "-")
		n, err := strconv.Atoi(parts[2])
		if err != nil {
			t.Fatal(err)
		}

		want := numbers(parts[0], parts[1], n)
		got := make([]byte, len(want))
		var d WrappedDecoder
		if err := readAll(&d, typ, got, src, pages); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s: other numbers", name)
		}
		count(&d.of, typ, modes, deltas)

		// Version 3 had no minor version, and all of this but dictionaries.
		clear(got)
		if err := readAll(&d, typ, got, append([]byte{3}, src[2:]...), pages); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s as version 3: %v", name, err)
		}
	}

	if len(modes) != 5 || len(deltas) != 4 {
		t.Errorf("modes %v and differences %v, want 5 and 4", modes, deltas)
	}
}

// testWrapped decodes pages that the encoder made, from the last to the first.
func testWrapped(t *testing.T, e *Encoder, src []byte, numbers []int) {
	t.Helper()
	meta, pages := e.Wrap(src, numbers)
	var d WrappedDecoder
	if _, err := d.ReadHeader(AppendHeader(nil)); err != nil {
		t.Fatal(err)
	}
	if n, err := d.ReadMeta(e.t, meta); err != nil || n != len(meta) {
		t.Fatalf("%d of %d bytes of metadata: %v", n, len(meta), err)
	}

	got := make([]byte, len(src))
	end := len(src)
	for i := len(pages) - 1; i >= 0; i-- {
		begin := end - numbers[i]*e.t.Size()
		if n, err := d.ReadPage(got[begin:end], pages[i]); err != nil || n != len(pages[i]) {
			t.Fatalf("%d of %d bytes of page %d of %v: %v", n, len(pages[i]), i, numbers, err)
		}
		end = begin
	}
	if !bytes.Equal(got, src) {
		t.Fatalf("type %d in pages of %v: other numbers", e.t, numbers)
	}
}

// TestWrap decodes what the encoder wraps, of all types and levels, in pages of all sizes.
func TestWrap(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 0))
	modes := map[mode]int{}
	deltas := map[deltaKind]int{}
	for _, typ := range types {
		for _, n := range []int{1, 2, 300, 2000} {
			for what, src := range arrays(typ, n, 5) {
				e := NewEncoder(typ, (n+len(what))%(maxLevel+1))
				var sizes []int
				for left := n; left > 0; left -= sizes[len(sizes)-1] {
					sizes = append(sizes, 1+r.IntN(left))
				}
				testWrapped(t, e, src, sizes)
				slices.Reverse(sizes)
				testWrapped(t, e, src, sizes)
				countWritten(e, modes, deltas)
			}
		}
	}
	if len(modes) < 4 || len(deltas) < 3 {
		t.Errorf("modes %v and differences %v, want 4 and 3", modes, deltas)
	}
}

// countWritten counts the mode and the differences of the chunk that was encoded last.
func countWritten(e *Encoder, modes map[mode]int, deltas map[deltaKind]int) {
	switch e.t.Size() {
	case 4:
		modes[e.of32.mode]++
		deltas[e.of32.delta.kind]++
	case 8:
		modes[e.of64.mode]++
		deltas[e.of64.delta.kind]++
	}
}

// TestWrapOnePage checks that a chunk with one page has the bytes of a standalone file.
func TestWrapOnePage(t *testing.T) {
	for what, src := range arrays(Float32, 2000, 6) {
		e := NewEncoder(Float32, DefaultLevel)
		meta, pages := e.Wrap(src, []int{2000})
		want := append(append(AppendHeader(nil), byte(Float32), 1999&255, 1999>>8, 0), meta...)
		want = append(append(want, pages[0]...), 0)
		if file := e.Append(nil, src); !bytes.HasSuffix(file, want) {
			t.Errorf("%s: the standalone file has other bytes", what)
		}
	}
}

// TestWrappedErrors checks calls out of order and with the wrong room.
func TestWrappedErrors(t *testing.T) {
	meta, pages := NewEncoder(Int32, 8).Wrap(make([]byte, 40), []int{4, 6})
	var d WrappedDecoder
	check := func(what string, want error, err error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}

	_, err := d.ReadPage(nil, pages[0])
	check("a page first", cairn.ErrCorrupt, err)
	_, err = d.ReadMeta(Int32, meta)
	check("metadata first", cairn.ErrCorrupt, err)
	_, err = d.ReadHeader([]byte{5, 0})
	check("version 5", cairn.ErrUnsupported, err)
	_, err = d.ReadHeader([]byte{4})
	check("half a header", cairn.ErrCorrupt, err)

	_, err = d.ReadHeader([]byte{4, 9})
	check("version 4.9", nil, err)
	_, err = d.ReadMeta(12, meta)
	check("type 12", cairn.ErrCorrupt, err)
	_, err = d.ReadPage(nil, pages[0])
	check("a page after failed metadata", cairn.ErrCorrupt, err)
	_, err = d.ReadMeta(Int32, meta)
	check("metadata", nil, err)

	_, err = d.ReadPage(make([]byte, 18), pages[0])
	check("half a number", cairn.ErrCorrupt, err)
	_, err = d.ReadPage(make([]byte, 16), pages[0])
	check("a page", nil, err)
	_, err = d.ReadPage(nil, pages[0])
	check("an empty page", nil, err)
}

// TestWrappedDamage decodes what was cut off or changed: it fails or gives other numbers, and never
// panics or reads more than there is.
func TestWrappedDamage(t *testing.T) {
	var d WrappedDecoder
	for name, src := range goldens(t, ".wrapped", 19) {
		typ, pages := wrappedName(t, name)
		parts := strings.Split(name, "-")
		n, _ := strconv.Atoi(parts[2])
		dst := make([]byte, n*typ.Size())

		step := max(1, len(src)/60)
		for cut := 0; cut < len(src); cut += step {
			if readAll(&d, typ, dst, src[:cut], pages) == nil {
				t.Fatalf("%s: the first %d of %d bytes decode", name, cut, len(src))
			}
		}
		damaged := bytes.Clone(src)
		for at := 0; at < len(src); at += step {
			for bit := range 8 {
				damaged[at] ^= 1 << bit
				_ = readAll(&d, typ, dst, damaged, pages) // there is no checksum
				damaged[at] ^= 1 << bit
			}
		}
	}
}
