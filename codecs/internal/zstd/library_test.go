package zstd_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs/internal/zstd"
	"github.com/cairn-go/cairn/internal/test/asmtest"
	reference "github.com/klauspost/compress/zstd"
)

// A libraryFrame is a file of testdata and its contents as decoded by the Go library.
type libraryFrame struct {
	name    string
	stream  []byte
	content []byte
	dict    []byte
}

// frames reads the frames in testdata that need no dictionary.
func frames(t testing.TB) []libraryFrame { return load(t, "*[0-9].zst", nil) }

func dictionary(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/stations.dict")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func load(t testing.TB, pattern string, dict []byte) (all []libraryFrame) {
	t.Helper()
	names, err := filepath.Glob("testdata/" + pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("no frames: %v", err)
	}
	var options []reference.DOption
	if dict != nil {
		options = append(options, reference.WithDecoderDicts(dict))
	}
	lib, err := reference.NewReader(nil, options...)
	if err != nil {
		t.Fatal(err)
	}
	defer lib.Close()
	for _, name := range names {
		f := libraryFrame{name: filepath.Base(name), dict: dict}
		if f.stream, err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
		if f.content, err = lib.DecodeAll(f.stream, nil); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		stem := strings.TrimSuffix(strings.TrimSuffix(f.name, ".zst"), ".dict")
		if size := stem[strings.LastIndexByte(stem, '-')+1:]; size != strconv.Itoa(len(f.content)) {
			t.Fatalf("%s holds %d bytes", name, len(f.content))
		}
		all = append(all, f)
	}
	return all
}

func TestLibraryFrames(t *testing.T) {
	all := append(frames(t), load(t, "*.dict.zst", dictionary(t))...)
	asmtest.EachTier(t, func(t *testing.T) {
		for _, f := range all {
			d, err := zstd.NewDecoder(f.dict)
			if err != nil {
				t.Fatal(err)
			}
			// In the middle of other memory, and right before and after inaccessible pages.
			mustDecode(t, d, f.stream, f.content, f.name)
			in, out := asmtest.NewGuard(t, len(f.stream)), asmtest.NewGuard(t, len(f.content))
			for _, at := range []func(g *asmtest.Guard, n int) []byte{
				func(g *asmtest.Guard, n int) []byte { return g.Head(n, 0) },
				func(g *asmtest.Guard, n int) []byte { return g.Tail(n, 0) },
			} {
				src, dst := at(in, len(f.stream)), at(out, len(f.content))
				copy(src, f.stream)
				if err := d.Decode(dst, src); err != nil || !bytes.Equal(dst, f.content) || !out.Intact() || !in.Intact() {
					t.Errorf("%s at the end of memory: %v", f.name, err)
				}
			}
			if got := testing.AllocsPerRun(3, func() { _ = d.Decode(f.content, f.stream) }); got != 0 {
				t.Errorf("%s: %v allocations", f.name, got)
			}
		}
	})
}

// TestOtherLengths decodes to more and fewer bytes than the content has.
func TestOtherLengths(t *testing.T) {
	d := decoder(t)
	for _, f := range frames(t) {
		for _, n := range []int{0, 1, len(f.content) / 2, len(f.content) - 1, len(f.content) + 1, 2*len(f.content) + 1} {
			if n < 0 || n == len(f.content) {
				continue
			}
			if err := d.Decode(make([]byte, n), f.stream); !errors.Is(err, cairn.ErrCorrupt) {
				t.Errorf("%s as %d bytes: %v", f.name, n, err)
			}
		}
		for cut := 0; cut < len(f.stream); cut += 1 + len(f.content)/4000 {
			if cut == 0 && len(f.content) == 0 {
				continue // an empty stream is valid and has no content
			}
			if err := d.Decode(make([]byte, len(f.content)), bytes.Clone(f.stream[:cut])); !errors.Is(err, cairn.ErrCorrupt) {
				t.Errorf("%s: the first %d bytes: %v", f.name, cut, err)
			}
		}
	}
}

// TestDictionaryNeeded decodes frames that name a dictionary without it, or with another one.
func TestDictionaryNeeded(t *testing.T) {
	dict := dictionary(t)
	other := bytes.Clone(dict)
	other[4]++ // its id
	for _, f := range load(t, "*.dict.zst", dict) {
		for _, dict := range [][]byte{nil, other} {
			d, err := zstd.NewDecoder(dict)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Decode(make([]byte, len(f.content)), f.stream); !errors.Is(err, cairn.ErrCorrupt) {
				t.Errorf("%s with dictionary %v: %v", f.name, dict != nil, err)
			}
		}
		// Frames that need no dictionary decode with one too.
	}
	d, err := zstd.NewDecoder(dict)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range frames(t) {
		mustDecode(t, d, f.stream, f.content, f.name)
	}
}

// TestBrokenDictionary truncates a dictionary. One that is too short for a magic number and an id
// is raw content.
func TestBrokenDictionary(t *testing.T) {
	dict := dictionary(t)
	tables := len(dict) - 2900 // somewhere in the content
	for cut := 8; cut < tables; cut++ {
		if _, err := zstd.NewDecoder(dict[:cut]); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("the first %d bytes: %v", cut, err)
		}
	}
}

// FuzzDictionary decodes any bytes with a dictionary and compares with the library if the frame
// names that dictionary. If a frame does not name it, the library ignores the dictionary; C and
// this package use it.
func FuzzDictionary(f *testing.F) {
	dict := dictionary(f)
	for _, frame := range load(f, "*.dict.zst", dict) {
		f.Add(uint16(len(frame.content)), frame.stream)
	}
	lib, err := reference.NewReader(nil, reference.WithDecoderDicts(dict), reference.WithDecoderConcurrency(1), reference.WithDecodeAllCapLimit(true))
	if err != nil {
		f.Fatal(err)
	}
	d, err := zstd.NewDecoder(dict)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, n uint16, stream []byte) {
		dst := make([]byte, n)
		if err := d.Decode(dst, stream); err != nil || len(stream) < 5 || stream[4]&3 == 0 {
			return
		}
		want, err := lib.DecodeAll(stream, make([]byte, 0, n))
		if err != nil || !bytes.Equal(dst, want) {
			t.Fatalf("decodes to %d bytes, the library to %d: %v", n, len(want), err)
		}
	})
}
