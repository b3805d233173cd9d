package job

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/asm/crc32c"
)

// FuzzParse checks that plans which are accepted are written as they were read, and that their
// output can be opened.
func FuzzParse(f *testing.F) {
	s := newSite(f)
	for _, c := range s.cases() {
		o := *c.o
		o.Output, o.TaskBytes, o.MaxReads = "out.b2nd", 8000, 20
		p, err := New(f.Context(), Arrays(s.fs), &o)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(p.JSON())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var loose Plan
		if json.Unmarshal(text, &loose) == nil && loose.Format == formatName {
			loose.ID = loose.hash() // so that what the fuzzer changes gets beyond the hash
			text = loose.JSON()
		}
		limits := &cairn.Limits{MaxAlloc: 1 << 20, MaxChunk: 1 << 20, MaxMeta: 1 << 16}
		p, err := Parse(text, limits)
		if err != nil {
			return
		}
		again, err := Parse(p.JSON(), limits)
		if err != nil || !bytes.Equal(again.JSON(), p.JSON()) {
			t.Fatalf("a plan is read back as another one: %v", err)
		}
		if p.Kind == Reduce {
			if d, err := p.formDivision(t.Context()); err == nil && p.checkPieces(d) == nil && p.Tasks > 0 {
				d.Size(p.pieces(d, p.Tasks-1))
			}
			return
		}
		j := &Job{plan: p, limits: limits}
		if most, err := j.mostPart(); err != nil || most < partHeader {
			t.Fatalf("parts of %d bytes: %v", most, err)
		}
	})
}

func FuzzPart(f *testing.F) {
	const id = "00112233445566778899aabbccddeeff"
	p := &part{task: 3}
	f.Add(p.bytes(id))
	for i, c := range []string{"a chunk", "another chunk"} {
		p.add(numbered{number: int64(5 + i), bytes: uint32(len(c)), sum: crc32c.Update(0, []byte(c)), encoded: []byte(c)})
	}
	f.Add(p.bytes(id))
	p.add(numbered{number: 9, object: 1 << 61, bytes: 70, sum: 1})
	f.Add(p.bytes(id))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := parsePart(b, id, 3)
		if err != nil {
			if !errors.Is(err, cairn.ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		chunks, err := p.chunks()
		if err != nil {
			return
		}
		again := &part{task: 3}
		for _, c := range chunks {
			again.add(c)
		}
		if !bytes.Equal(again.bytes(id), b) {
			t.Fatal("a part is written differently")
		}
	})
}

func TestParseRefuses(t *testing.T) {
	s := newSite(t)
	good, err := New(t.Context(), Arrays(s.fs), &Options{Inputs: []Input{{Path: "a.b2nd"}}, Output: "out.b2nd"})
	if err != nil {
		t.Fatal(err)
	}
	change := func(edit func(p *Plan)) string {
		p := *good
		p.Output.Chunks, p.Box = append([]int64(nil), p.Output.Chunks...), append([]int64(nil), p.Box...)
		edit(&p)
		p.ID = p.hash()
		return string(p.JSON())
	}
	text := string(good.JSON())
	for what, bad := range map[string]string{
		"another ID":           strings.Replace(text, good.ID, strings.Repeat("0", 32), 1),
		"another path":         strings.Replace(text, "a.b2nd", "b.b2nd", 1),
		"an unknown field":     strings.Replace(text, `"nonce"`, `"other": 1, "nonce"`, 1),
		"more text":            text + "{}",
		"no text":              "",
		"another version":      change(func(p *Plan) { p.Format = "cairn job 2" }),
		"another kind":         change(func(p *Plan) { p.Kind = "dance" }),
		"no input":             change(func(p *Plan) { p.Inputs = nil }),
		"an expression":        change(func(p *Plan) { p.Expression = "x" }),
		"an axis":              change(func(p *Plan) { p.Axis = 1 }),
		"fewer tasks":          change(func(p *Plan) { p.Tasks-- }),
		"no boxes":             change(func(p *Plan) { p.Together = 0 }),
		"boxes of parts":       change(func(p *Plan) { p.Box[0] = 7 }),
		"boxes of one axis":    change(func(p *Plan) { p.Box = p.Box[:1] }),
		"boxes of nothing":     change(func(p *Plan) { p.Box[1] = 0 }),
		"other chunks":         change(func(p *Plan) { p.Output.Chunks[0] = 10 }),
		"another dtype":        change(func(p *Plan) { p.Output.DType = "<i4" }),
		"no dtype":             change(func(p *Plan) { p.Output.DType = "nonsense" }),
		"no path":              change(func(p *Plan) { p.Output.Path = "" }),
		"half a template":      change(func(p *Plan) { p.Output.Template = p.Output.Template[:50] }),
		"a template of chunks": change(func(p *Plan) { p.Output.Template = []byte(s.read("a.b2nd")) }),
		"leaves of a copy":     change(func(p *Plan) { p.Leaves = []Leaf{{Key: "a"}} }),
		"no workers":           change(func(p *Plan) { p.Workers = 0 }),
	} {
		if _, err := Parse([]byte(bad), nil); !errors.Is(err, cairn.ErrCorrupt) && !errors.Is(err, cairn.ErrUnsupported) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
