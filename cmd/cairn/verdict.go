package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
)

// verdict is what verify says about one file. The names in JSON are documented in docs/command.md.
type verdict struct {
	Path   string  `json:"path"`
	Sound  bool    `json:"sound"`
	Kind   string  `json:"kind"` // "array", "frame", or "unreadable" if it cannot be opened
	Shape  []int64 `json:"shape,omitempty"`
	DType  string  `json:"dtype,omitempty"`
	Chunks int     `json:"chunks"`

	Checksums verdicts `json:"checksums"`
	Special   int      `json:"special_chunks"`
	Live      int64    `json:"live_bytes"`
	Dead      int64    `json:"dead_bytes"`
	Overlaps  [][2]int `json:"overlaps"`
	Orphans   []string `json:"orphans"`
	Surplus   int64    `json:"surplus_chunks"`
	Recut     int64    `json:"recut_chunks"`
	Note      string   `json:"dtype_note,omitempty"`
	Faults    []fault  `json:"faults"`

	err     error
	remarks string
}

// verdicts say how far checksums vouch for a file: its header, index and metalayers in a word, its stored chunks by number.
type verdicts struct {
	Frame      string `json:"frame"`
	Healed     bool   `json:"healed"`
	Verified   int    `json:"verified"`
	Alone      int    `json:"verified_alone"`
	Unverified int    `json:"unverified"`
}

// fault is one thing that is wrong.
type fault struct {
	Layer  string `json:"layer,omitempty"`
	Chunk  *int64 `json:"chunk,omitempty"`
	Offset *int64 `json:"offset,omitempty"`
	Text   string `json:"text"`
}

func newFault(err error) fault {
	f := fault{Text: oneLine(err.Error())}
	var ce *cairn.CorruptError
	if errors.As(err, &ce) {
		f.Layer = ce.Layer
		if ce.Chunk >= 0 {
			f.Chunk = &ce.Chunk
		}
		if ce.Offset >= 0 {
			f.Offset = &ce.Offset
		}
	}
	return f
}

// newVerdict sums up a report, whose error is about the file or about reading it.
func newVerdict(path string, r *ndarray.Report, err error) verdict {
	if errors.Is(err, cairn.ErrNotFound) && len(r.Frame.Faults) == 0 && r.Frame.Info.HeaderLen > 0 {
		err = nil // a frame that is no array
	}
	v := verdict{
		Path: path, Sound: err == nil, Kind: "frame", Chunks: r.Frame.Info.NumChunks, Special: r.Frame.Special, Live: r.Frame.Live, Dead: r.Frame.Dead,
		Overlaps: append([][2]int{}, r.Frame.Overlap...), Orphans: append([]string{}, r.Frame.Orphans...),
		Checksums: verdicts{
			r.Frame.Info.Verdict.String(), r.Frame.Info.Healed, r.Frame.Stored[frame.Verified], r.Frame.Stored[frame.VerifiedChunkOnly], r.Frame.Stored[frame.Unverified],
		},
		Surplus: r.Surplus, Recut: r.Recut, Note: r.DTypeNote, Faults: []fault{}, err: err, remarks: remarks(r),
	}
	if r.Shape != nil {
		v.Kind, v.Shape, v.DType = "array", r.Shape, r.DType
	} else if err != nil && r.Frame.Info.HeaderLen == 0 {
		v.Kind = "unreadable"
	}
	for _, faults := range [][]error{r.Frame.Faults, r.Faults} {
		for _, f := range faults {
			v.Faults = append(v.Faults, newFault(f))
		}
	}
	if err != nil && len(v.Faults) == 0 {
		v.Faults = append(v.Faults, newFault(err))
	}
	return v
}

// line says the worst in one line.
func (v *verdict) line() string {
	err := withPath(v.Path, v.err)
	if more := len(v.Faults) - 1; more > 0 {
		return fmt.Sprintf("%v (and %d more faults)", err, more)
	}
	return err.Error()
}

// what names the thing in a few words.
func (v *verdict) what() string {
	if v.Kind == "array" {
		return fmt.Sprintf("array of %s %s in %d chunks", shapeText(v.Shape), v.DType, v.Chunks)
	}
	return fmt.Sprintf("frame of %d chunks", v.Chunks)
}

// print writes what is sound; of what is not, every fault if all is set.
func (v *verdict) print(w io.Writer, all bool) error {
	if v.Sound {
		_, err := fmt.Fprintf(w, "%s: sound, %s%s\n", oneLine(v.Path), oneLine(v.what()), oneLine(v.remarks))
		return err
	}
	if !all {
		return nil
	}
	what := "cannot be opened"
	if v.Kind != "unreadable" {
		what = v.what() + v.remarks
	}
	if _, err := fmt.Fprintf(w, "%s: damaged, %s\n", oneLine(v.Path), oneLine(what)); err != nil {
		return err
	}
	for _, f := range v.Faults {
		if _, err := fmt.Fprintf(w, "  %s\n", f.Text); err != nil {
			return err
		}
	}
	return nil
}
