package command

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/internal/show/table"
	"github.com/cairn-go/cairn/ndarray"
)

// verdict is the result of verify for one file. docs/command.md documents its JSON.
type verdict struct {
	Path  string `json:"path"`
	Sound bool   `json:"sound"`
	// unreadable if it cannot be opened
	Kind      described.Kind `json:"kind"`
	Container string         `json:"container,omitempty"` // the kind of a store
	// of a foreign file: its format, and whether an array in it has a kind that cairn does not read
	Format      string  `json:"format,omitempty"`
	Unsupported bool    `json:"unsupported,omitempty"`
	Shape       []int64 `json:"shape,omitempty"`
	DType       string  `json:"dtype,omitempty"`
	NumChunks   int     `json:"num_chunks"`

	Checksums verdicts `json:"checksums"`
	Special   int      `json:"special_chunks"`
	Live      int64    `json:"live_bytes"`
	Dead      int64    `json:"dead_bytes"`
	Tail      int64    `json:"tail_bytes"`
	Overlaps  [][2]int `json:"overlaps"`
	Orphans   []string `json:"orphans"`
	Surplus   int64    `json:"surplus_chunks"`
	Recut     int64    `json:"recut_chunks"`
	Note      string   `json:"dtype_note,omitempty"`
	Faults    []fault  `json:"faults"`

	err     error
	missing bool // there is nothing of that name
	remarks string
	leaves  int    // of a store
	is      string // what a foreign file is
}

// verdicts say how far checksums vouch for a file: its header, index and metalayers in a word, its
// stored chunks by number.
type verdicts struct {
	Frame      string `json:"frame"`
	Healed     bool   `json:"healed"`
	Verified   int    `json:"verified"`
	Alone      int    `json:"verified_alone"`
	Unverified int    `json:"unverified"`
}

// fault is one defect.
type fault struct {
	Layer  string `json:"layer,omitempty"`
	Chunk  *int64 `json:"chunk,omitempty"`
	Offset *int64 `json:"offset,omitempty"`
	Text   string `json:"text"`
}

