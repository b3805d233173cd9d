package command

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/whole"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/ndarray"
)

// A shaping is what flags ask of each of several arrays: a part of those that have dimensions which
// -s names, and chunks and blocks of those that have as many dimensions as -chunks and -blocks.
type shaping struct {
	chosen         coords.Selection
	selection      string // the text of -s, or ""
	chunks, blocks ndarray.Shape
	named          whole.Chunks // of -chunks with names

	places coords.Places // what -s takes by latitudes and longitudes of cells
}

func (s *shaping) isSet() bool {
	return s.selection != "" || s.chunks != nil || s.blocks != nil || s.named != nil
}

// coordinatesNear returns a function that finds the coordinates of an array of a tree, in its group
// or in one around it, and one that closes what it has found.
func coordinatesNear(key string, open coords.Opener) (near coords.Lookup, done func()) {
	var opened []ndarray.Source
	near = coords.Near(key, func(ctx context.Context, key string) (ndarray.Source, error) {
		src, err := open(ctx, key)
		if err != nil {
			return nil, err
		}
		opened = append(opened, src)
		return src, nil
	})
	return near, func() {
		for _, src := range opened {
			_ = operand.CloseSource(src)
		}
	}
}

// part returns what -s takes of the array with a key, which is all of one without the dimensions.
func (s *shaping) part(ctx context.Context, key string, src ndarray.Source,
	near coords.Lookup) (part ndarray.Source, named []string, err error) {
	if s.selection == "" {
		return src, nil, nil
	}

	a := coords.New(src, near)
	byName := s.chosen.ByName()
	chosen, named := s.places.Of(ctx, a, s.chosen)
	chosen = chosen.Only(func(name string) bool {
		has := a.AxisNamed(ctx, name) >= 0
		if has {
			named = append(named, name)
		}
		return has
	})

	if byName && named == nil {
		return src, nil, nil
	}

	taken, err := a.Select(ctx, chosen)
	if err != nil {
		return nil, nil, err
	}
	if len(a.Axes) == 1 && len(taken.Axes) == 1 && a.Axes[0].Name == path.Base("/"+key) {
		// Longitudes around the globe continue over the end of what is stored.
		if along, ok := taken.Axes[0].Coordinates(ctx); ok {
			return along, named, nil
		}
	}
	part, err = whole.Turned(ctx, key, taken, &s.places, near)
	return part, named, err
}

// locate finds what -s takes by latitudes and longitudes of cells, of all arrays of a tree.
func (s *shaping) locate(ctx context.Context, keys []string, open coords.Opener) error {
	if !s.chosen.ByName() {
		return nil
	}
	for _, key := range keys {
		src, err := open(ctx, key)
		if errors.Is(err, cairn.ErrNotFound) { // a plain frame of a store
			continue
		}
		if err != nil {
			return err
		}

		near, done := coordinatesNear(key, open)
		err = s.places.Add(ctx, coords.New(src, near), s.chosen)
		done()
		if err := errors.Join(err, operand.CloseSource(src)); err != nil {
			return naming.In(key, err)
		}
	}
	return nil
}

// shapes returns the chunks and blocks of an array; nil if the flags are not about it.
func (s *shaping) shapes(src ndarray.Source) (chunks, blocks ndarray.Shape) {
	if s.named != nil {
		return s.named.Shape(src), nil
	}
	dims := len(src.Shape())
	if len(s.chunks) == dims {
		chunks = s.chunks
	}
	if len(s.blocks) == dims {
		blocks = s.blocks
	}
	return chunks, blocks
}

// wrap returns a function that opens the parts of arrays that -s takes.
func (s *shaping) wrap(ctx context.Context, all openFunc, open coords.Opener) openFunc {
	if s.selection == "" {
		return all
	}

	return func(key string) (ndarray.Source, func() error, error) {
		src, done, err := all(key)
		if err != nil {
			return nil, nil, err
		}

		near, closeNear := coordinatesNear(key, open)
		end := func() error {
			closeNear()
			return done()
		}

		part, _, err := s.part(ctx, key, src, near)
		if err != nil {
			return nil, nil, errors.Join(naming.In(key, err), end())
		}
		return part, end, nil
	}
}

// grid returns a function that opens arrays with the chunks that -chunks names.
func (s *shaping) grid(open openFunc) openFunc {
	if s.named == nil {
		return open
	}
	return func(key string) (ndarray.Source, func() error, error) {
		src, done, err := open(key)
		if err != nil {
			return src, done, err
		}
		return s.named.Of(src), done, nil
	}
}

// A shaped is what a shaping does with the arrays of a tree.
type shaped struct {
	part, whole  []string        // keys of arrays that -s takes in part or whole
	inShape, own []string        // keys of arrays whose chunks flags give, and of the others
	dims         []string        // names of dimensions
	unused       map[string]bool // names of -s that no array has had so far
	bytes        int64           // of the items of all parts
}

