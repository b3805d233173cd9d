package command

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/foreign"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// maxSpooled bounds the temporary file that a frame from a pipe goes into.
const maxSpooled = 64 << 30

// openInput opens standard input as an array or frame: a regular file directly, anything else
// through a temporary file.
func (std *streams) openInput(ctx context.Context, workers int) (*container, error) {
	var c container
	r, err := c.readInput(ctx, std.in)
	if err == nil {
		c.array, err = ndarray.OpenReader(r, c.bytes, &ndarray.OpenOptions{Workers: workers})
	}
	switch {
	case err == nil:
		c.frame = c.array.Frame()
	case errors.Is(err, cairn.ErrNotFound):
		c.frame, err = frame.OpenReader(r, c.bytes, &frame.OpenOptions{Workers: workers})
	}
	if err != nil {
		c.close()
		return nil, fmt.Errorf("standard input: %w", err)
	}
	return &c, nil
}

// readInput makes a stream readable in any order, and sets its size.
func (c *container) readInput(ctx context.Context, stream io.Reader) (io.ReaderAt, error) {
	if at, size, ok := extent(stream); ok {
		c.bytes = size - at
		return io.NewSectionReader(stream.(*os.File), at, c.bytes), nil
	}
	f, err := os.CreateTemp("", "cairn-*.tmp")
	if err != nil {
		return nil, err
	}
	c.closer = removeFile{f}
	c.bytes, err = spoolFrame(f, &contextReader{ctx: ctx, r: stream})
	return f, err
}

// spoolFrame writes the frame at the beginning of a stream to a file, and returns its length.
func spoolFrame(f io.Writer, r io.Reader) (int64, error) {
	head := make([]byte, foreign.Enough)
	n, err := io.ReadFull(r, head)
	head = head[:n]
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return 0, err
	}
	more := int64(0)
	if formats.HasFrameMagic(head) && n >= 24 {
		length := int64(binary.BigEndian.Uint64(head[16:])) // format: frame header, frame length
		if length > maxSpooled {
			return 0, fmt.Errorf("a frame of %d bytes, more than the %d allowed from a pipe; save it to a file: %w",
				length, int64(maxSpooled), cairn.ErrLimit)
		}
		more = max(0, length-int64(n))
	}
	if _, err := f.Write(head); err != nil {
		return 0, err
	}
	copied, err := io.Copy(f, io.LimitReader(r, more))
	return int64(n) + copied, err
}

// inputFS is a file system with one file, standardIO.
type inputFS struct {
	storage.FS
	r    io.ReaderAt
	size int64
}

// Open opens them, whatever the name.
func (f inputFS) Open(string) (storage.File, error) { return storage.ReaderFile(f.r, f.size), nil }

// Stat describes them.
func (f inputFS) Stat(name string) (storage.Info, error) {
	return storage.Info{Name: name, Size: f.size}, nil
}

// writeStream runs write with the path of a temporary frame, and copies the frame to standard
// output.
func (std *streams) writeStream(ctx context.Context, write func(path string) error) error {
	if f, ok := std.out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return usagef("OUT is -, but standard output is a terminal and a frame is binary")
	}
	dir, err := os.MkdirTemp("", "cairn-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "out.b2nd")
	if err := write(path); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	// Not with the fast paths of *os.File, which ignore the context.
	_, err = io.Copy(std.output(ctx), struct{ io.Reader }{f})
	return err
}
