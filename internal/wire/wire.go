// Package wire reads and writes the fixed-width integers of the format within checked bounds.
//
// The format mixes byte orders: chunks and the chunk index are little-endian, everything around
// them (frame header, trailer, metalayers) is msgpack and so big-endian. Methods and functions name
// the order in their last two letters; nothing here depends on the order of the machine.
package wire

import (
	"encoding/binary"

	"github.com/cairn-go/cairn"
)

// Reader reads bytes front to back and remembers the first thing that went wrong: after an error
// every read returns zero, so a caller may check [Reader.Err] once, at the end or before it trusts
// a value. It never copies and never allocates, except for the error. The zero value reads nothing.
// A Reader is used by one goroutine.
type Reader struct {
	layer string
	buf   []byte
	pos   int
	err   error
}

// NewReader returns a reader of b[at:] whose errors name layer and count offsets from the start of
// b. An at outside of b is remembered as an error.
func NewReader(layer string, b []byte, at int) Reader {
	r := Reader{layer: layer, buf: b}
	r.Seek(at)
	return r
}

// Err returns the first error, a [cairn.CorruptError], or nil.
func (r *Reader) Err() error { return r.err }

// Pos returns the offset of the next byte from the start of the buffer.
func (r *Reader) Pos() int { return r.pos }

// Len returns how many bytes are left; 0 after an error.
func (r *Reader) Len() int {
	if r.err != nil {
		return 0
	}
	return len(r.buf) - r.pos
}

// Failf remembers an error at offset at, unless there already is one.
func (r *Reader) Failf(at int, format string, args ...any) {
	if r.err == nil {
		r.err = cairn.Corruptf(r.layer, int64(at), format, args...)
	}
}

// Seek moves to an offset from the start of the buffer; the end of the buffer is a valid place.
func (r *Reader) Seek(at int) {
	if r.err != nil {
		return
	}
	if at < 0 || at > len(r.buf) {
		r.Failf(len(r.buf), "ends at %d bytes, but offset %d is needed", len(r.buf), at)
		return
	}
	r.pos = at
}

// Bytes returns the next n bytes, which alias the buffer, or nil after an error. A negative n is an
// error.
func (r *Reader) Bytes(n int64) []byte {
	if r.err != nil {
		return nil
	}

	left := len(r.buf) - r.pos
	if n < 0 || n > int64(left) {
		r.Failf(r.pos, "%d bytes needed, %d left", n, left)
		return nil
	}

	end := r.pos + int(n)
	b := r.buf[r.pos:end:end]
	r.pos = end
	return b
}

// Skip passes over n bytes.
func (r *Reader) Skip(n int64) { r.Bytes(n) }

// Expect reads one byte that must be want; what names it in the error.
func (r *Reader) Expect(want uint8, what string) {
	at := r.pos
	if got := r.Uint8(); r.err == nil && got != want {
		r.Failf(at, "%s is 0x%02x, want 0x%02x", what, got, want)
	}
}

// Uint8 reads one byte.
func (r *Reader) Uint8() uint8 {
	if b := r.Bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// Uint16BE reads a big-endian 16-bit integer.
func (r *Reader) Uint16BE() uint16 {
	if b := r.Bytes(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

// Uint32BE reads a big-endian 32-bit integer.
func (r *Reader) Uint32BE() uint32 {
	if b := r.Bytes(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

// Uint64BE reads a big-endian 64-bit integer.
func (r *Reader) Uint64BE() uint64 {
	if b := r.Bytes(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// Int16BE reads a big-endian signed 16-bit integer.
func (r *Reader) Int16BE() int16 { return int16(r.Uint16BE()) }

// Int32BE reads a big-endian signed 32-bit integer.
func (r *Reader) Int32BE() int32 { return int32(r.Uint32BE()) }

// Int64BE reads a big-endian signed 64-bit integer.
func (r *Reader) Int64BE() int64 { return int64(r.Uint64BE()) }