func newFault(err error) fault {
	f := fault{Text: console.OneLine(err.Error())}
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
		Path: path, Sound: err == nil, Kind: described.FrameKind, NumChunks: r.Frame.Info.NumChunks, Special: r.Frame.Special,
		Live: r.Frame.Live, Dead: r.Frame.Dead, Tail: r.Frame.Tail,
		Overlaps: append([][2]int{}, r.Frame.Overlap...), Orphans: append([]string{}, r.Frame.Orphans...),
		Checksums: verdicts{
			r.Frame.Info.Verdict.String(), r.Frame.Info.Healed, r.Frame.Stored[frame.Verified],
			r.Frame.Stored[frame.VerifiedChunkOnly], r.Frame.Stored[frame.Unverified],
		},
		Surplus: r.Surplus, Recut: r.Recut, Note: r.DTypeNote, Faults: []fault{}, err: err, remarks: remarks(r),
	}

	if r.Shape != nil {
		v.Kind = described.ArrayKind
		v.Shape = r.Shape
		v.DType = r.DType
	} else if err != nil && r.Frame.Info.HeaderLen == 0 {
		v.Kind = described.Unreadable
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

// missingVerdict is about what cannot be looked at: usually because it does not exist.
func missingVerdict(p place.Place, err error) verdict {
	v := newVerdict(p.String(), &ndarray.Report{}, err)
	v.missing = errors.Is(err, fs.ErrNotExist) || errors.Is(err, cairn.ErrNotFound)
	return v
}

// line returns the worst fault as one line.
func (v *verdict) line() string {
	err := naming.In(v.Path, v.err)
	if more := len(v.Faults) - 1; more > 0 {
		return fmt.Sprintf("%v (and %s)", err, console.Count(more, "more fault"))
	}
	return err.Error()
}

// what describes the file in a few words.
func (v *verdict) what() string {
	switch {
	case v.is != "" && v.Kind == described.ArrayKind:
		return fmt.Sprintf("array of %s %s in %s", item.Shape(v.Shape), v.DType, v.is)
	case v.is != "":
		return v.is + " of " + console.Count(v.leaves, "array")
	case v.Kind == described.ArrayKind:
		return fmt.Sprintf("array of %s %s in %s", item.Shape(v.Shape), v.DType, console.Count(v.NumChunks, "chunk"))
	case v.Container != "":
		return v.Container + " of " + console.Count(v.leaves, "leaf")
	}
	return "frame of " + console.Count(v.NumChunks, "chunk")
}

// healedText is the advice for a damaged header that only cairn can read.
const healedText = "its header is damaged and was read from the commit record, as only cairn can; " +
	"cairn copy makes a sound file"

// state returns the verdict in a word or two, and their style.
func (v *verdict) state() (string, table.Style) {
	switch {
	case v.Sound && v.Checksums.Healed:
		return "healed", table.Yellow
	case v.Sound:
		return "sound", table.Green
	case v.Unsupported:
		return "not verified", table.Yellow
	case v.missing:
		return "not found", table.Red
	}
	return "damaged", table.Red
}

// more says what else is known.
func (v *verdict) more() string {
	switch {
	case v.Sound && v.Checksums.Healed:
		return v.remarks + "; " + healedText
	case v.Sound:
		return v.remarks
	case v.Unsupported || v.Kind == described.Unreadable:
		return ""
	}
	return v.extent()
}

// text returns the verdict as text, with every fault if all is set.
func (v *verdict) text(std *streams, all bool) string {
	state, style := v.state()
	text := console.OneLine(v.Path) + ": " + state
	switch {
	case v.Unsupported, v.missing:
	case v.Kind == described.Unreadable:
		text += ", cannot be opened"
	default:
		text += ", " + console.OneLine(v.what()+v.more())
	}
	text += "\n"

	if all {
		for _, f := range v.Faults {
			text += "  " + f.Text + "\n"
		}
	}
	return strings.Replace(std.Hanging(text), ": "+state, ": "+std.Color.Paint(style, state), 1)
}

// verdictTable lists verdicts, with every fault if all is set.
func verdictTable(verdicts []verdict, all bool) *table.Table {
	t := table.New(table.Column{Keep: true}, table.Column{Path: true}, table.Column{Spare: true}, table.Column{})
	for i := range verdicts {
		v := &verdicts[i]
		state, style := v.state()
		if v.Sound && !v.Checksums.Healed {
			style = "" // what is not sound stands out
		}

		what := v.what()
		more := strings.TrimPrefix(v.more(), "; ")
		switch {
		case v.Unsupported, v.missing:
			what = ""
		case v.Kind == described.Unreadable:
			what = ""
			more = "cannot be opened"
		case more == "":
			what, more = "", what
		}

		t.Add(style, state, console.OneLine(v.Path), console.OneLine(what), console.OneLine(more))
		if all {
			for _, f := range v.Faults {
				t.Span("", "  "+f.Text)
			}
		}
	}
	return t
}

// extent says how much is damaged, as far as that is known.
func (v *verdict) extent() string {
	damaged := map[int64]bool{}
	for _, f := range v.Faults {
		if f.Chunk != nil {
			damaged[*f.Chunk] = true
		}
	}
	s := "; " + console.Count(len(v.Faults), "fault")
	if len(damaged) > 0 {
		s += " in " + console.Count(len(damaged), "chunk")
	}
	return s
}

// total sums up the verdicts of several files.
func total(verdicts []verdict) string {
	var sound, healed, unsupported, missing int
	for _, v := range verdicts {
		switch {
		case v.Sound && v.Checksums.Healed:
			healed++
		case v.Sound:
			sound++
		case v.Unsupported:
			unsupported++
		case v.missing:
			missing++
		}
	}

	s := fmt.Sprintf("%d verified: %d sound", len(verdicts), sound)
	if healed > 0 {
		s += fmt.Sprintf(", %d healed", healed)
	}
	if unsupported > 0 {
		s += fmt.Sprintf(", %d not verified", unsupported)
	}
	if damaged := len(verdicts) - sound - healed - unsupported - missing; damaged > 0 {
		s += fmt.Sprintf(", %d damaged", damaged)
	}
	if missing > 0 {
		s += fmt.Sprintf(", %d not found", missing)
	}
	return s + "\n"
}

// remarks lists what is unusual without being wrong.
func remarks(r *ndarray.Report) string {
	var s strings.Builder
	add := func(n int64, format string, args ...any) {
		if n > 0 {
			fmt.Fprintf(&s, "; "+format, args...)
		}
	}

	add(1, "%s", checksums(&r.Frame))
	add(r.Frame.Dead, "%s unused between chunks", progress.Size(r.Frame.Dead))
	add(r.Frame.Tail, "%s unused after the frame", progress.Size(r.Frame.Tail))
	add(int64(len(r.DTypeNote)), "%s", r.DTypeNote)
	add(r.Surplus, "%s beyond the shape", console.Count(r.Surplus, "chunk"))
	add(r.Recut, "%s with other blocks than the array", console.Count(r.Recut, "chunk"))

	if n := len(r.Frame.Overlap); n > 0 {
		add(int64(n), "%s of chunks share bytes, first %d and %d", console.Count(n, "pair"), r.Frame.Overlap[0][0],
			r.Frame.Overlap[0][1])
	}
	add(int64(len(r.Frame.Orphans)), "%s without a chunk", console.Count(len(r.Frame.Orphans), "chunk file"))
	return s.String()
}
