package command

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/internal/foreign"
	"github.com/cairn-go/cairn/ndarray"
)

// A fileFormat is a format of arrays other than that of frames and stores. Its row in the table is
// all that verbs need to read and to write it.
type fileFormat struct {
	name       string   // in JSON
	is         string   // "a NumPy .npy file"
	plural     string   // "NumPy .npy files"
	extensions []string // in lower case; the usual one is first
	trees      bool     // a file may hold several arrays, with keys

	// detect reports whether something has this format; nil if its bytes do not say so.
	detect func(p *probe) bool
	// open opens an input of this format, which stays open until the holding is closed.
	open func(ctx context.Context, in *input) (holding, error)
	// save writes arrays; nil if the format is only read.
	save func(ctx context.Context, s *saving) error
}

// formats is the table of formats.
func formats() []fileFormat {
	return []fileFormat{
		{name: "npy", is: "a NumPy .npy file", plural: "NumPy .npy files", extensions: []string{".npy"},
			detect: isNPY, open: openNPY, save: saveNPY},
		{name: "npz", is: "a NumPy .npz archive", plural: "NumPy .npz archives",
			extensions: []string{".npz"}, trees: true,
			detect: isNPZ, open: openNPZ, save: saveNPZ},
		{name: "zarr", is: "a Zarr store", plural: "Zarr stores",
			extensions: []string{".zarr", ".zarr.zip"}, trees: true,
			detect: isZarr, open: openZarr, save: saveZarr},
		{name: "raw", is: string(rawFormat), plural: "raw items", extensions: []string{".raw", ".bin"},
			open: openRaw, save: saveRaw},
	}
}

// rawFormat is the format of items without a header.
const rawFormat format = "raw items"

// A holding is what an input holds: one array, or a tree of them. open may be called by several
// goroutines.
type holding interface {
	// keys returns the keys of the arrays, with slashes between groups; one empty key for a file
	// that is an array.
	keys() []string
	// open opens an array. The caller closes it if it is an io.Closer.
	open(ctx context.Context, key string) (ndarray.Source, error)
	io.Closer
}

// A saving is what a format is to write.
type saving struct {
	std     *streams
	path    string // or "-"
	force   bool
	tree    bool     // whether the output holds what a whole store did, even if that is one array
	keys    []string // one empty key for a single array
	source  func(key string) (src ndarray.Source, done func() error, err error)
	keep    []keptCoordinate // of a single array, for formats that hold several with labels
	omitted omission
	// workers is the number of goroutines that read an array; 0 means one per CPU.
	workers  int
	grouped  grouped // attributes of groups; nil if there are none
	zarr     int     // version of Zarr; 0 is the default
	fortran  bool
	deflate  bool
	progress func(done int64) // counts bytes of items
}

// A probe is something whose format is wanted.
type probe struct {
	name    string
	head    []byte   // of a file
	entries []string // names in a zip archive, or in a directory: the first ones, and all marks
}

// probeFile looks at a file of size bytes.
func probeFile(name string, r io.ReaderAt, size int64) (*probe, error) {
	head, err := readHead(r, 0)
	if err != nil {
		return nil, err
	}
	p := &probe{name: name, head: head[:min(int64(len(head)), max(0, size))]}
	if strings.HasPrefix(string(p.head), "PK") {
		if z, err := zip.NewReader(r, size); err == nil {
			for _, f := range z.File {
				p.entries = append(p.entries, f.Name)
			}
		}
	}
	return p, nil
}

// probePath looks at a file or directory.
func probePath(name string) (*probe, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return probeDir(name)
	}
	if !info.Mode().IsRegular() {
		return &probe{name: name}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return probeFile(name, f, info.Size())
}

// marks are files that tell the format of a directory.
var marks = []string{"chunks.b2frame", "zarr.json", ".zgroup", ".zarray", ".zmetadata"}

// mostEntries is how many names of a directory are looked at: it may have millions of chunks.
const mostEntries = 1000

func probeDir(name string) (*probe, error) {
	p := &probe{name: name}
	for _, mark := range marks {
		if _, err := os.Stat(filepath.Join(name, mark)); err == nil {
			p.entries = append(p.entries, mark)
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
	p.entries = append(p.entries, names...)
	return p, err
}

// format returns the row of the format, or nil.
func (p *probe) format() *fileFormat {
	if hasFrameMagic(p.head) || slices.Contains(p.entries, "chunks.b2frame") {
		return nil
	}
	for _, f := range formats() {
		if f.detect != nil && f.detect(p) {
			return &f
		}
	}
	return nil
}

// what describes something that has none of the formats, or returns "".
func (p *probe) what(size int64) string {
	switch {
	case hasFrameMagic(p.head):
		return "a Blosc2 frame"
	case p.head == nil:
		return foreign.DirectoryName(p.entries)
	}
	return foreign.Name(p.head, size)
}

// formatNamed returns the format that an extension stands for, or nil.
func formatNamed(ext string) *fileFormat {
	for _, f := range formats() {
		if slices.Contains(f.extensions, ext) {
			return &f
		}
	}
	return nil
}

// extensionOf returns the extension of a path in lower case.
func extensionOf(path string) string {
	path = strings.ToLower(filepath.Clean(path))
	if strings.HasSuffix(path, ".zarr.zip") {
		return ".zarr.zip"
	}
	return filepath.Ext(path)
}

// readable lists the formats that are recognised by their content.
func readable() string {
	var all []string
	for _, f := range formats() {
		if f.detect != nil {
			all = append(all, f.plural)
		}
	}
	return strings.Join(all, ", ")
}

// exportable lists the formats that export writes, with their extensions.
func exportable() string {
	var all []string
	for _, f := range formats() {
		if f.save != nil {
			all = append(all, fmt.Sprintf("%s (%s)", f.plural, strings.Join(f.extensions, ", ")))
		}
	}
	return strings.Join(all, ", ")
}
