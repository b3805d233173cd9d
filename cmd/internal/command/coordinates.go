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
	"github.com/cairn-go/cairn/cmd/internal/command/internal/diff"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/loss"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// A keptCoordinate is the coordinates of a dimension of an output.
type keptCoordinate struct {
	name string
	src  ndarray.Source
}

// coordinatesToKeep returns the coordinates of an array, for an output with its dimensions.
func coordinatesToKeep(ctx context.Context, a *coords.Array) (keep []keptCoordinate) {
	for _, axis := range a.Axes {
		view, ok := axis.Coordinates(ctx)
		if ok && !slices.ContainsFunc(keep, func(k keptCoordinate) bool { return k.name == axis.Name }) {
			keep = append(keep, keptCoordinate{axis.Name, view})
		}
	}
	return keep
}

// keepVariable adds the variable that tells how an array will be rounded, as the options say, to
// what is kept beside it, if that is in a store.
func keepVariable(to target, o *ndarray.CopyOptions, src ndarray.Source, keep []keptCoordinate) ([]keptCoordinate, error) {
	v := loss.Variables{Version: buildOf().Version}
	name := v.Beside("/", src.DType(), loss.BoundOf(o.Loss))
	if name == "" || !to.Keyed {
		return keep, nil
	}
	u, err := v.Open(path.Join("/", name))
	if err != nil {
		return nil, err
	}
	o.Loss.Variable = name
	return append(keep, keptCoordinate{name, u}), nil
}

// coordinatesOfResult returns those of the coordinates of arrays that suit the dimensions of a
// result. They must agree, but on dimensions that it says to cut.
func coordinatesOfResult(ctx context.Context, result ndarray.Source, arrays []*coords.Array, cut []string,
	raw bool) (keep []keptCoordinate, err error) {
	for _, axis := range coords.New(result, nil).Axes {
		if axis.Name == "" || slices.Contains(cut, axis.Name) {
			if e, ok := result.(*compute.Expression); ok && e.Coordinates(axis.Name) != nil {
				keep = append(keep, keptCoordinate{axis.Name, e.Coordinates(axis.Name)})
			}
			continue
		}

		var first *coords.Axis
		agree := true
		for _, a := range arrays {
			i := slices.IndexFunc(a.Axes, func(x *coords.Axis) bool { return x.Name == axis.Name && x.Len == axis.Len })
			if i < 0 {
				continue
			}
			if have, err := a.Axes[i].HasCoordinates(ctx); err != nil || !have {
				continue // info says what is wrong with them
			}
			if first == nil {
				first = a.Axes[i]
				continue
			}

			r, why, err := coords.Compare(ctx, first, a.Axes[i])
			if err != nil {
				return nil, err
			}
			if agree = agree && r == coords.Same; !agree && !raw {
				return nil, fmt.Errorf("the coordinates of %s contradict each other: %s; copy -s brings them together, "+
					"and -raw does without: %w", axis.Name, why, cairn.ErrType)
			}
		}

		if first != nil && agree {
			view, _ := first.Coordinates(ctx)
			keep = append(keep, keptCoordinate{axis.Name, view})
		}
	}
	return keep, nil
}

// sameCoordinates reports whether two arrays stand for the same coordinates.
func sameCoordinates(ctx context.Context, a, b ndarray.Source) (bool, error) {
	if !slices.Equal(a.Shape(), b.Shape()) || !sameMeaning(a, b) {
		return false, nil
	}
	n, err := diff.Arrays(ctx, a, b, &diff.Options{EqualNaN: true})
	return err == nil && n.Differ == 0, err
}

// sameMeaning reports whether the items of two arrays of coordinates mean the same.
func sameMeaning(a, b ndarray.Source) bool {
	if a.DType().String() != b.DType().String() {
		return false
	}

	var all [2]*cf.Meaning
	for i, src := range []ndarray.Source{a, b} {
		labels, err := ndarray.LabelsOf(src)
		if err != nil {
			return false
		}
		all[i] = cf.Of(src.DType(), labels.Attributes)
	}
	return len(cf.Compare(all[0], all[1])) == 0
}

// putCoordinates stores coordinates in a store beside an array that has a key, unless they are
// there already.
func putCoordinates(ctx context.Context, e *store.Editor, name, key string, keep []keptCoordinate, force bool) error {
	key = path.Join("/", key)
	for _, k := range keep {
		at := path.Join(path.Dir(key), k.name)
		if at == key {
			continue // the array is its own coordinates
		}

		same, found, err := hasCoordinates(ctx, e, path.Dir(key), k)
		switch {
		case err != nil:
			return err
		case same:
			continue
		case found && !force:
			return fmt.Errorf("%s%s%s is there and has other items than the coordinates of %s; "+
				"write to a group of its own, such as %s%s%s/%s", name, place.Mark, at, k.name,
				name, place.Mark, strings.TrimSuffix(key, "/"), path.Base(key))
		}

		if err := e.Put(ctx, at, k.src, nil); err != nil {
			return err
		}
	}
	return nil
}

// hasCoordinates looks for coordinates in a group of a store, and in those around it, as reading
// does. It reports whether the array that it finds stands for the same, and whether that is in the
// group itself.
func hasCoordinates(ctx context.Context, e *store.Editor, group string, k keptCoordinate) (same, here bool, err error) {
	at := ""
	near := coords.Near(path.Join(group, k.name), func(ctx context.Context, key string) (ndarray.Source, error) {
		at = key
		return e.Open(ctx, key)
	})
	there, err := near(ctx, k.name)
	if err != nil || there == nil {
		return false, false, err
	}
	same, err = sameCoordinates(ctx, there, k.src)
	return same, path.Dir(at) == group, errors.Join(err, operand.CloseSource(there))
}

// leaveOut notes coordinates that a single file has no place for.
func (j *job) leaveOut(keep []keptCoordinate) {
	for _, k := range keep {
		if name := console.OneLine(k.name); !slices.Contains(j.leftOut, name) {
			j.leftOut = append(j.leftOut, name)
		}
	}
}
