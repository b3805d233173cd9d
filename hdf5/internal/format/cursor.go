package format

import (
	"encoding/binary"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/wire"
)

// A cursor reads the fields of a structure front to back. Like [wire.Reader] it remembers the first
// error. Numbers of HDF5 are little-endian.
type cursor struct {
	wire.Reader
	f  *File
	at int64 // offset in the file of the structure, or -1

	other error // the first error, if it is no damage
}

// cursor returns a cursor over the bytes at an address.
func (f *File) cursor(layer string, b []byte, at int64) cursor {
	return cursor{Reader: wire.NewReader(layer, b, 0), f: f, at: f.offset(at)}
}

// done returns the first error, with its offset in the file.
func (c *cursor) done() error {
	err := c.Err()
	if c.other != nil {
		return c.other
	}
	if err == nil || c.at < 0 {
		return err
	}
	return wire.Moved(err, c.at)
}

func (c *cursor) u16() uint16 {
	if b := c.Bytes(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if b := c.Bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// uint reads a number of n bytes, at most 8.
func (c *cursor) uint(n int) uint64 {
	var v uint64
	for i, b := range c.Bytes(int64(n)) {
		v |= uint64(b) << (8 * i)
	}
	return v
}

// length reads a number of as many bytes as lengths have in the file. It must fit 63 bits.
func (c *cursor) length() int64 { return c.positive(c.f.LengthSize, "length") }

// positive reads a number of n bytes that must fit 63 bits.
func (c *cursor) positive(n int, what string) int64 {
	at := c.Pos()
	v := c.uint(n)
	if int64(v) < 0 {
		c.Failf(at, "%s %d exceeds 63 bits", what, v)
		return 0
	}
	return int64(v)
}

// address reads an address; all ones are None.
func (c *cursor) address() int64 { return c.orNone(c.f.OffsetSize, "address") }

// orNone reads a number of n bytes that must fit 63 bits, or None, which is all ones.
func (c *cursor) orNone(n int, what string) int64 {
	at := c.Pos()
	v := c.uint(n)

	switch {
	case v == ones(n):
		return None
	case int64(v) < 0:
		c.Failf(at, "%s %d exceeds 63 bits", what, v)
		return None
	}
	return int64(v)
}

// ones is the number of n bytes whose bits are all set.
func ones(n int) uint64 { return ^uint64(0) >> (64 - 8*n) }

// signature reads the four bytes that a structure begins with.
func (c *cursor) signature(want string) {
	at := c.Pos()
	if got := c.Bytes(int64(len(want))); got != nil && string(got) != want {
		c.Failf(at, "signature %q, want %q", got, want)
	}
}

// version reads the version of a structure, which must be within the given ones.
func (c *cursor) version(what string, least, most uint8) uint8 {
	v := c.Uint8()
	if v < least || v > most {
		c.fail(unsupported("%s of version %d", what, v))
	}
	return v
}

// fail remembers an error of another kind than damage.
func (c *cursor) fail(err error) {
	if c.Err() == nil {
		c.other = err
		c.Failf(c.Pos(), "cannot be read")
	}
}

// unsupported returns an error that matches [cairn.ErrUnsupported].
func unsupported(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, cairn.ErrUnsupported)...)
}
