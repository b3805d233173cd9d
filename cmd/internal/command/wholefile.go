package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/whole"
	"github.com/cairn-go/cairn/internal/beside"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/data"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/suggest"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A wholeFile is a file, or a group of one, all of whose arrays a verb writes to another file.
type wholeFile struct {
	*operand.Opened
	keys    []string
	meant   []string     // those that are data
	arrays  []data.Array // of the keys
	omitted omission

	later []func() error // close what is open until the end
}

// Close closes the file, and what is open in it.
func (w *wholeFile) Close() error {
	var err error
	for _, done := range w.later {
		err = errors.Join(err, done())
	}
	return errors.Join(err, w.Opened.Close())
}

// wholeFormat returns the format of an output that may be a whole file, or nil.
func wholeFormat(to target) *formats.Format {
	row := to.other()
	switch {
	case to.none() || to.One():
		return nil
	case to.is(storeFormat):
		return storeFormat
	case row == nil || !row.Trees || !row.Attributes:
		return nil
	}
	return row
}

// openWhole opens a file for a verb that writes whole ones. It returns nil for a single array.
func (std *streams) openWhole(ctx context.Context, from place.Place, workers int) (*wholeFile, error) {
	if from.Kind == place.Standard {
		return nil, nil
	}
	o, err := std.at.Open(ctx, from, inAnyOrder(workers))
	if err != nil {
		return nil, err
	}
	w := &wholeFile{Opened: o, keys: o.Under(o.Key)}
	t, err := o.Several(ctx)
	if err != nil || t == nil || len(t.Objects) > 0 {
		return nil, errors.Join(err, o.Close())
	}

	if o.Foreign() {
		w.keys, err = withLinked(ctx, std, o, w.keys, &w.omitted)
	}
	if err == nil {
		w.keys, _, err = supported(ctx, std, o, w.keys, &w.omitted)
	}
	if err == nil {
		w.arrays, err = data.List(ctx, o.Tree, w.keys)
	}
	if err != nil || len(w.keys) == 0 {
		return nil, errors.Join(err, o.Close())
	}
	w.meant = data.Of(ctx, o.Tree, w.keys)
	return w, nil
}

// axesOf returns the axes of an array that some names stand for.
func (w *wholeFile) axesOf(ctx context.Context, key string, src ndarray.Source, names []string) (axes []int) {
	near, done := coordinatesNear(key, w.Near)
	defer done()
	a := coords.New(src, near)
	for _, name := range names {
		if i := a.AxisNamed(ctx, name); i >= 0 && !slices.Contains(axes, i) {
			axes = append(axes, i)
		}
	}
	return axes
}

// dims returns the names of the dimensions of the arrays that are data, of the one with the most
// first.
func (w *wholeFile) dims() (names []string) {
	for _, a := range w.arrays {
		if slices.Contains(w.meant, a.Key) && len(a.Dims) > len(names) {
			names = a.Dims
		}
	}
	return names
}

// named returns the name of a dimension that a flag gives by its number, of the arrays with the
// most dimensions. They must agree.
func (w *wholeFile) named(text string) (string, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return text, nil
	}

	most := w.dims()
	if n < 0 {
		n += len(most)
	}
	if n < 0 || n >= len(most) || most[n] == "" {
		return "", usagef("-axis %s: %s holds several arrays; give the name of a dimension, or name one array as %s%sKEY",
			text, w.Name, w.Name, place.Mark)
	}
	for _, a := range w.arrays {
		if slices.Contains(w.meant, a.Key) && len(a.Dims) == len(most) && a.Dims[n] != most[n] {
			return "", usagef("-axis %s: that is %s in some arrays of %s, and %s in others; give a name", text, most[n],
				w.Name, a.Dims[n])
		}
	}
	return most[n], nil
}

// noAxis is the error for a name that no array has a dimension of.
func (w *wholeFile) noAxis(name string) error {
	var all []string
	for _, a := range w.arrays {
		for _, dim := range a.Dims {
			if dim != "" && !slices.Contains(all, dim) {
				all = append(all, dim)
			}
		}
	}
	return fmt.Errorf("-axis: no array of %s has a dimension %q, but %s%s: %w", w.Name, name,
		strings.Join(all[:min(len(all), mostNamed)], ", "), suggest.Question(name, all), cairn.ErrNotFound)
}

// saver returns what writes the arrays of the file.
func (w *wholeFile) saver(ctx context.Context, std *streams, to target, o *ndarray.CopyOptions, label string) *saver {
	how := &formats.Options{CopyOptions: *o, Plain: w.plain(ctx)}
	how.AutoShapes = true // as import does
	return &saver{std: std, to: to, how: how, keys: w.keys, named: w.Name, from: w.Holding, base: w.Key, label: label,
		omitted: w.omitted,
		source: func(key string) (ndarray.Source, func() error, error) {
			src, err := w.Near(ctx, key)
			if err != nil {
				return nil, nil, err
			}
			return src, func() error { return operand.CloseSource(src) }, nil
		}}
}

