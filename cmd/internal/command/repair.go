package command

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

func repairVerb(set *flag.FlagSet) action {
	fill := set.String("fill", "zeros",
		"`VALUE` of lost items: zeros, nan, a number, true, false, or the bytes of an item as 0x…; "+
			"zeros by default")
	workers := set.Int("workers", 0, "decode `N` blocks of a chunk at a time; one per CPU by default")
	force := set.Bool("force", false, forceUsage)
	asJSON := set.Bool("json", false, "print JSON")

	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "IN", "OUT"); err != nil {
			return err
		}
		if err := checkWorkers(*workers); err != nil {
			return err
		}

		value, err := parseFill(*fill)
		if err != nil {
			return err
		}

		in := place.Of(operands[0])
		out := targetOf(operands[1])
		if out.stream() {
			return usagef("OUT is -, but repair needs a file: standard output is for the report")
		}

		if err := wantFile("repair", in); err != nil {
			return err
		}
		if err := std.checkOutput(ctx, out, frameFormat, *force, in); err != nil {
			return err
		}

		// A leaf of an archive is read where it lies, so that the store stays open.
		o := &ndarray.SalvageOptions{Workers: *workers, Overwrite: *force}
		from, s, err := std.damaged(ctx, in, o)
		if err != nil {
			return err
		}
		if s != nil {
			defer s.Close()
		}

		var r ndarray.SalvageReport
		err = std.writeOut(ctx, output{to: out, force: *force}, func(path string) error {
			r, err = salvage(ctx, from, path, value, o)
			return err
		})
		if err != nil {
			return err
		}

		d := newRepair(operands[0], operands[1], &r)
		if *asJSON {
			err = std.PrintJSON(ctx, d)
		} else {
			err = std.Print(ctx, std.Hanging(d.text()))
		}

		if err == nil && !d.Whole {
			err = exitError(exitLost)
		}
		return err
	}
}

// wantFile fails for an operand that is no file of this machine, which a verb needs.
func wantFile(verb string, p place.Place) error {
	switch p.Kind {
	case place.Standard:
		return usagef("%s is standard input, and %s needs a file: write it to one first, as in 'cat > FILE'", p, verb)
	case place.Web:
		return usagef("%s is on a web server, and %s needs a file: fetch it first, as in 'curl -o FILE URL'", p, verb)
	case place.Bucket:
		return usagef("%s is in a bucket, and %s needs a file: download it first", p, verb)
	}
	return nil
}

// damaged returns the name of a file, or of a leaf in a file system that it sets in the options.
// The store of a leaf stays open until the leaf is saved.
func (std *streams) damaged(ctx context.Context, p place.Place, o *ndarray.SalvageOptions) (string, *store.Store, error) {
	if std.at.IsStore(ctx, p) {
		return "", nil, fmt.Errorf("%s is a store; repair its arrays one by one, as %s%s/KEY: %w", p, p,
			place.Mark, cairn.ErrUnsupported)
	}
	if !p.Keyed {
		return p.Name, nil, nil
	}

	s, err := store.Open(p.Name, nil)
	if err != nil {
		return "", nil, err
	}

	name, files, err := s.Place(p.Key)
	if o.FS = files; err != nil {
		s.Close()
		return "", nil, err
	}
	return name, s, nil
}

// salvage saves an array or, if no array is left, a frame.
func salvage(ctx context.Context, in, out string, value any, o *ndarray.SalvageOptions) (ndarray.SalvageReport, error) {
	o.Fill = value
	r, err := ndarray.Salvage(ctx, in, out, o)
	if !errors.Is(err, cairn.ErrNotFound) {
		return r, err
	}
	fo := &frame.SalvageOptions{Workers: parallel.Workers(o.Workers), Overwrite: o.Overwrite, FS: o.FS}
	if value != nil {
		fo.Fill = func(typeSize int, _ []meta.Layer) ([]byte, error) { return rawItem(value, typeSize) }
	}
	r = ndarray.SalvageReport{}
	r.Frame, err = frame.Salvage(ctx, in, out, fo)
	return r, err
}

// parseFill reads the value of -fill; nil stands for zeros.
func parseFill(text string) (any, error) {
	switch text {
	case "zeros", "0", "":
		return nil, nil
	case "nan", "NaN":
		return math.NaN(), nil
	case "true", "false":
		return text == "true", nil
	}

	if digits, ok := strings.CutPrefix(text, "0x"); ok {
		if raw, err := hex.DecodeString(digits); err == nil && len(raw) > 0 {
			return raw, nil
		}
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return f, nil
	}

	return nil, usagef("-fill: %q is not zeros, nan, a number, true, false, or 0x and pairs of digits", text)
}

// rawItem returns the bytes of a value for items without a dtype.
func rawItem(value any, typeSize int) ([]byte, error) {
	if raw, ok := value.([]byte); ok {
		return raw, nil
	}
	if f, ok := value.(float64); ok && math.IsNaN(f) {
		switch typeSize {
		case 4:
			return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(f))), nil
		case 8:
			return binary.LittleEndian.AppendUint64(nil, math.Float64bits(f)), nil
		}
	}
	return nil, fmt.Errorf("-fill %v: a plain frame has items of %d bytes and no dtype; give the bytes as 0x…: %w",
		value, typeSize, cairn.ErrType)
}

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
		Path: in, New: out, Whole: f.Whole(), Chunks: f.Info.NumChunks, Saved: f.Saved, LostTotal: f.LostTotal,
		Unchecked: f.Unchecked,
		Guide:     f.Guide.String(), Guessed: f.Guessed, Rebuilt: f.Rebuilt, Lost: []lostChunk{},
		Layers: []lostLayer{}, Faults: []fault{},
	}

	boxes := map[int]ndarray.LostBox{}
	for _, b := range r.Boxes {
		boxes[b.Chunk] = b
	}

	for _, l := range f.Lost {
		c := lostChunk{Chunk: l.Chunk, Count: l.Count, File: l.File, Bytes: l.NBytes, Why: console.OneLine(l.Err.Error())}
		if l.Offset >= 0 {
			c.Offset = &l.Offset
		}
		if b, ok := boxes[l.Chunk]; ok && l.Count == 1 {
			c.Start = b.Start
			c.Stop = b.Stop
		}
		d.Lost = append(d.Lost, c)
	}

	for _, l := range f.Layers {
		d.Layers = append(d.Layers, lostLayer{l.Name, l.Variable, console.OneLine(l.Err.Error())})
	}
	for _, err := range f.Faults {
		d.Faults = append(d.Faults, newFault(err))
	}
	return d
}

// text returns the report for people.
func (d *repair) text() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintln(&b, console.OneLine(fmt.Sprintf(format, args...))) }

	line("%s: %d of %s saved", d.New, d.Saved, console.Count(d.Chunks, "chunk"))
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
			line("  lost chunk %d, %s: %s", c.Chunk, console.Count(c.Bytes, "byte"), c.Why)
		}
	}

	// A layer without a name stands for all, as their list is lost.
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
