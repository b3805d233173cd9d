package formats

import (
	"archive/zip"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/internal/foreign"
)

// A Probe is something whose format is wanted.
type Probe struct {
	Name    string
	Head    []byte   // of a file
	Entries []string // names in a zip archive, or in a directory: the first ones, and all marks
	HDF5    bool     // it is an HDF5 file, behind something else
}

// Marks are files that tell the format of a directory: the first that of a frame, others that of a
// Zarr store.
var Marks = []string{"chunks.b2frame", "zarr.json", ".zgroup", ".zarray", ".zmetadata"}

// ProbeFile looks at a file of size bytes.
func ProbeFile(name string, r io.ReaderAt, size int64) (*Probe, error) {
	head, err := ReadHead(r, 0)
	if err != nil {
		return nil, err
	}

	p := &Probe{Name: name, Head: head[:min(int64(len(head)), max(0, size))]}
	p.HDF5 = !isHDF5(p) && !isClassic(p.Head) && MayBeHDF5(name) && hdf5.Is(r, size)
	if !strings.HasPrefix(string(p.Head), "PK") {
		return p, nil
	}

	z, err := zip.NewReader(r, size)
	if err != nil {
		return p, nil // not an archive, or a damaged one
	}

	for _, f := range z.File {
		p.Entries = append(p.Entries, f.Name)
	}
	return p, nil
}

// ReadHead returns the first bytes at an offset of a file, enough to recognise its format.
func ReadHead(r io.ReaderAt, at int64) ([]byte, error) {
	head := make([]byte, foreign.Enough)
	n, err := r.ReadAt(head, at)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return head[:n], err
}

// IsFrame reports whether it is a frame: a file, or a directory with a file per chunk.
func (p *Probe) IsFrame() bool { return HasFrameMagic(p.Head) || slices.Contains(p.Entries, Marks[0]) }

// Format returns the format, or false for a frame and for what has none.
func (p *Probe) Format() (Format, bool) {
	if p.IsFrame() {
		return Format{}, false
	}
	for _, f := range Foreign() {
		if f.Detect != nil && f.Detect(p) {
			return f, true
		}
	}
	return Format{}, false
}

// What describes something that has none of the formats, or returns "".
func (p *Probe) What(size int64) string {
	switch {
	case HasFrameMagic(p.Head):
		return "a Blosc2 frame"
	case p.Head == nil:
		return foreign.DirectoryName(p.Entries)
	case len(p.Head) == 0 && size == 0:
		return "an empty file"
	}
	return foreign.Name(p.Head, size)
}

// HasFrameMagic reports whether bytes begin like a frame.
func HasFrameMagic(head []byte) bool {
	const magic = "b2frame\x00"
	return len(head) >= 2+len(magic) && string(head[2:2+len(magic)]) == magic
}
