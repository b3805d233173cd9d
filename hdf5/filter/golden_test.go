package filter

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/json"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/cairn-go/cairn"
)

// A golden is a chunk in testdata, which other programs have written.
type golden struct {
	Name    string
	Filters [][2]json.RawMessage
	Mask    uint32
	Stored  []byte
	Items   []byte // deflated
}

// goldens returns all chunks in testdata, with their items and filters.
func goldens(t testing.TB) (chunks []golden, filters [][]Filter) {
	t.Helper()
	f, err := os.Open("testdata/chunks.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var g golden
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		r, err := zlib.NewReader(bytes.NewReader(g.Items))
		if err != nil {
			t.Fatal(err)
		}
		if g.Items, err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		var list []Filter
		for _, pair := range g.Filters {
			var one Filter
			if err := errors.Join(json.Unmarshal(pair[0], &one.ID), json.Unmarshal(pair[1], &one.Params)); err != nil {
				t.Fatal(err)
			}
			list = append(list, one)
		}
		chunks, filters = append(chunks, g), append(filters, list)
	}
	if err := lines.Err(); err != nil || len(chunks) < 97 {
		t.Fatal(len(chunks), err)
	}
	return chunks, filters
}

// What h5py reads is what Decode makes of the stored bytes.
func TestGolden(t *testing.T) {
	chunks, filters := goldens(t)
	seen := map[ID]bool{}
	for i, g := range chunks {
		got := make([]byte, len(g.Items))
		if err := Decode(got, g.Stored, filters[i], g.Mask); err != nil {
			t.Errorf("%s: %v", g.Name, err)
		} else if !bytes.Equal(got, g.Items) {
			t.Errorf("%s %v: other bytes\n%x\n%x", g.Name, filters[i], got[:min(len(got), 64)], g.Items[:min(len(got), 64)])
		}
		for _, f := range filters[i] {
			seen[f.ID] = true
		}
	}
	for _, r := range rows {
		if !seen[r.id] && r.id != BitGroom && r.id != BitRound {
			t.Errorf("no chunk with %s", r.id)
		}
	}
}

// Every chunk that is cut, or has bytes changed, fails or decodes to something of the right size.
func TestDamage(t *testing.T) {
	chunks, filters := goldens(t)
	for i, g := range chunks {
		dst := make([]byte, len(g.Items))
		for cut := 0; cut < len(g.Stored); cut += 1 + len(g.Stored)/50 {
			allowed(t, Decode(dst, g.Stored[:cut], filters[i], g.Mask))
		}
		for at := 0; at < len(g.Stored); at += 1 + len(g.Stored)/100 {
			damaged := bytes.Clone(g.Stored)
			damaged[at] ^= byte(1 + at%255)
			allowed(t, Decode(dst, damaged, filters[i], g.Mask))
		}
		for _, size := range []int{0, 1, len(dst) - 1, len(dst) + 1, 2 * len(dst)} {
			if err := Decode(make([]byte, size), g.Stored, filters[i], g.Mask); err == nil {
				t.Errorf("%s of %d bytes decodes to %d", g.Name, len(dst), size)
			} else {
				allowed(t, err)
			}
		}
	}
}

// allowed fails unless an error is one that bad input may cause.
func allowed(t testing.TB, err error) {
	t.Helper()
	if err != nil && !errors.Is(err, cairn.ErrCorrupt) && !errors.Is(err, cairn.ErrUnsupported) &&
		!errors.Is(err, cairn.ErrLimit) {
		t.Fatal(err)
	}
}
