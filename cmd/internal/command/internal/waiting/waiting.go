// Package waiting opens, reads and writes files that may have others wait, such as pipes, until a
// context ends.
package waiting

import (
	"context"
	"errors"
	"io"
	"os"
)

// Open opens a file as os.Open does, until the context ends: opening a named pipe waits for a
// writer.
func Open(ctx context.Context, name string) (*os.File, error) {
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

// A TempFile is a file that is removed when it is closed.
type TempFile struct{ *os.File }

// Close closes and removes the file.
func (f TempFile) Close() error { return errors.Join(f.File.Close(), os.Remove(f.Name())) }

// Reader returns a reader whose calls return when the context ends, even while r waits for input.
func Reader(ctx context.Context, r io.Reader) io.Reader { return &contextReader{ctx: ctx, r: r} }

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

// Writer returns a writer whose calls return when the context ends, even while w waits for a
// reader.
func Writer(ctx context.Context, w io.Writer) io.Writer { return &contextWriter{ctx, w} }

// contextWriter is a writer whose calls return when the context ends, even while a pipe without a
// reader blocks. That write then continues in the background.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (c *contextWriter) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}

	done := make(chan ioResult, 1)
	go func() {
		n, err := c.w.Write(p)
		done <- ioResult{n, err}
	}()

	select {
	case <-c.ctx.Done():
		return 0, c.ctx.Err()
	case result := <-done:
		return result.n, result.err
	}
}
