package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/show/table"
	"github.com/cairn-go/cairn/store"
)

func infoVerb(set *flag.FlagSet) action {
	asJSON := set.Bool("json", false, "print JSON")
	all := set.Bool("all", false, "list all leaves of a store; by default a few of each group if there are many")
	return func(ctx context.Context, std *streams, operands []string) error {
		return std.describeEach(ctx, "info", operands, *asJSON, func(path string) (describer, error) {
			d, err := std.describePath(ctx, path)
			if t, ok := d.(*tree); ok {
				t.all = *all
			}
			return d, err
		})
	}
}

// A describer has a description for people.
type describer interface{ text(std *streams) string }

// describeEach prints what describe tells about each of some paths: as JSON an object, or a list of
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
			return std.printJSON(ctx, d)
		}
		return std.print(ctx, d.text(std))
	}
	described := []describer{}
	err := std.eachPath(ctx, verb, paths, func(path string) error {
		d, err := describe(path)
		if err != nil {
			return err
		}
		between := ""
		if len(described) > 0 {
			between = "\n"
		}
		if described = append(described, d); asJSON {
			return nil
		}
		described[len(described)-1] = nil // only counted
		return std.print(ctx, between+d.text(std))
	})
	if asJSON && ctx.Err() == nil {
		return errors.Join(std.printJSON(ctx, described), err)
	}
	return err
}

// eachPath calls show for each of some paths. One that fails does not keep back the others, unless
// the mistake is in a flag or standard output fails.
func (std *streams) eachPath(ctx context.Context, verb string, paths []string, show func(path string) error) error {
	v, err := findVerb(verb)
	if err != nil {
		return err
	}
	var failed error
	for _, path := range paths {
		err := show(path)
		switch {
		case err == nil:
		case ctx.Err() != nil, errors.As(err, new(*usageError)), errors.As(err, new(*printError)):
			return err
		default:
			std.complain(withPath(path, err).Error() + remedy(v, err, []string{path}) + std.nearest(ctx, []string{path}, err))
			failed = exitError(exitFailed)
		}
	}
	return failed
}

// describePath describes an array or a frame, or a tree of them.
func (std *streams) describePath(ctx context.Context, path string) (describer, error) {
	p := place.Of(path)
	o, err := std.at.Open(ctx, p, operand.How{AnyOrder: true, Frames: true, Workers: 1})
	if err != nil {
		return nil, err
	}
	defer o.Close()
	if o.Foreign() {
		return describeForeign(ctx, path, o)
	}

	if s := o.Store(); s != nil {
		if _, err := s.Leaf(p.Key); !p.Keyed || err != nil && formats.IsGroup(ctx, s, p.Key) {
			return describeTree(ctx, s, p.Name, p.Key)
		}
	}
	src, err := o.Array(ctx)
	if err != nil {
		return nil, err
	}
	return describe(ctx, path, o, src)
}

// marshal returns indented JSON. It keeps characters such as < and escapes those that terminals act
// upon.
func marshal(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return []byte(escapeJSON(b.String())), err
}

// text returns the description for people.
func (d *description) text(std *streams) string {
	list := &table.List{Least: 13}
	line := lineOf(list)
	decoded := d.NBytes
	if d.Geometry != nil {
		line("kind", "%s (%s), %s", d.Container, d.Metadata, d.frameText())
		line("shape", "%s", shapeText(d.Shape))
		if d.Dims != nil {
			line("dimensions", "%s", dimsText(d.Dims))
		}
		coordinateLines("coordinates", d.Coordinates, line)
		line("chunks", "%s", shapeText(d.Chunks))
		line("blocks", "%s", shapeText(d.Blocks))
		line("dtype", "%s, %s per item", d.DType, count(d.TypeSize, "byte"))
		if d.valid != "" {
			line("valid", "%s", d.valid)
		}
		decoded = d.ItemBytes
	} else {
		line("kind", "%s%s", d.containerText(), d.frameText())
		line("chunk size", "%s", sizeOr(d.ChunkSize, "individual"))
		line("block size", "%s", sizeOr(d.BlockSize, "automatic"))
		line("item size", "%s", progress.Size(int64(d.TypeSize)))
	}
	line("codec", "%s", d.codecText())
	line("filters", "%s", textOr(strings.Join(d.Filters, ", "), "none"))
	line("split", "%s", d.Split)
	line("decoded", "%s%s", progress.Size(decoded), d.paddingText())
	line("stored", "%s, ratio %s", progress.Size(d.FileBytes), ratioText(d.Ratio))
	if unused := d.unusedText(decoded); unused != "" {
		line("unused", "%s", unused)
	}
	if d.Healed {
		list.Add(table.Yellow, "checksums", d.verdictText())
	} else {
		line("checksums", "%s", d.verdictText())
	}
	line("chunk kinds", "%s", d.kindsText())
	if d.FirstFault != "" {
		list.Add(table.Red, "first fault", oneLine(d.FirstFault))
	}
	for _, group := range []struct {
		name   string
		layers []layer
	}{{"metalayers", d.Metalayers}, {"vlmetalayers", d.VLMetalayers}} {
		name := group.name
		for _, l := range group.layers {
			line(name, "%s", l.text())
			name = ""
		}
		if len(group.layers) == 0 {
			line(name, "none")
		}
	}
	return std.titled(d.Path, list)
}

