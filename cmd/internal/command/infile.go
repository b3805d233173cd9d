package command

import (
	"context"
	"errors"
	"io"
	"os"
)

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
