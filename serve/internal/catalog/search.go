package catalog

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/formats"
)

// limits of a search
const (
	mostVisited = 50_000 // entries
	mostOpened  = 100    // trees
)

// A search looks for entries.
type search struct {
	c       *Catalog
	text    string
	limit   int
	visited int
	opened  int
	found   []described.Entry
}

// Search returns up to limit entries below a path whose paths below that contain a text, in any
// case. It looks at a bounded number of entries, those of folders near the path first.
func (c *Catalog) Search(ctx context.Context, path, text string, limit int) ([]described.Entry, error) {
	s := &search{c: c, text: strings.ToLower(text), limit: limit}
	level := []string{path}
	for len(level) > 0 && len(s.found) < limit && s.visited < mostVisited {
		var next []string
		for _, folder := range level {
			below, err := s.folder(ctx, path, folder)
			if err != nil && (folder == path || ctx.Err() != nil) {
				return nil, err
			}
			next = append(next, below...)
		}
		level = next
	}
	return s.found, nil
}

// folder looks at the entries of a folder or group. It returns those to look into.
func (s *search) folder(ctx context.Context, top, folder string) (below []string, err error) {
	names, stat, done, err := s.c.names(ctx, folder, "", mostVisited-s.visited+1)
	if err != nil {
		return nil, err
	}
	defer done()

	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s.visited++; len(s.found) >= s.limit || s.visited > mostVisited {
			break
		}

		path := strings.TrimPrefix(folder+"/"+name, "/")
		fits := strings.Contains(strings.ToLower(strings.TrimPrefix(path, top)), s.text)
		if !fits && !s.c.mayContain(path) {
			continue
		}

		e, err := stat(name)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if fits {
			s.found = append(s.found, e)
		}

		switch e.Kind {
		case described.TreeKind:
			if s.opened++; s.opened <= mostOpened {
				below = append(below, path)
			}
		case described.FolderKind, described.GroupKind, described.TableKind:
			below = append(below, path)
		}
	}
	return below, nil
}

// mayContain reports whether something may have entries, without opening it.
func (c *Catalog) mayContain(path string) bool {
	p, err := c.find(path)
	row, _ := formats.Of(formats.Extension(path))
	return err == nil && p.root.source == nil && (p.isDir || p.key != "" || row.Trees)
}
