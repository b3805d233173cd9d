package operand

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/bucketurl"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/waiting"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/foreign"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/storage"
)

// standardInput is what standard input is called.
const standardInput = "standard input"

// Look finds what a place names, and opens it unless it is a directory. Close the Closer of the
// input, if it has one, unless [formats.Hold] does.
func (f *Finder) Look(ctx context.Context, p place.Place, how How) (*formats.Input, *formats.Probe, error) {
	in := &formats.Input{Name: p.Name, Path: p.Name, Key: p.Key, Raw: how.Raw, Verify: how.All, Workers: how.Workers,
		Table: f.Table}
	look := f.lookHere
	switch p.Kind {
	case place.Web:
		look = f.lookOnWeb
	case place.Bucket:
		look = f.lookInBucket
	case place.Standard:
		in.Name = standardInput
		in.Path = ""
		look = f.lookAtInput
	}

	probe, err := look(ctx, in, p, how)
	if err != nil && in.Closer != nil {
		err = errors.Join(err, in.Closer.Close())
	}
	return in, probe, err
}

// lookAtInput looks at standard input.
func (f *Finder) lookAtInput(ctx context.Context, in *formats.Input, _ place.Place, how How) (*formats.Probe, error) {
	if file, ok := f.In.(*os.File); ok && takeFile(in, file) {
		return formats.ProbeFile(in.Name, in.File, in.Size)
	}
	buffered, ok := f.In.(*bufio.Reader)
	if !ok {
		buffered = bufio.NewReaderSize(waiting.Reader(ctx, f.In), foreign.Enough)
		f.In = buffered // for whoever reads what follows
	}
	return lookAtStream(in, buffered, how)
}

// lookHere looks at a file, a pipe or a directory of this machine.
func (f *Finder) lookHere(ctx context.Context, in *formats.Input, _ place.Place, how How) (*formats.Probe, error) {
	in.Links = f.Links
	in.Compare = frame.VerifyOnFirstTouch
	info, err := os.Stat(in.Path)
	if err == nil && info.IsDir() {
		return probeFolder(in.Path)
	}
	if err == nil && how.AnyOrder && !info.Mode().IsRegular() {
		return &formats.Probe{Name: in.Path}, nil
	}

	file, err := waiting.Open(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	in.Closer = file
	if takeFile(in, file) {
		return formats.ProbeFile(in.Name, in.File, in.Size)
	}
	return lookAtStream(in, bufio.NewReaderSize(waiting.Reader(ctx, file), foreign.Enough), how)
}

// takeFile has what follows in a regular file be read in any order. It reports false for others.
func takeFile(in *formats.Input, file *os.File) bool {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	at, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return false
	}
	in.Size = info.Size() - at
	in.File = io.NewSectionReader(file, at, in.Size)
	return true
}

// mostEntries is how many names of a folder are looked at: it may have millions of chunks.
const mostEntries = 1000

// probeFolder looks at a directory of this machine. Without marks, its names tell what it is.
func probeFolder(name string) (*formats.Probe, error) {
	p, err := formats.ProbeDir(storage.OS(), name)
	if err != nil || len(p.Entries) > 0 {
		return p, err
	}

	d, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer d.Close()

	p.Entries, err = d.Readdirnames(mostEntries)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return p, err
}

// lookInBucket looks at an object, or at a folder by its mark.
func (f *Finder) lookInBucket(_ context.Context, in *formats.Input, p place.Place, _ How) (*formats.Probe, error) {
	mark, err := f.Mark(p)
	if err != nil {
		return nil, err
	}

	in.Path, in.Version = f.Version(p)
	in.Files = f.FS(p)
	in.Compare = frame.VerifyWhole

	if mark == bucketurl.AnObject {
		return lookAtFile(in)
	}
	if in.Path = strings.TrimRight(in.Path, "/"); mark != bucketurl.AFrame && mark != bucketurl.AStore {
		in.Path += "/"
	}
	return &formats.Probe{Name: in.Path, Entries: []string{mark}}, nil
}

