package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/loss"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/outfile"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/data"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/rounding"
	"github.com/cairn-go/cairn/ndarray"
)

// A saver writes arrays in a format.
type saver struct {
	std     *streams
	to      target
	how     *formats.Options
	raw     bool     // whether items are written as they are stored
	tree    bool     // whether the output holds what a whole store did, even if that is one array
	keys    []string // one empty key for a single array
	source  openFunc
	named   string           // what holds them, for messages
	keep    []keptCoordinate // of the arrays, for formats that hold several with labels
	omitted omission
	from    *formats.Holding // what has the groups of keys, or nil
	origin  *formats.Holding // what has the arrays of keys, or nil
	base    string           // the group of it that is written, or ""
	label   string           // of progress
	values  []writtenValues  // of those that have been opened
	rounded map[string]*loss.Source
	save    func(ctx context.Context, key, path string, src ndarray.Source, o *ndarray.CopyOptions) error

	progress func(done int64) // counts bytes of items
	moved    int64            // bytes that have been counted
}

// deliver writes the output in a format, and notes the arrays whose values it has.
func (s *saver) deliver(ctx context.Context, row *formats.Format) error {
	if err := s.write(ctx, row); err != nil {
		return err
	}
	for _, v := range s.values {
		s.std.noteValues(v.meaning, v.key)
	}
	for _, key := range slices.Sorted(maps.Keys(s.rounded)) {
		s.std.noteLoss(key, s.rounded[key].Errors())
	}
	return nil
}

// round makes the arrays that are data be written rounded, if the options ask for it. A single
// array is rounded whatever it is.
func (s *saver) round(ctx context.Context, row *formats.Format) error {
	b := loss.BoundOf(s.how.Loss)
	if b.Rule == rounding.None {
		return nil
	}

	s.how.Loss = ndarray.Loss{}
	s.how.Checked = true
	open := s.source
	chosen := s.keys
	if s.tree && s.from != nil {
		var err error
		if chosen, err = data.Surely(ctx, s.from, s.keys); err != nil {
			return err
		}
	}
	variables, added, err := s.addVariables(row, chosen, b)
	if err != nil {
		return err
	}

	s.rounded = map[string]*loss.Source{}
	s.source = func(key string) (ndarray.Source, func() error, error) {
		if slices.Contains(added, key) {
			u, err := variables.Open(key)
			return u, u.Close, err
		}
		src, done, err := open(key)
		if err != nil || !slices.Contains(chosen, key) {
			return src, done, err
		}
		if why := loss.Misfit(src, b); why != nil && s.tree {
			s.std.noteExact(key, why)
			return src, done, nil
		}

		rounded, err := loss.Round(ctx, src, b, variables.Beside(key, src.DType(), b))
		if err != nil {
			return nil, nil, errors.Join(naming.In(key, err), done())
		}
		s.rounded[key] = rounded
		return rounded, done, nil
	}
	return nil
}

// addVariables adds those that tell how arrays will be rounded, where the output has a place for
// them. It returns their keys, without those of variables that are there already.
func (s *saver) addVariables(row *formats.Format, rounded []string, b rounding.Bound) (*loss.Variables, []string, error) {
	if !row.Trees || !row.Attributes || !s.tree && len(s.keep) == 0 {
		return nil, nil, nil
	}

	v := &loss.Variables{Version: buildOf().Version}
	for _, key := range rounded {
		src, done, err := s.source(key)
		if err != nil {
			return nil, nil, err
		}
		if loss.Misfit(src, b) == nil {
			v.Beside(key, src.DType(), b)
		}
		if err := done(); err != nil {
			return nil, nil, err
		}
	}

	var added []string
	for _, key := range v.Keys() {
		switch {
		case !s.tree: // it is kept like coordinates
			u, err := v.Open(key)
			if err != nil {
				return nil, nil, err
			}
			s.keep = append(s.keep, keptCoordinate{path.Base(key), u})
		case !slices.ContainsFunc(s.keys, func(k string) bool { return formats.Key(k) == key }):
			added = append(added, key)
		}
	}
	s.keys = append(slices.Clip(s.keys), added...)
	return v, added, nil
}