// lineOf returns the function that adds a line to a list.
func lineOf(list *table.List) func(name, format string, args ...any) {
	return func(name, format string, args ...any) { list.Add("", name, oneLine(fmt.Sprintf(format, args...))) }
}

// titled returns a list below what it is about.
func (std *streams) titled(title string, list *table.List) string {
	return std.color.Paint(table.Bold, oneLine(title)) + "\n" + list.Text(std.columns(), std.color)
}

// dimsText lists the names of dimensions.
func dimsText(dims []string) string {
	texts := slices.Clone(dims)
	for i, name := range texts {
		if name == "" {
			texts[i] = "(unnamed)"
		}
	}
	return strings.Join(texts, ", ")
}

// containerText names a frame that is more than a plain one.
func (d *description) containerText() string {
	if d.Container == store.Frame.String() {
		return ""
	}
	return d.Container + ", "
}

// frameText says how the frame is laid out.
func (d *description) frameText() string {
	s := fmt.Sprintf("%s frame, format version %d", d.Layout, d.FormatVersion)
	if d.Generation != "current" {
		s += ", layout of " + d.Generation
	}
	return s
}

func (d *description) codecText() string {
	s := fmt.Sprintf("%v, level %d", d.codec, d.Level)
	if d.Dict {
		s += ", with dictionaries"
	}
	if d.VLBlocks {
		s += ", blocks of variable length"
	}
	// Chunks may have other codecs than the frame states for new ones.
	for _, name := range slices.Sorted(maps.Keys(d.ChunkCodecs)) {
		// which is what its chunks say
		if name != d.Codec && !(d.Codec == "lz4hc" && name == "lz4") {
			s += fmt.Sprintf("; %s with %s", count(d.ChunkCodecs[name], "chunk"), name)
		}
	}
	return s
}

// paddingText describes the size of chunks with their padding.
func (d *description) paddingText() string {
	if d.Geometry == nil || d.NBytes == d.ItemBytes {
		return ""
	}
	return fmt.Sprintf(" (%s in chunks, with padding)", progress.Size(d.NBytes))
}

// unusedText describes unused bytes, and the size without them.
func (d *description) unusedText(decoded int64) string {
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
	needed := d.FileBytes - d.Dead - d.Tail
	ratio := ratioText(float64(decoded) / float64(max(1, needed)))
	return fmt.Sprintf("%s; without them %s, ratio %s", strings.Join(parts, ", "), progress.Size(needed), ratio)
}

// verdictText describes the verdict that is known without reading chunks.
func (d *description) verdictText() string {
	s := d.Verdict
	if d.Commit > 0 {
		s += fmt.Sprintf(", commit %d", d.Commit)
	}
	if d.Healed {
		s += ", the header is damaged and was read from the commit record"
	}
	return s
}

func (d *description) kindsText() string {
	parts := []string{}
	for _, kind := range []string{"data", "stored", "zeros", "nan", "value", "uninit", unreadable} {
		if n := d.ChunkKinds[kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, kind))
		}
	}
	s := textOr(strings.Join(parts, ", "), "no chunks")
	if d.Counted < d.NumChunks {
		s += fmt.Sprintf(" among the first %d of %d chunks", d.Counted, d.NumChunks)
	}
	return s
}

// text returns the name, size and value on one line.
func (l *layer) text() string {
	s := fmt.Sprintf("%s (%s)", l.Name, count(l.Size, "byte"))
	if value := jsonText(l.Value); value != "" {
		s += ": " + value
	}
	return s
}

// jsonText returns a value of a metalayer as JSON, truncated to a line.
func jsonText(v any) string {
	if v == nil {
		return ""
	}
	text, err := marshal(v, "")
	if err != nil {
		return ""
	}
	const most = 101
	return table.Cut(strings.TrimSpace(string(text)), most)
}

func textOr(s, empty string) string {
	if s == "" {
		return empty
	}
	return s
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
