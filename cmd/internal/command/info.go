package command

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/internal/show/table"
	"github.com/cairn-go/cairn/store"
)

func infoVerb(set *flag.FlagSet) action {
	asJSON := set.Bool("json", false, "print JSON")
	all := set.Bool("all", false, "list all leaves of a store; by default a few of each group if there are many")
	return func(ctx context.Context, std *streams, operands []string) error {
		return std.describeEach(ctx, "info", operands, *asJSON, func(path string) (describer, error) {
			return std.describePath(ctx, path, *all || *asJSON)
		})
	}
}

// A describer has a description for people.
type describer interface{ text(std *streams) string }

// describeEach prints what describe returns for each of some paths: as JSON an object, or a list of
// them if there are several paths. A path that cannot be described does not keep back the others.
func (std *streams) describeEach(ctx context.Context, verb string, paths []string, asJSON bool,
	describe func(path string) (describer, error)) error {
	switch {
	case len(paths) == 0:
		return usagef("no PATH given")
	case len(paths) == 1:
		d, err := describe(paths[0])
		switch {
		case err != nil:
			return err
		case asJSON:
			err = std.PrintJSON(ctx, d)
		default:
			err = std.Print(ctx, d.text(std))
		}
		return cmp.Or(err, faultOf(d))
	}

	described := []describer{}
	err := std.eachPath(ctx, paths, func(path string) error {
		d, err := describe(path)
		if err != nil {
			return err
		}

		between := ""
		if len(described) > 0 {
			between = "\n"
		}

		if described = append(described, d); asJSON {
			return faultOf(d)
		}
		described[len(described)-1] = nil // only counted
		return cmp.Or(std.Print(ctx, between+d.text(std)), faultOf(d))
	})

	if asJSON && ctx.Err() == nil {
		return errors.Join(std.PrintJSON(ctx, described), err)
	}
	return err
}

// faultOf returns why a part of what is described is missing, or nil.
func faultOf(d describer) error {
	if t, ok := d.(*shownTree); ok {
		return t.fault
	}
	return nil
}

// eachPath calls show for each of some paths. One that fails does not keep back the others, unless
// the mistake is in a flag or standard output fails.
func (std *streams) eachPath(ctx context.Context, paths []string, show func(path string) error) error {
	var failed error
	for _, path := range paths {
		err := show(path)
		switch {
		case err == nil:
		case ctx.Err() != nil, errors.As(err, new(*usageError)), errors.As(err, new(*console.PrintError)):
			return err
		default:
			std.Complain(naming.In(path, err).Error() + remedy(std.verb, err, []string{path}) + std.nearest(ctx, []string{path}, err))
			failed = exitError(exitFailed)
		}
	}
	return failed
}

// A shownArray is an array or a frame that is described for people.
type shownArray struct {
	*described.Array
	is string // what a file of another format is, or that it has the array
}

// A factList is a list of what is known: facts that are not, with empty texts, are left out.
type factList struct{ table.List }

// add adds a fact with its texts, each on lines of its own.
func (l *factList) add(name string, texts ...string) {
	for _, text := range texts {
		if text != "" {
			l.List.Add("", name, console.OneLine(text))
			name = ""
		}
	}
}

// warn adds what is wrong.
func (l *factList) warn(s table.Style, name, text string) {
	if text != "" {
		l.List.Add(s, name, console.OneLine(text))
	}
}

// text returns the description for people.
func (d *shownArray) text(std *streams) string {
	l := &factList{table.List{Least: 13}}
	l.add("kind", d.kindText())
	l.warn(table.Red, "fault", d.Fault)
	if d.Kind != described.Unreadable {
		d.addForm(l)
	}

	if d.Frame != nil {
		d.addFrame(l)
		return std.Titled(d.Path, &l.List)
	}
	if d.CBytes > 0 {
		l.add("stored", d.storedText(d.CBytes))
	}

	var texts []string
	for _, key := range slices.Sorted(maps.Keys(d.Attributes)) {
		texts = append(texts, key+": "+attributeText(d.Attributes[key]))
	}
	l.add("attributes", texts...)
	l.add("convert", d.Convert)
	return std.Titled(d.Path, &l.List)
}

// kindText says what it is, and what it is in.
func (d *shownArray) kindText() string {
	if d.Frame == nil {
		return d.is
	}

	what := fmt.Sprintf("%s frame, format version %d", d.Layout, d.FormatVersion)
	if d.Generation != "current" {
		what += ", layout of " + d.Generation
	}

	switch {
	case d.Shape != nil:
		return fmt.Sprintf("%s (%s), %s", d.Container, d.Metadata, what)
	case d.Container != store.Frame.String():
		return d.Container + ", " + what
	}
	return what
}

