// Package catalog is what a server serves: folders, trees of arrays, arrays of any format, and
// files, under paths with slashes. It keeps arrays open between requests, notices when they change,
// and lets no path lead out of what is served.
package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/memo"
	"github.com/cairn-go/cairn/ndarray"
)

// A Root is a file or folder that is served under a name, or an array of the program.
type Root struct {
	Name   string         // the first element of paths; "" means the last element of Path
	Path   string         // of the operating system
	Source ndarray.Source // or nil
}

// Options are the options of a catalog. Zero fields have their defaults.
type Options struct {
	Open    int // arrays and trees that are kept open; 64 by default
	Workers int // goroutines of one read; one per CPU, at most 4, by default
	// Links are folders of roots, or below them, of files that other files may lead to.
	Links []string
}

// A Catalog is safe for use by several goroutines.
type Catalog struct {
	roots   []*root
	workers int
	links   []string // without links of the file system
	handles *memo.Cache[*opened]
	entries entryCache
	growth  growth
}

type root struct {
	name   string
	dir    string // that is served, or that has the file
	file   string // its name in dir, or "" for a folder
	source ndarray.Source
	added  int64 // when the source was given
}

// New returns a catalog of roots. Close it when all requests have ended.
func New(roots []Root, o Options) (*Catalog, error) {
	if o.Open <= 0 {
		o.Open = 64
	}
	if o.Workers <= 0 {
		o.Workers = min(4, runtime.GOMAXPROCS(0))
	}

	c := &Catalog{workers: o.Workers, handles: newHandles(o.Open)}
	for _, r := range roots {
		made, err := c.root(r)
		if err != nil {
			return nil, err
		}
		c.roots = append(c.roots, made)
	}

	if len(c.roots) == 0 {
		return nil, errors.New("nothing to serve: name a file or folder")
	}

	for _, folder := range o.Links {
		at, err := c.allowed(folder)
		if err != nil {
			return nil, err
		}
		c.links = append(c.links, at)
	}
	return c, nil
}

// allowed resolves a folder of files that others may lead to, which must be served.
func (c *Catalog) allowed(folder string) (string, error) {
	at, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}

	at, err = filepath.EvalSymlinks(at)
	if err != nil {
		return "", err
	}

	for _, r := range c.roots {
		below, err := filepath.Rel(r.dir, at)
		if r.source == nil && r.file == "" && err == nil && filepath.IsLocal(below) {
			return at, nil
		}
	}
	return "", fmt.Errorf("links may not lead to %s, which is not in a folder that is served; serve it too", folder)
}

// root resolves the path of a root: links in it are followed, those below are not.
func (c *Catalog) root(r Root) (*root, error) {
	made := &root{name: r.Name, source: r.Source, added: time.Now().UnixNano()}
	if r.Source == nil {
		at, err := filepath.Abs(r.Path)
		if err != nil {
			return nil, err
		}

		at, err = filepath.EvalSymlinks(at)
		if err != nil {
			return nil, err
		}

		info, err := os.Stat(at)
		switch {
		case err != nil:
			return nil, err
		case info.IsDir():
			made.dir = at
		case info.Mode().IsRegular():
			made.dir, made.file = filepath.Split(at)
			made.dir = filepath.Clean(made.dir)
		default:
			return nil, fmt.Errorf("%s is neither a file nor a folder: %w", r.Path, cairn.ErrUnsupported)
		}

		if made.name == "" {
			made.name = filepath.Base(at)
		}
	}

	made.name = c.freeName(strings.TrimLeft(made.name, "."))
	if !validName(made.name) {
		return nil, fmt.Errorf("%q cannot be the name of something served: %w", made.name, cairn.ErrUnsupported)
	}
	return made, nil
}

// freeName returns a name that no root has yet.
func (c *Catalog) freeName(name string) string {
	if name == "" || strings.Trim(name, `/\`) == "" {
		name = "root"
	}
	for free, n := name, 2; ; n++ {
		if c.rootNamed(free) == nil {
			return free
		}
		free = name + "-" + strconv.Itoa(n)
	}
}

func (c *Catalog) rootNamed(name string) *root {
	for _, r := range c.roots {
		if r.name == name {
			return r
		}
	}
	return nil
}

// Hide returns a text, such as that of an error, without places of the operating system: paths
// below what is served begin with its name.
func (c *Catalog) Hide(text string) string {
	for _, r := range c.roots {
		if r.source != nil {
			continue
		}

		dir := strings.TrimSuffix(r.dir, string(filepath.Separator))
		if dir == "" {
			continue // all of the file system is served
		}

		inside := dir + string(filepath.Separator)
		if r.file != "" {
			text = strings.ReplaceAll(text, inside+r.file, r.name)
			text = strings.ReplaceAll(text, inside, "")
			continue
		}

		text = strings.ReplaceAll(text, inside, r.name+"/")
		for _, end := range []string{":", " ", "\x00"} {
			text = strings.ReplaceAll(text+"\x00", dir+end, r.name+end)
			text = strings.TrimRight(text, "\x00")
		}
	}
	return text
}

// Close closes what is open. Arrays must be released first.
func (c *Catalog) Close() error { return c.handles.Close() }

// OpenCount returns how many arrays and trees are open.
func (c *Catalog) OpenCount() int { return int(c.handles.Size()) }

// notFound is the error for a path that leads nowhere.
func notFound(path string) error {
	return &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
}
