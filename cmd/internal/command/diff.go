package command

import (
	"context"
	"errors"
	"flag"
	"slices"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/diff"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/cf/values"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// diffFlags are the flags of diff.
type diffFlags struct {
	diff.Options
	raw       bool
	selection string
	asJSON    bool
	chosen    coords.Selection
	unused    map[string]bool // of trees: dimensions that no array has had so far
}

func diffVerb(set *flag.FlagSet) action {
	var f diffFlags
	set.Float64Var(&f.AbsTol, "atol", 0, "numbers whose difference is at most `X` are equal")
	set.Float64Var(&f.RelTol, "rtol", 0,
		"and so are those whose difference is at most `X` times the number in B; both tolerances add up")
	set.BoolVar(&f.EqualNaN, "equal-nan", false, "a NaN equals a NaN, and NaT equals NaT")
	set.BoolVar(&f.raw, "raw", false, "compare items as they are stored, and how they are packed and marked as missing")
	set.StringVar(&f.selection, "s", "", selectionUsage)
	set.BoolVar(&f.asJSON, "json", false, "print JSON")
	set.IntVar(&f.Workers, "workers", 0, workersUsage)

	return func(ctx context.Context, std *streams, operands []string) error {
		if err := errors.Join(wantOperands(operands, "A", "B"), checkWorkers(f.Workers)); err != nil {
			return err
		}
		for name, tolerance := range map[string]float64{"atol": f.AbsTol, "rtol": f.RelTol} {
			if !(tolerance >= 0) {
				return usagef("-%s is %v, must not be negative", name, tolerance)
			}
		}

		var err error
		if f.chosen, err = parseSelection(f.selection); err != nil {
			return err
		}

		equal, err := f.run(ctx, std, operands[0], operands[1])
		switch {
		case err != nil:
			return &trouble{err}
		case !equal:
			return exitError(exitFailed)
		}
		return nil
	}
}

// A trouble is an error of a verb whose exit code 1 means something else.
type trouble struct{ error }

func (t *trouble) Unwrap() error { return t.error }

// run compares two operands, and prints what differs.
func (f *diffFlags) run(ctx context.Context, std *streams, a, b string) (equal bool, err error) {
	var opened [2]*operand.Opened
	var trees [2]*operand.Tree
	for i, name := range []string{a, b} {
		if opened[i], err = std.at.Open(ctx, place.Of(name), inAnyOrder(f.Workers)); err != nil {
			return false, err
		}
		defer opened[i].Close()
		if trees[i], err = opened[i].Several(ctx); err != nil {
			return false, err
		}
	}

	if trees[0] != nil && trees[1] != nil {
		t := &treeComparison{A: a, B: b}
		if err := f.compareTrees(ctx, std, t, trees[0], trees[1]); err != nil {
			return false, err
		}
		return t.Equal, f.report(ctx, std, t)
	}

	// A tree beside an array stands for the only array that is data.
	c, err := f.compareOpened(ctx, std, opened)
	if err != nil {
		return false, err
	}
	return c.Equal, f.report(ctx, std, c)
}

// report prints a report, unless only the exit code is wanted.
func (f *diffFlags) report(ctx context.Context, std *streams, report interface{ text(*streams) string }) error {
	switch {
	case f.asJSON:
		return std.PrintJSON(ctx, report)
	case std.quiet:
		return nil
	}
	return std.Print(ctx, report.text(std))
}

// compareOpened compares two arrays, or plain frames as their bytes.
func (f *diffFlags) compareOpened(ctx context.Context, std *streams, opened [2]*operand.Opened) (*comparison, error) {
	var sides [2]side
	for i, o := range opened {
		src, err := o.Array(ctx)
		if err == nil && src == nil {
			src, err = newFrameBytes(o.Frame())
		}
		if err != nil {
			return nil, err
		}
		sides[i] = side{o.Place.String(), src, o.Sibling}
	}

	bar := std.newBar("comparing", described.Bytes(sides[0].src)+described.Bytes(sides[1].src))
	defer bar.Close()
	return f.compare(ctx, sides[0], sides[1], bar)
}

// A side is one of two arrays to compare.
type side struct {
	name   string
	src    ndarray.Source
	lookup coords.Lookup // of its coordinates; nil if there are none
}

// compare compares two arrays.
func (f *diffFlags) compare(ctx context.Context, a, b side, bar *progress.Bar) (*comparison, error) {
	c := &comparison{A: a.name, B: b.name, Changes: []diff.Change{}}
	x, y, missing, err := f.comparedValues(a.src, b.src)
	if err != nil {
		return nil, err
	}

	changes, err := f.labels(a.src, b.src, x, y)
	if u, w := frameOf(a.src), frameOf(b.src); u != nil && w != nil && err == nil {
		var layers []diff.Change
		layers, err = diff.Layers(u, w)
		changes = append(changes, layers...)
	}
	if err != nil {
		return nil, err
	}

	v := coords.New(x, a.lookup)
	chosen := f.chosen
	if f.unused != nil { // arrays of a tree need not have all dimensions
		chosen = chosen.Only(func(name string) bool {
			has := v.Knows(ctx, name)
			f.unused[name] = !has && f.unused[name]
			return has
		})
	}
	if v, err = v.Select(ctx, chosen); err != nil {
		return nil, err
	}

	if f.selection != "" {
		w, err := coords.New(y, b.lookup).Select(ctx, chosen)
		if err != nil {
			return nil, err
		}
		x = v.View
		y = w.View
	}

	c.dtypes[0] = x.DType()
	c.dtypes[1] = y.DType()
	if s, t := x.Shape(), y.Shape(); !slices.Equal(s, t) {
		c.Changes = append(c.Changes, diff.Change{Name: "shape", A: s, B: t})
	}
	if s, t := x.DType().String(), y.DType().String(); s != t && (f.raw || !diff.SameNumbers(x.DType(), y.DType())) {
		c.Changes = append(c.Changes, diff.Change{Name: "dtype", A: s, B: t})
	}
	for _, change := range changes {
		c.Changes = append(c.Changes, diff.Change{Name: change.Name, A: item.Meta(change.A), B: item.Meta(change.B)})
	}

	comparable := slices.Equal(x.Shape(), y.Shape()) && diff.Comparable(x.DType(), y.DType())
	if comparable {
		o := f.Options
		size := int64(x.DType().Size() + y.DType().Size())
		o.EqualNaN = o.EqualNaN || missing
		o.Progress = func(items int64) { bar.Add(items * size) }
		counts, err := diff.Arrays(ctx, x, y, &o)
		if err != nil {
			return nil, err
		}
		c.count(counts)
		for _, change := range []*itemChange{c.Items.First, c.Items.Largest, c.Items.Relative} {
			if change == nil {
				continue
			}
			if change.Where, err = v.PlaceText(ctx, change.At); err != nil {
				return nil, err
			}
		}
	}

	c.Equal = len(c.Changes) == 0 && c.Items != nil && c.Items.Differ == 0
	return c, nil
}

// labels compares the labels of what is compared of a and b. How missing values are marked is no
// part of those of values, nor how one unit of times is written.
func (f *diffFlags) labels(a, b, x, y ndarray.Source) ([]diff.Change, error) {
	changes, err := diff.Labels(x, y)
	if f.raw || len(changes) == 0 || err != nil {
		return changes, err
	}
	times, err := sameTimes(a, b)
	return slices.DeleteFunc(changes, func(c diff.Change) bool {
		name := c.Attribute()
		return cf.MarksMissing(name) || times && cf.SaysTime(name)
	}), err
}

// sameTimes reports whether equal items of two arrays are the same times.
func sameTimes(a, b ndarray.Source) (bool, error) {
	x, err := ndarray.LabelsOf(a)
	if err != nil {
		return false, err
	}
	y, err := ndarray.LabelsOf(b)
	if err != nil {
		return false, err
	}
	return cf.SameTimes(cf.Of(a.DType(), x.Attributes), cf.Of(b.DType(), y.Attributes)), nil
}

// comparedValues returns what is compared of two sources: values, and whether both mark some as
// missing, or items. Values of items that mean the same have one dtype: JSON does not tell whether
// a scale_factor was a float32, on which it depends.
func (f *diffFlags) comparedValues(a, b ndarray.Source) (x, y ndarray.Source, missing bool, err error) {
	s, ok := a.(ndarray.Labelled)
	t, also := b.(ndarray.Labelled)
	if f.raw || !ok || !also {
		return a, b, false, nil
	}

	m, err := meaningOf(s)
	if err != nil {
		return nil, nil, false, err
	}
	n, err := meaningOf(t)
	if err != nil {
		return nil, nil, false, err
	}

	if m.Packing != nil && n.Packing != nil && len(cf.Compare(m, n)) == 0 {
		n.Values = m.Values
	}

	if x, err = values.Of(s, m); err != nil {
		return nil, nil, false, err
	}
	if y, err = values.Of(t, n); err != nil {
		return nil, nil, false, err
	}
	return x, y, m.Declared() && n.Declared(), nil
}

func meaningOf(src ndarray.Labelled) (*cf.Meaning, error) {
	l, err := src.Labels()
	return cf.Of(src.DType(), l.Attributes), err
}

// frameOf returns the frame that a source is, or nil.
func frameOf(src ndarray.Source) *frame.Snapshot {
	switch src := src.(type) {
	case *ndarray.Untyped:
		return src.Frame().Snapshot()
	case *frameBytes:
		return src.Snapshot
	}
	return nil
}

// A frameBytes is the decoded bytes of a plain frame as a source.
type frameBytes struct {
	*frame.Snapshot
	ends []int64 // of the chunks
}

func newFrameBytes(f *frame.Frame) (*frameBytes, error) {
	b := &frameBytes{Snapshot: f.Snapshot()}
	end := int64(0)
	for i := range b.NumChunks() {
		info, err := b.Peek(i)
		if err != nil {
			return nil, err
		}
		end += int64(info.NBytes)
		b.ends = append(b.ends, end)
	}
	return b, nil
}

func (b *frameBytes) Shape() ndarray.Shape {
	if len(b.ends) == 0 {
		return ndarray.Shape{0}
	}
	return ndarray.Shape{b.ends[len(b.ends)-1]}
}

func (b *frameBytes) DType() meta.DType {
	d, _ := meta.ParseDType("|u1") // which is one
	return d
}

func (b *frameBytes) Grid() (chunks, blocks ndarray.Shape) {
	n := ndarray.Shape{int64(max(1, b.ChunkSize()))}
	return n, n
}

// ReadBytes decodes the chunks of a range.
func (b *frameBytes) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	i, _ := slices.BinarySearch(b.ends, start[0]+1)
	var chunk []byte
	for at := start[0]; at < stop[0]; i++ {
		first := int64(0)
		if i > 0 {
			first = b.ends[i-1]
		}

		size := int(b.ends[i] - first)
		chunk = slab.Resize(chunk, size)
		if _, err := b.ReadChunk(ctx, chunk, i); err != nil {
			return err
		}

		n := copy(dst, chunk[at-first:])
		dst, at = dst[n:], at+int64(n)
	}
	return nil
}