// addForm adds the form of an array, what its items mean, and how they are encoded.
func (d *shownArray) addForm(l *factList) {
	order := ""
	if d.Fortran {
		order = ", in Fortran order"
	}

	l.add("shape", textIf(d.Shape)+order)
	dims := slices.Clone(d.Dims)
	for i, name := range dims {
		dims[i] = cmp.Or(name, "(unnamed)")
	}
	l.add("dimensions", strings.Join(dims, ", "))

	var ends []string
	for _, c := range d.Coordinates {
		ends = append(ends, strings.TrimSpace(fmt.Sprintf("%s: %s to %s %s", c.Dim, c.First, c.Last, c.Units)))
	}

	l.add("coordinates", ends...)
	if d.Frame == nil && d.Chunks == nil {
		l.add("layout", d.Layout)
	}
	l.add("chunks", textIf(d.Chunks))
	l.add("blocks", textIf(d.Blocks))

	l.add("datatype", d.Datatype)
	if d.DType != "" {
		l.add("dtype", d.DType+", "+console.Count(d.ItemSize, "byte")+" per item")
		l.add("valid", validText(d.Meaning()))
	}
	l.add("codecs", strings.Join(d.Codecs, ", "))

	if d.Frame == nil {
		l.add("decoded", progress.Size(d.NBytes))
	}
}

// addFrame adds what is known of the frame.
func (d *shownArray) addFrame(l *factList) {
	if d.Shape == nil {
		l.add("chunk size", sizeOr(d.ChunkSize, "individual"))
		l.add("block size", sizeOr(d.BlockSize, "automatic"))
		l.add("item size", progress.Size(int64(d.ItemSize)))
	}
	l.add("codec", d.codecText())
	l.add("filters", cmp.Or(strings.Join(d.Filters, ", "), "none"))
	l.add("split", d.Split)
	padding := ""
	if d.Padded != d.NBytes {
		padding = fmt.Sprintf(" (%s in chunks, with padding)", progress.Size(d.Padded))
	}
	l.add("decoded", progress.Size(d.NBytes)+padding)
	l.add("stored", d.storedText(d.FileBytes))
	l.add("unused", d.unusedText())

	style := table.Style("")
	if d.Healed {
		style = table.Yellow
	}
	l.warn(style, "checksums", d.verdictText())
	l.add("chunk kinds", d.kindsText())
	l.warn(table.Red, "first fault", d.FirstFault)
	l.add("metalayers", layerTexts(d.Metalayers)...)
	l.add("vlmetalayers", layerTexts(d.VLMetalayers)...)
}

// storedText says how many bytes store the items, and how much less that is.
func (d *shownArray) storedText(n int64) string {
	return progress.Size(n) + ", ratio " + ratioText(described.Ratio(d.NBytes, n))
}

func (d *shownArray) codecText() string {
	s := fmt.Sprintf("%s, level %d", d.Codec, *d.Level)
	if d.Dict {
		s += ", with dictionaries"
	}
	if d.VLBlocks {
		s += ", blocks of variable length"
	}

	// Chunks may have other codecs than the frame states for new ones.
	own, _, _ := strings.Cut(d.Codec, ":")
	for _, name := range slices.Sorted(maps.Keys(d.ChunkCodecs)) {
		// which is what its chunks say
		if name != own && !(own == "lz4hc" && name == "lz4") {
			s += fmt.Sprintf("; %s with %s", console.Count(d.ChunkCodecs[name], "chunk"), name)
		}
	}
	return s
}

// unusedText describes unused bytes, and the size without them.
func (d *shownArray) unusedText() string {
	var parts []string
	if d.Dead > 0 {
		parts = append(parts, progress.Size(d.Dead)+" between chunks")
	}
	if d.Tail > 0 {
		parts = append(parts, progress.Size(d.Tail)+" after the frame")
	}
	if parts == nil {
		return ""
	}
	return strings.Join(parts, ", ") + "; without them " + d.storedText(max(1, d.FileBytes-d.Dead-d.Tail))
}

// verdictText describes the verdict that is known without reading chunks.
func (d *shownArray) verdictText() string {
	s := d.Verdict
	if d.Commit > 0 {
		s += fmt.Sprintf(", commit %d", d.Commit)
	}
	if d.Healed {
		s += ", the header is damaged and was read from the commit record"
	}
	return s
}

func (d *shownArray) kindsText() string {
	parts := []string{}
	for _, kind := range []string{"data", "stored", "zeros", "nan", "value", "uninit", string(described.Unreadable)} {
		if n := d.ChunkKinds[kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, kind))
		}
	}
	s := cmp.Or(strings.Join(parts, ", "), "no chunks")
	if d.Counted < d.NumChunks {
		s += fmt.Sprintf(" among the first %d of %d chunks", d.Counted, d.NumChunks)
	}
	return s
}

// layerTexts returns the name, size and value of metalayers, each on a line.
func layerTexts(layers []described.Layer) (texts []string) {
	for _, l := range layers {
		text := fmt.Sprintf("%s (%s)", l.Name, console.Count(l.Size, "byte"))
		if value := console.JSONLine(l.Value); value != "" {
			text += ": " + value
		}
		texts = append(texts, text)
	}
	if texts == nil {
		return []string{"none"}
	}
	return texts
}

// textIf returns a shape as text, or "" if there is none.
func textIf(shape []int64) string {
	if shape == nil {
		return ""
	}
	return item.Shape(shape)
}

func ratioText(ratio float64) string {
	switch {
	case ratio == 0: // nothing is stored
		return "-"
	case ratio >= 100:
		return fmt.Sprintf("%.0f", ratio)
	}
	return fmt.Sprintf("%.2f", ratio)
}

func sizeOr(n int, none string) string {
	if n == 0 {
		return none
	}
	return progress.Size(int64(n))
}
