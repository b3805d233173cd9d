package npy

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/zipped"
	"github.com/cairn-go/cairn/storage"
)

// extension is what the names of arrays end with in an archive.
const extension = ".npy"

// An Archive is an .npz file, for reading: a zip archive of .npy files, and an [ndarray.Tree]. Any
// number of goroutines may use it. Its members may be stored, as by numpy.savez, or compressed with
// deflate, as by numpy.savez_compressed; others are refused by name.
type Archive struct {
	file    storage.File
	size    int64
	o       *OpenOptions
	names   []string
	paths   []string // those of the names that are paths, sorted
	others  []string
	members map[string]*zip.File // nil for a name that two members have
	sound   sync.Map             // by *zip.File: stored members with the right checksum
	closer  io.Closer            // nil if there is nothing to close
}

// OpenArchive opens the archive at path. o may be nil. The caller closes it, after its arrays.
func OpenArchive(path string, o *OpenOptions) (*Archive, error) {
	o, err := o.forArchive()
	if err != nil {
		return nil, err
	}

	file, err := openFile(path, o)
	if err != nil {
		return nil, err
	}

	a, err := openArchive(file, o)
	if err != nil {
		return nil, errors.Join(naming.Call("open", path, err), file.Close())
	}
	a.closer = file
	return a, nil
}

// OpenArchiveReader opens an archive of size bytes that r reads. o may be nil. Closing the archive
// does not close r.
func OpenArchiveReader(r io.ReaderAt, size int64, o *OpenOptions) (*Archive, error) {
	o, err := o.forArchive()
	if err != nil {
		return nil, err
	}
	return openArchive(storage.ReaderFile(r, size), o)
}

func (o *OpenOptions) forArchive() (*OpenOptions, error) {
	o, err := o.orDefault()
	if err == nil && o.Raw != nil {
		err = fmt.Errorf("npy open options: Raw does not apply to archives: %w", cairn.ErrUnsupported)
	}
	return o, err
}

func openArchive(file storage.File, o *OpenOptions) (*Archive, error) {
	size, err := file.Size()
	if err != nil {
		return nil, err
	}
	z, err := zipped.Open(file, size, o.Limits)
	if err != nil {
		return nil, err
	}
	a := &Archive{file: file, size: size, o: o, members: map[string]*zip.File{}}

	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, extension)
		if !ok {
			continue
		}
		if _, twice := a.members[name]; twice {
			a.members[name] = nil
			continue
		}
		a.members[name] = f
		a.names = append(a.names, name)
	}
	a.index()

	return a, nil
}

// Close closes the file that [OpenArchive] opened.
func (a *Archive) Close() error {
	if a.closer == nil {
		return nil
	}
	return a.closer.Close()
}

// Names returns the names of the arrays in the order of the archive, without ".npy". Other members
// are left out. The caller may change the slice.
func (a *Archive) Names() []string { return slices.Clone(a.names) }

// Array opens an array by its name, with or without ".npy" and a slash before it. The array can be
// used until the archive is closed. A name that does not exist is an error that matches
// [cairn.ErrNotFound].
func (a *Archive) Array(ctx context.Context, name string) (*Array, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}

	f, ok := a.member(name)
	if !ok {
		return nil, fmt.Errorf("npz archive: no array %q: %w", name, cairn.ErrNotFound)
	}
	if f == nil {
		return nil, twice(name)
	}

	array, err := a.openMember(f)
	if err != nil {
		return nil, fmt.Errorf("member %q: %w", f.Name, err)
	}
	return array, nil
}

// methods names the methods of compression of zip archives (APPNOTE.TXT 4.4.5).
var methods = map[uint16]string{9: "deflate64", 12: "bzip2", 14: "LZMA", 93: "zstd", 95: "xz", 99: "AES encryption"}

const encrypted = 0x1 // a flag of members

func (a *Archive) openMember(f *zip.File) (*Array, error) {
	if f.Flags&encrypted != 0 {
		return nil, fmt.Errorf("encryption: %w", cairn.ErrUnsupported)
	}

	switch f.Method {
	case zip.Store:
		content, err := zipped.Content(a.file, a.size, f)
		if err != nil {
			return nil, err
		}

		if err = a.verify(f, content); err != nil {
			return nil, err
		}
		_, from, size := content.Outer()
		return openSection(a.file, from, size, a.o)
	case zip.Deflate:
		return a.openDeflated(f)
	}

	name := methods[f.Method]
	if name == "" {
		name = "unknown"
	}
	return nil, fmt.Errorf("compression method %d (%s): %w", f.Method, name, cairn.ErrUnsupported)
}

// verify compares the checksum of a stored member once, if that is wanted.
func (a *Archive) verify(f *zip.File, content *io.SectionReader) error {
	if _, done := a.sound.Load(f); done || !a.o.Verify {
		return nil
	}
	if err := zipped.Check(f, content); err != nil {
		return err
	}
	a.sound.Store(f, true)
	return nil
}

// openDeflated opens a compressed member.
func (a *Archive) openDeflated(f *zip.File) (*Array, error) {
	if f.UncompressedSize64 > 1<<62 {
		return nil, cairn.Corruptf("npz archive", -1, "a member of %d bytes", f.UncompressedSize64)
	}

	s := &sequence{end: int64(f.UncompressedSize64), open: func() (io.ReadCloser, error) {
		r, err := f.Open()
		if err != nil {
			return nil, zipped.Wrap(err)
		}
		return memberReader{r}, nil
	}}

	s.most = min(windowBytes, s.end, a.o.Limits.WithDefaults().MaxAlloc)
	if err := s.restart(); err != nil {
		return nil, err
	}

	h, n, err := a.o.header(s.r)
	if err != nil {
		return nil, err
	}
	if have, want := s.end-n, h.size(); have < want {
		return nil, cairn.Corruptf("npz archive", -1, "truncated: %d bytes of items, want %d", have, want)
	}

	s.base = n
	s.at = n
	s.end = n + h.size()
	return newArray(&h, s, true)
}

// memberReader reads a member and explains its errors.
type memberReader struct{ io.ReadCloser }

func (r memberReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = zipped.Wrap(err)
	}
	return n, err
}