// lookOnWeb looks at a file of a web server. What ends with a slash, or with .zarr, is a directory,
// and something below such a name may be one.
func (f *Finder) lookOnWeb(_ context.Context, in *formats.Input, _ place.Place, _ How) (*formats.Probe, error) {
	in.Files = f.Web
	in.Compare = frame.VerifyWhole
	dir := strings.TrimSuffix(in.Path, "/") + "/"
	if !strings.Contains(dir, ".zarr/") && in.Path != dir {
		return lookAtFile(in)
	}

	p, err := formats.ProbeDir(f.Web, dir)
	named := in.Path == dir || strings.HasSuffix(in.Path, ".zarr")
	switch {
	case err != nil:
		return nil, err
	case len(p.Entries) > 0:
		in.Path = dir
		return p, nil
	case named:
		return nil, &ForeignError{in.Name, errNoMarks}
	}
	return lookAtFile(in)
}

// errNoMarks is the error for a URL of a directory.
var errNoMarks = fmt.Errorf("no array found: none of the files %s exists there, and web servers do not list others; "+
	"give the URL of a file: %w", strings.Join(formats.Marks, ", "), fs.ErrNotExist)

// lookAtFile looks at a file that is somewhere else. It stays open until the end.
func lookAtFile(in *formats.Input) (*formats.Probe, error) {
	file, err := in.Files.Open(in.Path)
	if err != nil {
		return nil, err
	}
	if in.Size, err = file.Size(); err != nil {
		return nil, err
	}
	in.File = file
	return formats.ProbeFile(in.Name, file, in.Size)
}

// lookAtStream looks at what begins a stream. If that will not be read from front to back, it goes
// into a temporary file; of what has no format, only the beginning is taken.
func lookAtStream(in *formats.Input, stream *bufio.Reader, how How) (*formats.Probe, error) {
	head, err := stream.Peek(foreign.Enough)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}

	p := &formats.Probe{Name: in.Name, Head: bytes.Clone(head)}
	row, known := p.Format()
	zipped := bytes.HasPrefix(head, []byte("PK"))
	switch {
	case in.Table != nil: // which is read twice
	case how.Raw == nil && !known && !zipped && !p.IsFrame() && !how.tooShort(p):
		in.File = bytes.NewReader(p.Head)
		in.Size = int64(len(p.Head))
		return p, nil
	case !how.AnyOrder && (how.Raw != nil || !known && !zipped && !p.IsFrame() || known && !row.AnyOrder):
		in.Stream = stream
		return p, nil
	}

	if err := spool(in, stream, head); err != nil {
		return nil, err
	}
	return formats.ProbeFile(in.Name, in.File, in.Size)
}

// tooShort reports whether something that is read from front to back is too short to be recognised.
func (how How) tooShort(p *formats.Probe) bool {
	return !how.AnyOrder && len(p.Head) < 8 && p.Entries == nil
}

// maxSpooled bounds the temporary file that a stream goes into.
const maxSpooled = 64 << 30

// spool copies a stream to a temporary file: of a frame no more than that.
func spool(in *formats.Input, stream io.Reader, head []byte) error {
	most := int64(maxSpooled)
	if formats.HasFrameMagic(head) {
		most = int64(len(head))
		if most >= 24 {
			// format: frame header, frame length
			most = max(0, int64(binary.BigEndian.Uint64(head[16:])))
		}
		if most > maxSpooled {
			return fmt.Errorf("%s: a frame of %d bytes, more than the %d allowed from a pipe; save it to a file: %w",
				in.Name, most, int64(maxSpooled), cairn.ErrLimit)
		}
	}

	f, err := os.CreateTemp("", "cairn-*.tmp")
	if err != nil {
		return err
	}
	in.Closer = closers{in.Closer, waiting.TempFile{File: f}}

	in.Size, err = io.Copy(f, io.LimitReader(stream, most))
	if err == nil && in.Size == maxSpooled {
		err = &ForeignError{in.Name, fmt.Errorf("more than the %s allowed from a pipe; save it to a file: %w",
			progress.Size(maxSpooled), cairn.ErrLimit)}
	}
	in.File = f
	return err
}
