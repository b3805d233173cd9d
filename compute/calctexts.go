package compute

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/internal/expr"
	"github.com/cairn-go/cairn/compute/internal/kernel"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/internal/suggest"
	"github.com/cairn-go/cairn/ndarray"
)

// comparisons are the operators that compare, with those that mean the same for exchanged operands.
var comparisons = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}

// holdsFor returns for which results of cmp.Compare an operator holds.
func holdsFor(op string) func(order int) bool {
	return func(order int) bool {
		switch op {
		case "<":
			return order < 0
		case "<=":
			return order <= 0
		case ">":
			return order > 0
		case ">=":
			return order >= 0
		case "==":
			return order == 0
		}
		return order != 0
	}
}

// binary returns the term of an operator between two operands.
func (b *binder) binary(ctx context.Context, n *expr.Node) (*term, error) {
	if i := slices.IndexFunc(n.Args, func(a *expr.Node) bool { return a.Kind == expr.String }); i >= 0 {
		return b.withText(ctx, n, n.Args[1-i], n.Args[i], i == 0)
	}

	args, err := b.bindAll(ctx, n.Args)
	if err != nil {
		return nil, err
	}
	difference := n.Text == "-"
	if comparisons[n.Text] != "" || difference {
		if t, err := b.timeOperation(ctx, n, args); t != nil || err != nil {
			return t, err
		}
	}
	return b.applied(ctx, n, args, binaryOf(n.Text))
}

func binaryOf(op string) operation {
	return func(v []kernel.Value) (kernel.Value, error) { return kernel.Binary(op, v[0], v[1]) }
}

// withText returns the term of an operator between an operand and a text: a date, the name of a
// flag, or the text itself.
func (b *binder) withText(ctx context.Context, n, operand, text *expr.Node, flipped bool) (*term, error) {
	op := n.Text
	if comparisons[op] == "" && op != "-" || operand.Kind == expr.String {
		return nil, b.at(text, errText)
	}
	if comparisons[op] != "" && flipped {
		op = comparisons[op]
	}

	src, err := b.viewOf(ctx, operand)
	if err != nil {
		return nil, b.at(operand, err)
	}
	if src != nil && isText(src) {
		if op == "-" {
			return nil, b.at(text, errText)
		}
		return b.textCompared(src, operand, op, text.Text)
	}

	of, err := b.bind(ctx, operand)
	if err != nil {
		return nil, err
	}
	t, found, err := b.withDate(ctx, op, of, text.Text, flipped)
	if found || err != nil {
		return t, b.at(text, err)
	}
	if flags := cf.FlagsOf(of.attributes); len(flags) > 0 {
		t, err := b.flagged(ctx, op, of, text.Text, flags)
		return t, b.at(text, err)
	}
	return nil, b.at(text, errText)
}

// errText is the error for a text where none can be.
var errText = fmt.Errorf("a text is compared with times, as in time >= '2000-01-31', with an array of texts, or with flags; "+
	"here it has no meaning: %w", cairn.ErrType)

// flagged returns the term of whether values have the flag with a name.
func (b *binder) flagged(ctx context.Context, op string, of *term, name string, flags []cf.Flag) (*term, error) {
	i := slices.IndexFunc(flags, func(f cf.Flag) bool { return f.Name == name })
	if i < 0 {
		var names []string
		for _, f := range flags {
			names = append(names, f.Name)
		}
		return nil, fmt.Errorf("no flag is named %q, but %s%s: %w", name, strings.Join(names, ", "),
			suggest.Question(name, names), cairn.ErrNotFound)
	}
	if op != "==" && op != "!=" {
		return nil, fmt.Errorf("flags are compared by == and !=, not %s: %w", op, cairn.ErrType)
	}

	flag := flags[i]
	equal := op == "=="
	r := kernel.Reading[bool]{
		Ints: func(dst []bool, x []int64) {
			for i, n := range x {
				dst[i] = (uint64(n)&flag.Mask == flag.Value) == equal
			}
		},
		Floats: func(dst []bool, x []float64) {
			for i, v := range x {
				dst[i] = (v == v && uint64(int64(v))&flag.Mask == flag.Value) == equal
			}
		},
	}
	return takenAs(ctx, b, of, kernel.Bool, r, nil, "flag", op, name)
}

// viewOf returns what a node names of a source: all of it, a selection or a field. It is nil for
// what must be computed.
func (b *binder) viewOf(ctx context.Context, n *expr.Node) (ndarray.Source, error) {
	switch n.Kind {
	case expr.Name:
		if src, ok := b.sources[n.Text]; ok {
			return src, nil
		}
		if _, ok := kernel.Constant(n.Text); ok {
			return nil, nil
		}
		return b.coordinate(ctx, n.Text)
	case expr.Field, expr.Index:
	default:
		return nil, nil
	}

	of, err := b.viewOf(ctx, n.Args[0])
	if of == nil || err != nil {
		return nil, err
	}
	if name, ok := fieldOf(n); ok {
		return b.field(ctx, n, of, name)
	}

	selectors, err := ndarray.Parse(n.Text)
	if err != nil {
		return nil, err
	}
	view := ndarray.ViewOf(of).Slice(selectors...)
	return view, view.Err()
}