// write writes the output, on this machine or to a bucket.
func (s *saver) write(ctx context.Context, row *formats.Format) error {
	if err := s.round(ctx, row); err != nil {
		return err
	}
	if !row.Attributes && !s.raw {
		s.source = s.valuesOf(s.source)
	}
	if err := s.checkSpace(row); err != nil {
		return err
	}
	one := row.Native && !row.Trees // a leaf, a folder of a bucket, or a file
	switch {
	case len(s.keep) == 0 || one:
	case row.Trees && row.Attributes:
		s.addCoordinates()
	default:
		s.std.job.leaveOut(s.keep)
	}

	if one {
		sparse := s.how.Sparse != nil && *s.how.Sparse
		s.how.FS = s.std.sparseIn(s.to, sparse)
		return s.std.writeOut(ctx, output{s.to, s.how.Overwrite, sparse, s.keep}, func(path string) error {
			return row.Create(ctx, s.writing(ctx, path, row))
		})
	}

	// An array that turns out to be damaged is left out, and the others are written once more.
	for {
		err := s.std.onDisk(ctx, s.to, s.how.Overwrite, func(path string) error {
			return row.Create(ctx, s.writing(ctx, path, row))
		})
		if err == nil {
			return nil
		}
		if err = s.withoutDamaged(ctx, err); err != nil {
			return err
		}
	}
}

// one writes an array, whose key is the only one.
func (s *saver) one(ctx context.Context, row *formats.Format, src ndarray.Source, o *ndarray.CopyOptions) error {
	s.how = &formats.Options{CopyOptions: *o}
	s.source = func(string) (ndarray.Source, func() error, error) {
		return src, func() error { return nil }, nil
	}
	return s.deliver(ctx, row)
}

// writing returns what a format shall write at a path.
func (s *saver) writing(ctx context.Context, path string, row *formats.Format) *formats.Writing {
	skipped := 0

	return &formats.Writing{Options: *s.how, Path: path, Keys: s.keys, Tree: s.tree, Open: s.source, Groups: s.from,
		Origin: s.origin,
		Base:   s.base, Save: s.save,
		File: func(write func(out io.Writer) error) error { return s.writeFile(ctx, path, write) },
		Own: func(key string) bool { // coordinates have chunks of their own
			return s.named != "" || slices.ContainsFunc(s.keep, func(k keptCoordinate) bool {
				return formats.Key(k.name) == formats.Key(key)
			})
		},
		Skip: func(key string, why error) error {
			if slices.Contains(s.keys, key) && (len(s.keys) < 2 || s.keep != nil || s.named == "") {
				return why
			}
			if slices.Contains(s.keys, key) {
				skipped++
			}
			s.omitted.note(s.std, s.named+place.Mark+key, why)
			if skipped == len(s.keys) {
				return noArrays(s.named)
			}
			return nil
		},
		LeftOut: func(key, attribute string, why error) {
			s.std.Complain(fmt.Sprintf("attribute %s of %s has no form in %s, left out: %v", attribute, key, row.Is, why))
		},
		Progress: s.progress,
	}
}

// checkSpace fails, or says so, if the output does not fit where it goes, or probably not.
func (s *saver) checkSpace(row *formats.Format) error {
	total := int64(0)
	for _, key := range s.keys {
		src, done, err := s.source(key)
		if err != nil {
			return err
		}
		total += described.Bytes(src)
		if err := done(); err != nil {
			return err
		}
	}

	switch {
	case slices.Contains(row.Takes, "level"):
		s.std.noteSpace(s.to.Place, total, s.how.Level)
	case !s.how.Deflate:
		return s.std.checkSpace(s.to.Place, total)
	}
	return nil
}

