package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/shellwords"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/internal/show/table"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/zarr"
)

// foreignInfo is the description of a foreign file; its fields are those of the JSON output.
type foreignInfo struct {
	Path    string         `json:"path"`
	Format  string         `json:"format"`
	Arrays  []foreignArray `json:"arrays"`
	Groups  []treeGroup    `json:"groups,omitempty"` // with attributes
	Links   []link         `json:"links,omitempty"`
	Convert string         `json:"convert"` // the command that makes it an array or a store
	header  string         // of a whole file of a format that has such a text, or ""
	is      string
	trees   bool // the format has several arrays
	single  bool
}

type foreignArray struct {
	Key     string   `json:"key,omitempty"`
	Shape   []int64  `json:"shape,omitempty"`
	DType   string   `json:"dtype,omitempty"`
	Bytes   int64    `json:"bytes"`
	Fortran bool     `json:"fortran,omitempty"`
	Dims    []string `json:"dims,omitempty"`
	// if one array is described
	Coordinates []coordinate   `json:"coordinates,omitempty"`
	Chunks      []int64        `json:"chunks,omitempty"`
	Layout      string         `json:"layout,omitempty"` // of HDF5
	Stored      int64          `json:"cbytes,omitempty"` // of all chunks as stored
	Ratio       float64        `json:"ratio,omitempty"`  // items to Stored
	Inner       []int64        `json:"inner_chunks,omitempty"`
	Codecs      []string       `json:"codecs,omitempty"`
	Attributes  map[string]any `json:"attributes,omitempty"`
	Fault       string         `json:"fault,omitempty"`
	meaning     cf.Meaning
}

// A link is a name in a file for something that has another name too, or is elsewhere.
type link struct {
	Key    string `json:"key"`
	Kind   string `json:"kind"`             // such as "soft link"
	Target string `json:"target,omitempty"` // of a soft or an external link: a path
	File   string `json:"file,omitempty"`   // of an external link
	To     string `json:"to,omitempty"`     // the key of what it leads to; "" if there is none
	says   string
}

// describeForeign describes a file of another format, or one array in it.
func describeForeign(ctx context.Context, name string, f *operand.Opened) (*foreignInfo, error) {
	keys := f.Under(f.Key)
	if len(keys) == 0 && f.Key != "" || !f.Format.Trees && f.Key != "" {
		return nil, f.Choose(ctx, keys)
	}
	d := &foreignInfo{Path: name, Format: f.Format.Name, Arrays: []foreignArray{}, is: f.Is(&f.Format),
		trees:  f.Format.Trees,
		single: !f.Format.Trees || len(keys) == 1 && (f.Key != "" || keys[0] == "")}
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d.Arrays = append(d.Arrays, describeForeignArray(ctx, f, key, d.single))
	}
	if f.Key == "" {
		d.header = shortHeader(f.Header(f.Name))
	}
	if err := d.describeTree(ctx, f); err != nil {
		return nil, &operand.ForeignError{Name: f.Name, Err: err}
	}
	to := strings.TrimSuffix(filepath.Base(f.Name), filepath.Ext(f.Name))
	if key := strings.Trim(f.Key, "/"); key != "" {
		to = key[strings.LastIndexByte(key, '/')+1:]
	}
	to += ".b2z"
	if d.single {
		to = strings.TrimSuffix(to, "z") + "nd"
	}
	d.Convert = fmt.Sprintf("cairn import %s %s", shellwords.Quote(name), shellwords.Quote(to))
	return d, nil
}

// describeTree adds the groups that have attributes, and the links, of a whole file or a group.
func (d *foreignInfo) describeTree(ctx context.Context, f *operand.Opened) error {
	if d.single && f.Key != "" {
		return nil
	}
	base := strings.TrimSuffix(formats.Key(f.Key), "/")
	below := func(key string) bool { return strings.HasPrefix(strings.TrimSuffix(key, "/")+"/", base+"/") }

	for _, group := range f.Groups() {
		if !below(group) {
			continue
		}
		attributes, err := f.Attributes(ctx, group)
		if err != nil {
			return err
		}
		if len(attributes) > 0 {
			values, _ := item.Meta(attributes).(map[string]any)
			d.Groups = append(d.Groups, treeGroup{Key: group, Attributes: values})
		}
	}
	for _, l := range f.Links() {
		if below(l.Key) {
			d.Links = append(d.Links, link{l.Key, l.What, l.Target, l.File, l.To, formats.Says(&l)})
		}
	}
	return nil
}