// checkWhole checks the name of a whole output before anything is written.
func (f *copyFlags) checkWhole(ctx context.Context, std *streams, to target, row *formats.Format, o *ndarray.CopyOptions,
	from ...place.Place) error {
	if err := row.Check(&formats.Options{CopyOptions: *o}); err != nil {
		return usagef("%v", err)
	}
	return std.checkOutput(ctx, to, row, f.force, from...)
}

// having returns the keys of the arrays that have a dimension.
func (w *wholeFile) having(ctx context.Context, axis string) (keys []string, err error) {
	for _, a := range w.arrays {
		src, err := w.Near(ctx, a.Key)
		if err != nil {
			return nil, err
		}
		if w.axesOf(ctx, a.Key, src, []string{axis}) != nil {
			keys = append(keys, a.Key)
		}
		if err := operand.CloseSource(src); err != nil {
			return nil, err
		}
	}
	if keys == nil {
		return nil, w.noAxis(axis)
	}
	return keys, nil
}

// extent returns how many items there are along a dimension.
func (w *wholeFile) extent(ctx context.Context, axis string) (int64, error) {
	keys, err := w.having(ctx, axis)
	if err != nil {
		return 0, err
	}
	src, err := w.Near(ctx, keys[0])
	if err != nil {
		return 0, err
	}
	n := src.Shape()[w.axesOf(ctx, keys[0], src, []string{axis})[0]]
	return n, operand.CloseSource(src)
}

// boundedBy returns the key of the coordinates whose bounds an array has, or "".
func (w *wholeFile) boundedBy(key string) string {
	for _, a := range w.arrays {
		for _, r := range cf.References(a.Attributes) {
			if r.Role == cf.Bounds && path.Join(path.Dir("/"+a.Key), r.Name) == path.Join("/", key) {
				return a.Key
			}
		}
	}
	return ""
}

// has reports whether an array has a key.
func (w *wholeFile) has(key string) bool {
	return slices.ContainsFunc(w.arrays, func(a data.Array) bool { return a.Key == key })
}

// attributes returns those of an array.
func (w *wholeFile) attributes(key string) meta.Map {
	i := slices.IndexFunc(w.arrays, func(a data.Array) bool { return a.Key == key })
	return w.arrays[i].Attributes
}

// divide finds the groups of the dimensions of the arrays that are data, with the coordinates that
// open returns. done closes these.
func (w *wholeFile) divide(ctx context.Context, g *whole.Groups, open openFunc) (done func(), err error) {
	var ends []func() error
	done = func() {
		for _, end := range ends {
			_ = end()
		}
	}
	opened := func(_ context.Context, key string) (ndarray.Source, error) {
		src, end, err := open(key)
		if err == nil {
			ends = append(ends, end)
		}
		return src, err
	}

	left := map[string]int{}
	for _, key := range w.meant {
		src, err := opened(ctx, key)
		if err != nil {
			return done, err
		}
		near := coords.Near(key, opened)
		missing, err := g.Divide(ctx, coords.New(src, near), near)
		if err != nil {
			return done, naming.In(w.Name+place.Mark+strings.Trim(key, "/"), err)
		}
		for _, name := range missing {
			left[name]++
		}
	}

	for name, n := range left {
		if n == len(w.meant) {
			return done, naming.In(w.Name, beside.NoGroups(name, slices.Concat(w.dims(), w.keys)))
		}
	}
	return done, nil
}

// reduceEach makes the source of a saver that of the reduced arrays, and of the others.
func (f *reduceFlags) reduceEach(ctx context.Context, w *wholeFile, s *saver, r *whole.Reduction, names []string) error {
	open := s.source
	results := map[string]ndarray.Source{}
	gone := map[string]bool{} // names of arrays
	used := map[string]bool{}
	s.keys = nil

	for _, a := range w.arrays {
		axes, err := f.axesIn(ctx, w, open, &a, names, used)
		if err != nil {
			return err
		}
		aside, err := f.aside(ctx, w, r, &a, axes, open)
		if err != nil {
			return err
		}
		if aside != nil {
			maps.Copy(results, aside)
			s.keys = append(s.keys, slices.Sorted(maps.Keys(aside))...)
			gone[a.Name] = aside[a.Key] == nil
			continue
		}
		if axes == nil && !r.Groups.Divides(a.Dims) {
			s.keys = append(s.keys, a.Key)
			continue
		}

		x := &whole.Operand{Key: a.Key, Role: a.Role, Axes: axes, Near: r.Near(a.Key, open),
			Open: func(context.Context) (ndarray.Source, func(), error) { return f.valuesFor(open, a.Key) }}
		kept := false
		keys, ops := r.Results(x)
		for i, key := range keys {
			src, err := r.Of(ctx, x, ops[i])
			switch {
			case err == nil && key != a.Key && w.has(key):
				return usagef("-op: %s is in %s already; choose variables, such as %s%s%s", key, w.Name, w.Name, place.Mark, a.Key)
			case err == nil:
				results[key] = src
				s.keys = append(s.keys, key)
				kept = kept || key == a.Key
			case errors.Is(err, whole.ErrGone):
			case errors.Is(err, cairn.ErrType) || errors.Is(err, cairn.ErrUnsupported):
				s.omitted.note(s.std, w.Name+place.Mark+strings.Trim(key, "/"), err)
			default:
				return err
			}
		}
		gone[a.Name] = !kept
	}

	for _, name := range names {
		if !used[name] {
			return w.noAxis(name)
		}
	}
	for _, key := range s.keys {
		delete(gone, path.Base(key)) // there is another one in some group
	}

	s.source = resultOr(results, open, gone)
	return nil
}