// fieldOf returns the name of the field that a node takes.
func fieldOf(n *expr.Node) (string, bool) {
	if n.Kind == expr.Field {
		return n.Text, true
	}
	text := n.Text
	if len(text) < 2 || text[0] != '\'' && text[0] != '"' || text[len(text)-1] != text[0] ||
		strings.IndexByte(text[1:len(text)-1], text[0]) >= 0 {
		return "", false
	}
	return text[1 : len(text)-1], true
}

// field returns the field of records, or the coordinates of an array, that have a name. It is nil
// if a part of times is meant.
func (b *binder) field(ctx context.Context, n *expr.Node, of ndarray.Source, name string) (ndarray.Source, error) {
	if d := of.DType(); d.IsStruct() {
		view := ndarray.ViewOf(of).Field(name)
		if view.Err() == nil {
			return view, nil
		}
		var names []string
		for _, f := range d.Fields() {
			names = append(names, f.Name)
		}
		return nil, fmt.Errorf("no field is named %q, but %s%s: %w", name, strings.Join(names, ", "),
			suggest.Question(name, names), cairn.ErrNotFound)
	}
	if n.Kind == expr.Field && (name == "dt" || isPart(name)) {
		return nil, nil
	}

	labels, err := ndarray.LabelsOf(of)
	if err != nil {
		return nil, err
	}
	return b.coordinateOf(ctx, name, &term{dims: labels.Dims, shape: of.Shape()})
}

// isText reports whether the items of a source are texts.
func isText(src ndarray.Source) bool {
	kind := src.DType().Kind()
	return (kind == 'S' || kind == 'U') && !src.DType().IsStruct()
}

// isDates reports whether the items of a source are dates of NumPy.
func isDates(src ndarray.Source) bool { return src.DType().Kind() == 'M' }

// textCompared returns the term of a comparison of texts with one.
func (b *binder) textCompared(src ndarray.Source, n *expr.Node, op, text string) (*term, error) {
	labels, err := ndarray.LabelsOf(src)
	if err != nil {
		return nil, err
	}
	l, err := textLeaf(src, op, text)
	if err != nil {
		return nil, err
	}
	return b.intern(func() (*term, error) {
		return &term{
			shape: l.shape(), dims: labels.Dims, moved: cutIn(n, labels.Dims), leaves: []leaf{l}, reads: true, simple: true,
			build: func(p *program) (kernel.Value, error) { return p.slot(l).value(), nil },
		}, nil
	}, "texts", describe(n), op, text)
}

// describe returns a text by which nodes that name a part of a source are told apart.
func describe(n *expr.Node) string {
	text := fmt.Sprintf("%d%q", n.Kind, n.Text)
	for _, a := range n.Args {
		text += " " + describe(a)
	}
	return text
}

// textLeaf returns the leaf of a comparison of the texts of a source with one.
func textLeaf(src ndarray.Source, op, text string) (leaf, error) {
	d := src.DType()
	size := d.Size()
	if size == 0 {
		return nil, fmt.Errorf("texts of no length: %w", cairn.ErrUnsupported)
	}
	want := []byte(text)
	wide := d.Kind() == 'U'
	big := d.BigEndian()
	holds := holdsFor(op)

	read := func() func(ctx context.Context, dst []bool, start, stop []int64) error {
		var raw, plain []byte
		return func(ctx context.Context, dst []bool, start, stop []int64) error {
			raw = slab.Resize(raw, len(dst)*size)
			if err := src.ReadBytes(ctx, raw, start, stop); err != nil {
				return err
			}
			for i := range dst {
				item := raw[i*size:][:size]
				if wide {
					plain = appendWide(plain[:0], item, big)
					item = plain
				}
				dst[i] = holds(bytes.Compare(bytes.TrimRight(item, "\x00"), want))
			}
			return nil
		}
	}
	return &typedLeaf[bool]{leafOf{src: src, of: src.Shape(), size: size, kind: kernel.Bool}, read}, nil
}

// appendWide appends a text of 4 bytes per character as UTF-8.
func appendWide(dst, item []byte, bigEndian bool) []byte {
	character := govalue.Number{Kind: 'u', Size: 4, BigEndian: bigEndian}
	for ; len(item) >= 4; item = item[4:] {
		dst = utf8.AppendRune(dst, rune(character.Bits(item)))
	}
	return dst
}