// shortHeader returns a header with some of the numbers where there are many. Characters that
// terminals act upon are left out.
func shortHeader(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		values := strings.Split(line, ", ")
		if len(values) > mostInHeader && !strings.Contains(line, `"`) { // no text with commas
			lines[i] = fmt.Sprintf("%s, … ; // %d values\n", strings.Join(values[:mostListed], ", "), len(values))
		}
	}
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.Join(lines, ""))
}

// mostInHeader is how many numbers of an attribute a header shows, as ncdump does; more would fill
// the screen.
const mostInHeader = 100

func describeForeignArray(ctx context.Context, f *operand.Opened, key string, single bool) foreignArray {
	a := foreignArray{Key: key}
	src, err := f.Open(ctx, key)
	if err != nil {
		a.Fault = oneLine(err.Error())
		return a
	}
	defer operand.CloseSource(src)
	a.Shape, a.DType, a.Bytes = src.Shape(), src.DType().String(), bytesOf(src)
	switch src := src.(type) {
	case *npy.Array:
		a.Fortran = src.Fortran()
	case *zarr.Array:
		i := src.Info()
		a.Chunks, a.Inner, a.Codecs = i.Chunks, i.Inner, i.Codecs
	case *netcdf.Variable:
		if d := src.Dataset(ctx); d != nil {
			a.describeHDF5(ctx, d, single)
		}
	case *hdf5.Dataset:
		a.describeHDF5(ctx, src, single)
	}
	if l, ok := src.(ndarray.Labelled); ok {
		a.describeLabels(l)
	}
	if single {
		a.Coordinates = coordinatesOf(ctx, src, f)
	}
	return a
}

// describeHDF5 adds how a dataset is stored, with the size of its chunks if it is the only one.
func (a *foreignArray) describeHDF5(ctx context.Context, d *hdf5.Dataset, single bool) {
	i := d.Info()
	a.Layout, a.Chunks = i.Layout, i.Chunks
	if single && i.Chunks != nil {
		stored, err := d.StoredBytes(ctx)
		if err != nil && !errors.Is(err, cairn.ErrLimit) {
			a.Fault = oneLine(err.Error())
		} else if stored > 0 {
			a.Stored, a.Ratio = stored, float64(a.Bytes)/float64(stored)
		}
	}
	for _, f := range i.Filters {
		a.Codecs = append(a.Codecs, f.String())
	}
}

// describeLabels adds the names of dimensions, and the attributes.
func (a *foreignArray) describeLabels(src ndarray.Labelled) {
	l, err := src.Labels()
	if err != nil {
		a.Fault = oneLine(err.Error())
	}
	a.Dims, a.meaning = l.Dims, *cf.Of(src.DType(), l.Attributes)
	for _, p := range l.Attributes {
		if a.Attributes == nil {
			a.Attributes = map[string]any{}
		}
		if name, ok := p.Key.(string); ok {
			a.Attributes[name] = item.Meta(p.Value)
		}
	}
}