// resultOr returns a function that opens what is written with a key: a result, or else the array
// itself, without attributes that name what is gone.
func resultOr(results map[string]ndarray.Source, open openFunc, gone map[string]bool) openFunc {
	return func(key string) (ndarray.Source, func() error, error) {
		src := results[key]
		done := func() error { return nil }
		if src == nil {
			var err error
			if src, done, err = open(key); err != nil {
				return nil, nil, err
			}
		}
		src, err := whole.Without(src, func(name string) bool { return gone[name] })
		return src, done, err
	}
}

// axesIn returns the axes of an array that are reduced, nil if there are none: not those that are
// divided into groups. It notes which names are used.
func (f *reduceFlags) axesIn(ctx context.Context, w *wholeFile, open openFunc, a *data.Array, names []string,
	used map[string]bool) (axes []int, err error) {
	all, err := w.Near(ctx, a.Key)
	if err != nil {
		return nil, err
	}
	var dims []string
	for _, name := range names {
		for _, i := range w.axesOf(ctx, a.Key, all, []string{name}) {
			used[name] = true
			if dim := a.Dims[i]; !f.groups.Divides([]string{dim}) {
				dims = append(dims, dim)
			}
		}
	}
	if err := operand.CloseSource(all); err != nil {
		return nil, err
	}

	// A selection may have removed dimensions.
	src, done, err := open(a.Key)
	if err != nil {
		return nil, err
	}
	left := whole.Dims(src)
	for i := range src.Shape() {
		if names == nil || i < len(left) && slices.Contains(dims, left[i]) {
			axes = append(axes, i)
		}
	}
	return axes, done()
}

// valuesFor opens an array as the values that a reduction takes.
func (f *reduceFlags) valuesFor(open openFunc, key string) (ndarray.Source, func(), error) {
	src, done, err := open(key)
	if err != nil {
		return nil, nil, err
	}
	o := &openedSource{src: src}
	if err := f.values(o); err != nil {
		return nil, nil, errors.Join(err, done())
	}
	return o.src, func() { _ = done() }, nil
}

// aside returns what takes the place of coordinates, or of their bounds, by its keys: coordinates
// of groups, and bounds of windows. It is nil for other arrays.
func (f *reduceFlags) aside(ctx context.Context, w *wholeFile, r *whole.Reduction, a *data.Array, axes []int,
	open openFunc) (map[string]ndarray.Source, error) {
	if r.Groups.Replaces(a, w.boundedBy(a.Key)) {
		return maps.Collect(r.Groups.Coordinates(a)), nil
	}
	if r.Windows == nil || axes == nil || a.Role != cf.Coordinate && a.Role != cf.Bounds {
		return nil, nil
	}

	src, done, err := open(a.Key)
	if err != nil {
		return nil, err
	}
	w.later = append(w.later, done)
	if a.Role == cf.Bounds {
		if src, err = r.Windows.Bounds(ctx, src, axes[0]); err != nil {
			return nil, err
		}
	}
	if src, err = r.Windows.Cut(src, axes); err != nil {
		return nil, err
	}
	return map[string]ndarray.Source{a.Key: src}, nil
}

// declareWindows declares the flags about windows.
func (f *reduceFlags) declareWindows(set *flag.FlagSet) {
	set.StringVar(&f.window, "window", "", "have a result for each window of `DIM=N` successive items, such as time=30, at its last one; "+
		"with -by, N is a number of groups around each, such as 5 days of the year")
	set.BoolVar(&f.center, "center", false, "have the results of -window at the middle, of an even number behind it")
	set.BoolVar(&f.complete, "complete", false, "leave out what exceeds the array, as CDO does; by default it is missing, as in xarray")
}

// findMeaning finds out what the flags about groups and windows mean.
func (f *reduceFlags) findMeaning() (err error) {
	if f.groups, err = whole.ParseGroups(f.by, f.every, f.label); err != nil {
		return usagef("%v", err)
	}
	if f.window == "" && (f.center || f.complete) {
		return usagef("-center and -complete are for -window")
	}
	if f.window == "" {
		return nil
	}
	if f.keep {
		return usagef("-keepdims: -window keeps all dimensions")
	}

	f.windows = &whole.Window{Center: f.center, Complete: f.complete, Least: f.minCount}
	if err := f.windows.Parse(f.window, f.groups, f.axes); err != nil {
		return usagef("%v", err)
	}
	if f.groups == nil {
		f.axes = f.windows.Dim
		f.minCount = 0
	}
	return nil
}
