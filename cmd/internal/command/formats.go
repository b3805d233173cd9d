package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/names"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/zarr"
)

// A fileFormat is a format of arrays other than that of frames and stores, with what writes it.
type fileFormat struct {
	formats.Format
	// save writes arrays; nil if the format is only read.
	save func(ctx context.Context, s *saving) error
	// names returns an error for a key that an output cannot hold; nil if it holds one array.
	names  func(key string) error
	nested bool // an array has no others below it
}

// allFormats is the table of formats.
func allFormats() []fileFormat {
	savers := map[string]func(context.Context, *saving) error{"npy": saveNPY, "npz": saveNPZ, "zarr": saveZarr,
		"raw": saveRaw}
	var rows []fileFormat
	for _, f := range formats.Foreign() {
		row := fileFormat{Format: f, save: savers[f.Name]}
		switch f.Name {
		case "npz":
			row.names = names.NPZ
		case "zarr":
			row.names, row.nested = names.Zarr, true
		}
		rows = append(rows, row)
	}
	return rows
}

// rawFormat is the format of items without a header.
const rawFormat format = "raw items"

// A saving is what a format is to write.
type saving struct {
	std     *streams
	path    string // or "-"
	force   bool
	raw     bool     // whether items are written as they are stored
	tree    bool     // whether the output holds what a whole store did, even if that is one array
	keys    []string // one empty key for a single array
	source  opening
	named   string           // what holds them, for messages
	keep    []keptCoordinate // of the arrays, for formats that hold several with labels
	omitted omission
	// workers is the number of goroutines that read an array; 0 means one per CPU.
	workers  int
	from     *formats.Holding // what has the groups of keys, or nil
	zarr     zarr.SaveOptions // version, codec and filter of Zarr; zero fields are the defaults
	fortran  bool
	deflate  bool
	progress func(done int64) // counts bytes of items
	moved    int64            // bytes that have been counted
}

// deliver writes the output in a format, on this machine or to a bucket.
func (s *saving) deliver(ctx context.Context, row *fileFormat) error {
	if !row.Attributes && !s.raw {
		s.source = s.std.valuesOf(s.source)
	}

	// An array that turns out to be damaged is left out, and the others are written once more.
	for out := s.path; ; {
		err := s.std.onDisk(ctx, out, s.force, func(path string) error {
			s.path = path
			return row.save(ctx, s)
		})
		if err == nil {
			return nil
		}
		if err = s.withoutDamaged(ctx, err); err != nil {
			return err
		}
	}
}

// valuesOf returns a function that opens arrays as the values of those that another one opens. It
// notes for which they differ from the items.
func (std *streams) valuesOf(open opening) opening {
	noted := map[string]bool{}
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
		if !noted[key] {
			noted[key] = true
			std.tellValues(o.meaning, key)
		}
		return o.src, done, nil
	}
}

// An opening opens one of several arrays, and returns how to close it.
type opening = func(key string) (src ndarray.Source, done func() error, err error)

// probePath looks at a file or directory.
func probePath(name string) (*formats.Probe, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return probeDir(name)
	}
	if !info.Mode().IsRegular() {
		return &formats.Probe{Name: name}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return formats.ProbeFile(name, f, info.Size())
}

// mostEntries is how many names of a directory are looked at: it may have millions of chunks.
const mostEntries = 1000

func probeDir(name string) (*formats.Probe, error) {
	p := &formats.Probe{Name: name}
	for _, mark := range formats.Marks {
		if _, err := os.Stat(filepath.Join(name, mark)); err == nil {
			p.Entries = append(p.Entries, mark)
		}
	}
	d, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(mostEntries)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	p.Entries = append(p.Entries, names...)
	return p, err
}

// formatNamed returns the format that an extension stands for, or nil.
func formatNamed(ext string) *fileFormat {
	for _, f := range allFormats() {
		if slices.Contains(f.Extensions, ext) {
			return &f
		}
	}
	return nil
}

// otherFormat returns the format that the name of an output stands for, or nil for Blosc2.
func otherFormat(out string) *fileFormat {
	row := formatNamed(extensionOf(out))
	if isLeaf(out) || out == standardIO || row == nil || row.save == nil {
		return nil
	}
	return row
}

// extensionOf returns the extension of a path in lower case.
func extensionOf(path string) string { return formats.Extension(filepath.ToSlash(path)) }

// readable lists the formats that are recognised by their content.
func readable() string {
	var all []string
	for _, f := range allFormats() {
		if f.Detect != nil {
			all = append(all, f.Plural)
		}
	}
	return strings.Join(all, ", ")
}

// exportable lists the formats other than Blosc2 that verbs write, with their extensions.
func exportable() string {
	var all []string
	for _, f := range allFormats() {
		if f.save != nil {
			all = append(all, fmt.Sprintf("%s (%s)", f.Plural, strings.Join(f.Extensions, ", ")))
		}
	}
	return strings.Join(all, ", ")
}