// text returns the description for people.
func (d *foreignInfo) text(std *streams) string {
	list := &table.List{Least: 8}
	line := lineOf(list)
	kind := d.is
	if d.single && d.trees {
		kind = "an array in " + kind
	}
	line("kind", "%s", kind)
	if !d.single {
		line("arrays", "%d", len(d.Arrays))
		arrays := d.header + std.titled(d.Path, list) + std.below("    ", d.table())
		if d.header == "" { // which has the attributes of groups
			arrays += std.below("  ", d.groupTable())
		}
		arrays += std.below("    ", d.linkTable())
		list = &table.List{Least: 8}
		list.Add("", "convert", d.Convert)
		return arrays + list.Text(std.columns(), std.color)
	}
	for _, a := range d.Arrays {
		if a.Fault != "" {
			list.Add(table.Red, "fault", a.Fault)
		}
		if a.DType == "" { // it did not open
			continue
		}
		line("shape", "%s%s", shapeText(a.Shape), a.orderText())
		line("dtype", "%s", a.DType)
		line("items", "%s", progress.Size(a.Bytes))
		if a.Ratio > 0 {
			line("stored", "%s, ratio %s", progress.Size(a.Stored), ratioText(a.Ratio))
		}
		a.detailText(line)
	}
	line("convert", "%s", d.Convert)
	return std.titled(d.Path, list)
}

// table lists the arrays.
func (d *foreignInfo) table() *table.Table {
	t := table.New(table.Column{Path: true}, table.Column{}, table.Column{}, table.Column{Right: true}, table.Column{})
	for _, a := range d.Arrays {
		if a.Fault != "" {
			t.Add(table.Red, oneLine(a.Key), "", "", "", a.Fault)
			continue
		}
		t.Add("", oneLine(a.Key), shapeText(a.Shape)+a.orderText(), oneLine(a.DType), progress.Size(a.Bytes),
			a.titleText())
	}
	return t
}

// groupTable lists the attributes of groups.
func (d *foreignInfo) groupTable() *table.Table {
	rows := table.New(table.Column{})
	for _, g := range d.Groups {
		rows.Span(table.Bold, oneLine(g.Key))
		for _, name := range slices.Sorted(maps.Keys(g.Attributes)) {
			rows.Span(table.Faint, "  "+oneLine("@"+name+" "+jsonText(g.Attributes[name])))
		}
	}
	return rows
}

// linkTable lists the links.
func (d *foreignInfo) linkTable() *table.Table {
	t := table.New(table.Column{Path: true}, table.Column{})
	for i := range d.Links {
		l := &d.Links[i]
		t.Add(table.Faint, oneLine(strings.Trim(l.Key, "/")), oneLine(l.says))
	}
	return t
}

// titleText returns the title of an array with its units, as far as its attributes tell.
func (a *foreignArray) titleText() string {
	title := a.meaning.Title
	if a.meaning.Unit != "" {
		title += " (" + a.meaning.Unit + ")"
	}
	return strings.TrimSpace(oneLine(title))
}

// detailText adds the lines that only some formats have.
func (a *foreignArray) detailText(line func(name, format string, args ...any)) {
	if a.Dims != nil {
		line("dims", "%s", dimsText(a.Dims))
	}
	coordinateLines("coords", a.Coordinates, line)
	if valid := validText(&a.meaning); valid != "" {
		line("valid", "%s", valid)
	}
	if a.Layout != "" && a.Chunks == nil {
		line("layout", "%s", a.Layout)
	}
	if a.Chunks != nil {
		line("chunks", "%s", shapeText(a.Chunks))
	}
	if a.Inner != nil {
		line("inner", "%s", shapeText(a.Inner))
	}
	if a.Codecs != nil {
		line("codecs", "%s", strings.Join(a.Codecs, ", "))
	}
	name := "meta"
	for _, key := range slices.Sorted(maps.Keys(a.Attributes)) {
		line(name, "%s: %s", key, attributeText(a.Attributes[key]))
		name = ""
	}
}

// attributeText returns the value of an attribute on a line, cut if it is long.
func attributeText(v any) string {
	if text, ok := v.(string); ok {
		return table.Cut(text, mostAttribute)
	}
	if list, ok := v.([]any); ok && len(list) > mostListed {
		return fmt.Sprintf("%s … %d values", table.Cut(fmt.Sprint(list[:mostListed]), mostAttribute), len(list))
	}
	return table.Cut(fmt.Sprint(v), mostAttribute)
}

// Bounds of attributes that are shown to people.
const (
	mostAttribute = 400 // characters
	mostListed    = 24  // values
)

func (a *foreignArray) orderText() string {
	if a.Fortran {
		return ", in Fortran order"
	}
	return ""
}
