package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/cairn/internal/npy"
	"github.com/cairn-go/cairn/internal/foreign"
)

// inFile is an .npy file that is open for reading.
type inFile struct {
	header npy.Header
	source npy.Source
	name   string
	closer io.Closer // nil for standard input
	stream io.Reader // what source reads if that is sequential
}

// openNPY opens an .npy file, or standard input for "-". A regular file is read in any order,
// everything else from front to back.
func openNPY(ctx context.Context, name string, stdin io.Reader) (*inFile, error) {
	in := &inFile{name: name}
	r := stdin
	if name != "-" {
		f, err := openWaiting(ctx, name)
		if err != nil {
			return nil, err
		}
		in.closer, r = f, f
	} else {
		in.name = "standard input"
	}
	err := in.open(ctx, r)
	if err != nil {
		in.close()
		return nil, fmt.Errorf("%s: %w", in.name, err)
	}
	return in, nil
}

// openWaiting opens a file as os.Open does, until the context ends: opening a named pipe waits for
// a writer.
func openWaiting(ctx context.Context, name string) (*os.File, error) {
	if info, err := os.Stat(name); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return os.Open(name)
	}
	type result struct {
		f   *os.File
		err error
	}
	opened := make(chan result, 1)
	go func() {
		f, err := os.Open(name)
		opened <- result{f, err}
	}()
	select {
	case r := <-opened:
		return r.f, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (in *inFile) open(ctx context.Context, r io.Reader) error {
	base, end, seekable := extent(r)
	if !seekable {
		buffered := bufio.NewReaderSize(&contextReader{ctx: ctx, r: r}, foreign.Enough)
		in.stream = buffered
		r = buffered
		if head, err := buffered.Peek(6); err == nil && string(head) != npyMagic {
			head, _ = buffered.Peek(foreign.Enough)
			return notNPY(head, int64(len(head)))
		}
	} else if head, err := readHead(r.(io.ReaderAt), base); err == nil && len(head) >= 6 && string(head[:6]) != npyMagic {
		return notNPY(head, end-base)
	}
	var length int64
	var err error
	if in.header, length, err = npy.ReadHeader(r); err != nil {
		return err
	}
	if in.header.DType.Size() == 0 {
		return fmt.Errorf("items of 0 bytes (dtype %s) cannot be stored", in.header.DType)
	}
	if !seekable {
		in.source = npy.NewStream(r, &in.header)
		return nil
	}
	base += length
	if have := end - base; have < in.header.DataSize() {
		return fmt.Errorf("the file is truncated: %d bytes of items, want %d: %w", max(0, have), in.header.DataSize(), io.ErrUnexpectedEOF)
	}
	in.source = npy.NewFile(r.(io.ReaderAt), base, &in.header)
	return nil
}

// npyMagic is the beginning of .npy files.
const npyMagic = "\x93NUMPY"

// readHead returns the first bytes at an offset of a file, enough to recognise its format.
func readHead(r io.ReaderAt, at int64) ([]byte, error) {
	head := make([]byte, foreign.Enough)
	n, err := r.ReadAt(head, at)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return head[:n], err
}

// notNPY returns an error that names the format of a file of size bytes that is no .npy file.
func notNPY(head []byte, size int64) error {
	if hasFrameMagic(head) {
		return fmt.Errorf("this is a Blosc2 frame, not a NumPy .npy file; use cairn copy: %w", cairn.ErrUnsupported)
	}
	name := foreign.Name(head, size)
	if name == "" {
		name = fmt.Sprintf("a file that begins with %x", head[:6])
	}
	return fmt.Errorf("this is %s, not a NumPy .npy file: %w", name, cairn.ErrUnsupported)
}

// extent returns the position and the size of a regular file.
func extent(r io.Reader) (at, size int64, ok bool) {
	f, isFile := r.(*os.File)
	if !isFile {
		return 0, 0, false
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0, 0, false
	}
	at, err = f.Seek(0, io.SeekCurrent)
	return at, info.Size(), err == nil
}

// spool copies the rest of a stream into a temporary file in dir, from where it can be read in any
// order.
func (in *inFile) spool(dir string) error {
	f, err := os.CreateTemp(dir, ".cairn-*.tmp")
	if err != nil {
		return err
	}
	in.closer = closers{in.closer, removeFile{f}}
	want := in.header.DataSize()
	n, err := io.Copy(f, io.LimitReader(in.stream, want))
	if err == nil && n < want {
		err = fmt.Errorf("%s is truncated: %d bytes of items, want %d: %w", in.name, n, want, io.ErrUnexpectedEOF)
	}
	if err == nil {
		in.source = npy.NewFile(f, 0, &in.header)
	}
	return err
}

func (in *inFile) close() {
	if in.closer != nil {
		in.closer.Close()
	}
}

// closers closes several things, some of which may be nil.
type closers []io.Closer

func (c closers) Close() error {
	var errs []error
	for _, closer := range c {
		if closer != nil {
			errs = append(errs, closer.Close())
		}
	}
	return errors.Join(errs...)
}

// removeFile closes and removes a file.
type removeFile struct{ *os.File }

func (f removeFile) Close() error { return errors.Join(f.File.Close(), os.Remove(f.Name())) }

// contextReader is a reader whose calls return when the context ends, even while the underlying
// reader waits for input. That read then continues in the background, with a buffer of its own.
type contextReader struct {
	ctx    context.Context
	r      io.Reader
	buf    []byte
	unread []byte
}

type ioResult struct {
	n   int
	err error
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	if len(c.unread) == 0 {
		if c.buf == nil {
			c.buf = make([]byte, 1<<20)
		}
		done := make(chan ioResult, 1)
		go func(buf []byte) {
			n, err := c.r.Read(buf)
			done <- ioResult{n, err}
		}(c.buf)
		select {
		case <-c.ctx.Done():
			return 0, c.ctx.Err()
		case result := <-done:
			c.unread = c.buf[:result.n]
			if result.n == 0 {
				return 0, result.err
			}
			// An error that came with bytes comes again with the next call.
		}
	}
	n := copy(p, c.unread)
	c.unread = c.unread[n:]
	return n, nil
}