// addCoordinates adds the coordinates of the arrays. A single array gets the name of the output if
// it has none.
func (s *saver) addCoordinates() {
	array := s.source
	own := map[string]string{}

	if !s.tree {
		key := s.keys[0]
		name := path.Base("/" + strings.Trim(key, "/"))
		if name == "/" {
			name = filepath.Base(s.to.Name)
			name = name[:len(name)-len(s.to.ext)]
		}
		s.tree = true
		s.keys = []string{name}
		own[name] = key
	}

	sources := map[string]ndarray.Source{}
	for _, k := range s.keep {
		if !slices.Contains(s.keys, k.name) {
			sources[k.name], s.keys = k.src, append(s.keys, k.name)
		}
	}

	s.source = func(key string) (ndarray.Source, func() error, error) {
		if src, ok := sources[key]; ok {
			return src, func() error { return nil }, nil
		}
		if k, ok := own[key]; ok {
			key = k
		}
		return array(key)
	}
}

// writeFile writes a file that appears only when it is complete, or standard output.
func (s *saver) writeFile(ctx context.Context, path string, write func(w io.Writer) error) error {
	if s.to.stream() {
		return write(s.std.Output(ctx))
	}
	f, err := outfile.Create(path, s.how.Overwrite)
	if err != nil {
		return err
	}
	if err := write(console.Named(f, path)); err != nil {
		f.Abort()
		return err
	}
	return f.Commit()
}

// writtenValues says what the items of an array mean, whose values are written.
type writtenValues struct {
	key     string
	meaning *cf.Meaning
}

// valuesOf returns a function that opens arrays as the values of those that another one opens. It
// notes what these mean.
func (s *saver) valuesOf(open openFunc) openFunc {
	return func(key string) (ndarray.Source, func() error, error) {
		src, done, err := open(key)
		labelled, ok := src.(ndarray.Labelled)
		if err != nil || !ok {
			return src, done, err
		}

		o := &openedSource{src: labelled}
		if err := (&valueFlags{}).values(o); err != nil {
			return nil, nil, errors.Join(err, done())
		}

		if !slices.ContainsFunc(s.values, func(v writtenValues) bool { return v.key == key }) {
			s.values = append(s.values, writtenValues{key, o.meaning})
		}
		return o.src, done, nil
	}
}

// An openFunc opens one of several arrays, and returns how to close it.
type openFunc = func(key string) (src ndarray.Source, done func() error, err error)

// withoutDamaged leaves out the array of an error, and of those after it the damaged ones, so that
// the output can be written once more. It returns the error if that is of another kind, or if
// nothing would be left.
func (s *saver) withoutDamaged(ctx context.Context, err error) error {
	var failed *formats.KeyError
	if s.named == "" || len(s.keys) < 2 || !errors.As(err, &failed) || !isDamaged(err) {
		return err
	}
	s.omitted.note(s.std, s.named+place.Mark+failed.Key, failed.Err)

	at := slices.Index(s.keys, failed.Key)
	kept := slices.Clone(s.keys[:at])
	for _, key := range s.keys[at+1:] {
		err := s.readWhole(ctx, key)
		switch {
		case err == nil:
			kept = append(kept, key)
		case isDamaged(err):
			s.omitted.note(s.std, s.named+place.Mark+key, err)
		default:
			return err
		}
	}
	if s.keys = kept; len(kept) == 0 {
		return noArrays(s.named)
	}
	s.progress(-s.moved)
	return nil
}

// readWhole reads all items of an array, for nothing but what may be wrong with them.
func (s *saver) readWhole(ctx context.Context, key string) error {
	src, done, err := s.source(key)
	if err != nil {
		return err
	}
	return errors.Join(formats.ReadAll(ctx, src, func(int64) {}), done())
}

// bytes returns those of the items of all arrays that can be opened.
func (s *saver) bytes() (total int64) {
	for _, key := range s.keys {
		if src, done, err := s.source(key); err == nil {
			total += described.Bytes(src)
			_ = done()
		}
	}
	return total
}
