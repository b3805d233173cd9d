package main

import (
	"fmt"
	"strings"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
)

// repair is the report of the verb. docs/command.md documents its JSON.
type repair struct {
	Path      string      `json:"path"`
	New       string      `json:"new"`
	Whole     bool        `json:"whole"`
	Chunks    int         `json:"chunks"`
	Saved     int         `json:"saved"`
	LostTotal int         `json:"lost"`
	Unchecked int         `json:"unchecked"`
	Guide     string      `json:"guide"`
	Guessed   bool        `json:"guessed"`
	Rebuilt   bool        `json:"header_rebuilt"`
	Lost      []lostChunk `json:"lost_chunks"`
	Layers    []lostLayer `json:"lost_metalayers"`
	Faults    []fault     `json:"faults"`
}

type lostChunk struct {
	Chunk  int     `json:"chunk"`
	Count  int     `json:"count"`
	Offset *int64  `json:"offset,omitempty"`
	File   string  `json:"file,omitempty"`
	Bytes  int64   `json:"decoded_bytes"`
	Start  []int64 `json:"start,omitempty"`
	Stop   []int64 `json:"stop,omitempty"`
	Why    string  `json:"why"`
}

type lostLayer struct {
	Name     string `json:"name"`
	Variable bool   `json:"variable"`
	Why      string `json:"why"`
}

func newRepair(in, out string, r *ndarray.SalvageReport) *repair {
	f := &r.Frame
	d := &repair{
		Path: in, New: out, Whole: f.Whole(), Chunks: f.Info.NumChunks, Saved: f.Saved, LostTotal: f.LostTotal, Unchecked: f.Unchecked,
		Guide: f.Guide.String(), Guessed: f.Guessed, Rebuilt: f.Rebuilt, Lost: []lostChunk{}, Layers: []lostLayer{}, Faults: []fault{},
	}
	boxes := map[int]ndarray.LostBox{}
	for _, b := range r.Boxes {
		boxes[b.Chunk] = b
	}
	for _, l := range f.Lost {
		c := lostChunk{Chunk: l.Chunk, Count: l.Count, File: l.File, Bytes: l.NBytes, Why: oneLine(l.Err.Error())}
		if l.Offset >= 0 {
			c.Offset = &l.Offset
		}
		if b, ok := boxes[l.Chunk]; ok && l.Count == 1 {
			c.Start, c.Stop = b.Start, b.Stop
		}
		d.Lost = append(d.Lost, c)
	}
	for _, l := range f.Layers {
		d.Layers = append(d.Layers, lostLayer{l.Name, l.Variable, oneLine(l.Err.Error())})
	}
	for _, err := range f.Faults {
		d.Faults = append(d.Faults, newFault(err))
	}
	return d
}

// text returns the report for people.
func (d *repair) text() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintln(&b, oneLine(fmt.Sprintf(format, args...))) }
	line("%s: %d of %s saved", d.New, d.Saved, count(d.Chunks, "chunk"))
	if d.Unchecked > 0 {
		line("  %d of them cannot be decoded by cairn, and were copied unchanged", d.Unchecked)
	}
	for _, f := range d.Faults {
		line("  damaged: %s", f.Text)
	}
	if d.Rebuilt {
		line("  the header was rebuilt from the chunks and metalayers")
	}
	if d.Guide != frame.GuideIndex.String() {
		line("  the order of the chunks comes from: %s", d.Guide)
	}
	if d.Guessed {
		line("  which chunks are lost is an estimate")
	}
	for _, c := range d.Lost {
		switch {
		case c.Count > 1:
			line("  lost chunks %d to %d: %s", c.Chunk, c.Chunk+c.Count-1, c.Why)
		case c.Start != nil:
			line("  lost chunk %d, items %s: %s", c.Chunk, boxText(c.Start, c.Stop), c.Why)
		default:
			line("  lost chunk %d, %s: %s", c.Chunk, count(c.Bytes, "byte"), c.Why)
		}
	}
	for _, l := range d.Layers {
		kind := "metalayer"
		if l.Variable {
			kind = "vlmetalayer"
		}
		if l.Name == "" {
			line("  lost every %s: %s", kind, l.Why)
			continue
		}
		line("  lost %s %q: %s", kind, l.Name, l.Why)
	}
	return b.String()
}

// boxText writes a box as a selection.
func boxText(start, stop []int64) string {
	parts := make([]string, len(start))
	for i := range start {
		parts[i] = fmt.Sprintf("%d:%d", start[i], stop[i])
	}
	return strings.Join(parts, ", ")
}