// check looks at all arrays of a tree before anything is written. It fails for what cannot be done
// with them, and says what is done with which. It returns the bytes of their items.
func (s *shaping) check(ctx context.Context, std *streams, name string, keys []string, open coords.Opener) (bytes int64, err error) {
	if s.chunks != nil && s.blocks != nil && len(s.chunks) != len(s.blocks) {
		return 0, usagef("-chunks has %s, and -blocks %d", console.Count(len(s.chunks), "dimension"), len(s.blocks))
	}

	if s.byPlace() {
		if err := s.checkPlaces(ctx, name, keys, open); err != nil {
			return 0, err
		}
	}

	if err := s.locate(ctx, keys, open); err != nil {
		return 0, err
	}

	all := &shaped{unused: map[string]bool{}}
	s.chosen.Only(func(name string) bool {
		all.unused[name] = true
		return true
	})

	for _, n := range s.named {
		all.unused["-chunks "+n.Dim] = true
	}

	for _, key := range keys {
		src, err := open(ctx, key)
		if errors.Is(err, cairn.ErrNotFound) { // a plain frame of a store
			continue
		}
		if err != nil {
			return 0, err
		}
		if err := errors.Join(s.look(ctx, all, key, src, open), operand.CloseSource(src)); err != nil {
			return 0, naming.In(key, err)
		}
	}
	return all.bytes, s.report(std, name, all)
}

// byPlace reports whether -s counts dimensions and does not name them.
func (s *shaping) byPlace() bool { return s.selection != "" && !s.chosen.ByName() }

// checkPlaces fails for a selection by place if arrays have different numbers of dimensions.
func (s *shaping) checkPlaces(ctx context.Context, name string, keys []string, open coords.Opener) error {
	least := 1 << 10
	most := 0
	example := "time"

	for _, key := range keys {
		src, err := open(ctx, key)
		if errors.Is(err, cairn.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}

		axes := coords.New(src, nil).Axes
		if len(axes) > most && axes[0].Name != "" {
			example = axes[0].Name
		}
		least, most = min(least, len(axes)), max(most, len(axes))
		if err := operand.CloseSource(src); err != nil {
			return err
		}
	}

	if least < most {
		return usagef("-s %s counts dimensions, and the arrays of %s have from %d to %d; name them, as in "+
			"-s '%s[0:10]', or name one array as %s%sKEY", s.selection, name, least, most, example, name, place.Mark)
	}
	return nil
}

// look notes what the flags do with one array.
func (s *shaping) look(ctx context.Context, all *shaped, key string, src ndarray.Source, open coords.Opener) error {
	near, done := coordinatesNear(key, open)
	defer done()
	part, named, err := s.part(ctx, key, src, near)
	if err != nil {
		return err
	}

	all.bytes += described.Bytes(part)
	for _, name := range named {
		all.unused[name] = false
	}
	for _, axis := range coords.New(src, nil).Axes {
		if axis.Name != "" && !slices.Contains(all.dims, axis.Name) {
			all.dims = append(all.dims, axis.Name)
		}
	}

	if key = strings.Trim(key, "/"); named != nil {
		all.part = append(all.part, key)
	} else {
		all.whole = append(all.whole, key)
	}
	for _, n := range s.named {
		if slices.Contains(whole.Dims(part), n.Dim) {
			all.unused["-chunks "+n.Dim] = false
		}
	}
	if chunks, blocks := s.shapes(part); chunks != nil || blocks != nil {
		all.inShape = append(all.inShape, key)
	} else {
		all.own = append(all.own, key)
	}
	return nil
}

// flagOf returns the flag that has named a dimension, and the dimension.
func flagOf(unused string) (flag, dim string) {
	if dim, ok := strings.CutPrefix(unused, "-chunks "); ok {
		return "-chunks", dim
	}
	return "-s", unused
}

// report says what is done with which arrays, and fails if a flag applies to none.
func (s *shaping) report(std *streams, name string, all *shaped) error {
	for dim, unused := range all.unused {
		if unused {
			there := "none has a name; name one array as " + name + place.Mark + "KEY and select by index"
			if all.dims != nil {
				there = "there are " + strings.Join(all.dims[:min(len(all.dims), mostNamed)], ", ")
			}
			flag, dim := flagOf(dim)
			return fmt.Errorf("%s: no array of %s has a dimension %q; %s: %w", flag, name, dim, there, cairn.ErrNotFound)
		}
	}

	flag := "-chunks"
	shape := s.chunks
	if shape == nil && s.named == nil {
		flag = "-blocks"
		shape = s.blocks
	}
	if shape != nil && all.inShape == nil {
		return usagef("%s has %s, and no array of %s has as many", flag, console.Count(len(shape), "dimension"), name)
	}

	if std.quiet {
		return nil
	}
	if all.part != nil && all.whole != nil {
		std.Complain(fmt.Sprintf("-s takes a part of %s; all of %s", someOf(all.part), someOf(all.whole)))
	}
	if (shape != nil || s.named != nil) && all.own != nil {
		std.Complain(fmt.Sprintf("%s is for %s; not for %s", flag, someOf(all.inShape), someOf(all.own)))
	}
	return nil
}

// mostNamed is how many names a note lists.
const mostNamed = 10

// someOf returns the first ones of some names as a list, and how many more there are.
func someOf(names []string) string {
	text := strings.Join(names[:min(len(names), mostNamed)], ", ")
	if n := len(names) - mostNamed; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
