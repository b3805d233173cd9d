package operand

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/internal/place"
)

// MostFiles bounds the files that a pattern may stand for.
const MostFiles = 100_000

// Expand replaces patterns of operands, such as 'day*.b2nd' and 'model.b2z::/run*/t', by what they
// stand for, in the order of the names. An operand that exists is no pattern. A pattern with an
// open bracket fails with [path.ErrBadPattern].
func (f *Finder) Expand(ctx context.Context, operands []string) ([]string, error) {
	var all []string
	for _, operand := range operands {
		found := []string{operand}
		p := place.Of(operand)
		_, err := os.Lstat(p.Name)
		here := !p.Far() && err == nil

		var bad error
		several := strings.Contains(p.Key, ",") // which are opened together
		switch {
		case several && (here || p.Far()):
		case p.Keyed && (here || p.Far()) && isPattern(p.Key):
			found, bad = f.expandKeys(ctx, p)
		case p.Keyed && !here && !p.Far() && isPattern(p.Name):
			found, bad = f.expandFiles(ctx, p)
		case !here && !p.Far() && isPattern(operand):
			found, bad = filepath.Glob(operand)
		}

		switch {
		case errors.Is(bad, filepath.ErrBadPattern):
			return nil, errkind.Mark(fmt.Errorf("%s: a pattern with an open bracket", operand), path.ErrBadPattern)
		case bad != nil:
			return nil, bad
		case len(found) == 0:
			return nil, fmt.Errorf("%s stands for no file or array: %w", operand, fs.ErrNotExist)
		}

		if all = append(all, found...); len(all) > MostFiles {
			return nil, fmt.Errorf("%s stands for more than %d files: %w", operand, MostFiles, cairn.ErrLimit)
		}
	}
	return all, nil
}

func isPattern(text string) bool { return strings.ContainsAny(text, "*?[") }

// expandFiles returns the arrays of the files that a pattern stands for: 'day*.nc::t'.
func (f *Finder) expandFiles(ctx context.Context, p place.Place) (found []string, err error) {
	names, err := filepath.Glob(p.Name)
	if err != nil {
		return nil, err
	}

	for _, p.Name = range names {
		if !isPattern(p.Key) || strings.Contains(p.Key, ",") {
			found = append(found, p.String())
			continue
		}
		keys, err := f.expandKeys(ctx, p)
		if err != nil {
			return nil, err
		}
		found = append(found, keys...)
	}
	return found, nil
}

// expandKeys returns the arrays of a tree whose keys match a pattern.
func (f *Finder) expandKeys(ctx context.Context, p place.Place) (found []string, err error) {
	pattern := path.Join("/", p.Key)
	keys, err := f.Keys(ctx, p)
	if err != nil {
		return nil, err
	}

	for _, key := range keys {
		p.Key = key
		if key == pattern {
			return []string{p.String()}, nil
		}

		ok, err := path.Match(pattern, key)
		if err != nil {
			return nil, err
		}
		if ok {
			found = append(found, p.String())
		}
	}
	return found, nil
}

// Keys returns the keys of all arrays of the file that a place is in, in order; none if that is a
// single array, or nothing that can be read.
func (f *Finder) Keys(ctx context.Context, p place.Place) ([]string, error) {
	o, err := f.Open(ctx, p.Whole(), How{AnyOrder: true, Workers: 1})
	if err != nil {
		if errors.As(err, new(*ForeignError)) {
			return nil, err
		}
		return nil, nil // whoever opens it as an array says what is wrong
	}
	defer o.Close()
	t, err := o.Several(ctx)
	if err != nil || t == nil {
		return nil, err
	}
	return t.Arrays(), nil
}
