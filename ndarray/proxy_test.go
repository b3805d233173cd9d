package ndarray_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// TestProxiesReadFetchedChunks reads a proxy of four chunks of two blocks, with the notes that
// python-blosc2 makes of fetched blocks.
func TestProxiesReadFetchedChunks(t *testing.T) {
	type notes map[string]any
	for name, c := range map[string]struct {
		notes   notes
		written []int   // chunks with data
		blocks  [8]bool // which can be read
	}{
		"chunks":              {notes{"proxy-fetched": []byte{0b1001}}, []int{0}, [8]bool{0: true, 1: true, 6: true, 7: true}},
		"blocks":              {notes{"proxy-fetched-bpc": int64(2), "proxy-fetched-blocks": []byte{0b10000010}}, []int{0, 3}, [8]bool{1: true, 7: true}},
		"blocks win":          {notes{"proxy-fetched-bpc": int64(2), "proxy-fetched-blocks": []byte{1}, "proxy-fetched": []byte{15}}, nil, [8]bool{0: true}},
		"chunks before":       {notes{"proxy-fetched-bpc": int64(2), "proxy-fetched": []byte{2}}, nil, [8]bool{2: true, 3: true}},
		"died while writing":  {notes{"proxy-fetched": []byte{15}, "proxy-dirty": true}, []int{0}, [8]bool{}},
		"of another number":   {notes{"proxy-fetched": []byte{15, 0}}, []int{2}, [8]bool{4: true, 5: true}},
		"before there were":   {nil, []int{1, 2}, [8]bool{2: true, 3: true, 4: true, 5: true}},
		"no bits of blocks":   {notes{"proxy-fetched-bpc": int64(2)}, []int{1}, [8]bool{}},
		"nonsense for blocks": {notes{"proxy-fetched-bpc": int64(1) << 62, "proxy-fetched-blocks": []byte{1}}, nil, [8]bool{}},
	} {
		t.Run(name, func(t *testing.T) {
			u := proxyOf(t, c.written, c.notes)
			for b, want := range c.blocks {
				_, err := u.Read(t.Context(), ndarray.Range(int64(2*b), int64(2*b+2)))
				if want != (err == nil) || err != nil && (!errors.Is(err, cairn.ErrNotFound) || !strings.Contains(err.Error(), "has not fetched it")) {
					t.Errorf("block %d: %v", b, err)
				}
			}
			if _, err := u.Read(t.Context()); !errors.Is(err, cairn.ErrNotFound) {
				t.Errorf("the whole: %v", err)
			}
			visits := 0
			for _, err := range u.Blocks(t.Context()) {
				if err != nil && !errors.Is(err, cairn.ErrNotFound) {
					t.Error(err)
				}
				visits++
			}
			if visits > 8 {
				t.Errorf("%d blocks were visited", visits)
			}
			if err := u.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// proxyOf returns an array of 16 bytes in chunks of 4 and blocks of 2, marked as a proxy. The
// chunks in written are not zero.
func proxyOf(t *testing.T, written []int, notes map[string]any) *ndarray.Untyped {
	t.Helper()
	u, err := ndarray.NewUntyped("|u1", ndarray.Shape{16}, &ndarray.Options{ChunkShape: ndarray.Shape{4}, BlockShape: ndarray.Shape{2},
		Meta: []meta.Layer{{Name: "proxy-source", Content: []byte{0x80}}}})
	if err != nil {
		t.Fatal(err)
	}
	// The array is marked last, since the marks would prevent writes.
	for _, k := range written {
		if err := u.Write(t.Context(), []byte{1, 2, 3, 4}, ndarray.Range(int64(4*k), int64(4*k+4))); err != nil {
			t.Fatal(err)
		}
	}
	for name, v := range notes {
		b, err := meta.Pack(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := u.Frame().SetVL(name, b); err != nil {
			t.Fatal(err)
		}
	}
	b, err := u.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if u, err = ndarray.FromBytes(b, nil); err != nil {
		t.Fatal(err)
	}
	return u
}
