// Package msgpack reads MessagePack token by token, without memory of its own.
package msgpack

import (
	"math"
	"unicode/utf8"

	"github.com/cairn-go/cairn/internal/wire"
)

// A Kind is what kind of value a [Token] is, or begins.
type Kind uint8

// The kinds of values.
const (
	Nil Kind = iota
	Bool
	Int  // Int has it
	Uint // a number above the largest int64; Uint has it
	Float32
	Float64
	String
	Bytes
	Ext
	Array // of Len values, which follow
	Map   // of Len pairs, which follow
)

// MaxDepth bounds the nesting of values.
const MaxDepth = 128

// A Token is a value, or the beginning of one.
type Token struct {
	Kind  Kind
	Small bool // it is a number or nothing, in the byte of the marker
	Bool  bool
	Type  int8 // of an extension
	Int   int64
	Uint  uint64 // for Float32 its bits
	Float float64
	Data  []byte // of texts, bytes and extensions: a part of the input
	Len   int64
}

// A Reader reads tokens. Its errors are those of the reader within.
type Reader struct {
	wire.Reader
	// elements bounds the number of elements still to come: each takes at least one byte, so all
	// arrays and maps together cannot have more elements than the value has bytes.
	elements int64
}

// NewReader returns a reader of b.
func NewReader(b []byte) Reader {
	return Reader{Reader: wire.NewReader("msgpack", b, 0), elements: int64(len(b))}
}

// Next reads a token. After an error it returns tokens without meaning.
func (r *Reader) Next() (t Token) {
	at := r.Pos()
	marker := r.Uint8()
	switch {
	case r.Err() != nil:
		return t
	case marker < 0x80:
		return Token{Kind: Int, Int: int64(marker), Small: true}
	case marker < 0x90:
		return r.list(at, Map, int64(marker&0x0f))
	case marker < 0xa0:
		return r.list(at, Array, int64(marker&0x0f))
	case marker < 0xc0:
		return r.text(at, int64(marker&0x1f))
	case marker >= 0xe0:
		return Token{Kind: Int, Int: int64(int8(marker)), Small: true}
	}

	switch marker {
	case 0xc0:
		return t
	case 0xc2, 0xc3:
		return Token{Kind: Bool, Bool: marker == 0xc3}
	case 0xc4, 0xc5, 0xc6:
		return Token{Kind: Bytes, Data: r.Bytes(r.size(marker - 0xc4))}
	case 0xc7, 0xc8, 0xc9:
		return r.ext(r.size(marker - 0xc7))
	case 0xd4, 0xd5, 0xd6, 0xd7, 0xd8:
		return r.ext(1 << (marker - 0xd4))
	case 0xd9, 0xda, 0xdb:
		return r.text(at, r.size(marker-0xd9))
	case 0xdc, 0xdd:
		return r.list(at, Array, r.size(marker-0xdc+1))
	case 0xde, 0xdf:
		return r.list(at, Map, r.size(marker-0xde+1))
	}

	return r.number(at, marker)
}

// Skip passes over a value.
func (r *Reader) Skip(depth int) {
	if !r.Shallow(depth) {
		return
	}

	t := r.Next()
	n := t.Len
	if t.Kind == Map {
		n *= 2
	}

	for i := int64(0); i < n && r.Err() == nil; i++ {
		r.Skip(depth + 1)
	}
}

// Shallow reports whether a value may be as deep in others, and notes an error if not.
func (r *Reader) Shallow(depth int) bool {
	if depth > MaxDepth {
		r.Failf(r.Pos(), "nested more than %d deep", MaxDepth)
	}
	return r.Err() == nil
}

// number reads a number.
func (r *Reader) number(at int, marker uint8) Token {
	switch marker {
	case 0xca:
		bits := r.Uint32BE()
		return Token{Kind: Float32, Float: float64(math.Float32frombits(bits)), Uint: uint64(bits)}
	case 0xcb:
		return Token{Kind: Float64, Float: math.Float64frombits(r.Uint64BE())}
	case 0xcc, 0xcd, 0xce:
		return Token{Kind: Int, Int: r.size(marker - 0xcc)}
	case 0xcf:
		v := r.Uint64BE()
		if v > math.MaxInt64 {
			return Token{Kind: Uint, Uint: v}
		}
		return Token{Kind: Int, Int: int64(v)}
	case 0xd0:
		return Token{Kind: Int, Int: int64(int8(r.Uint8()))}
	case 0xd1:
		return Token{Kind: Int, Int: int64(r.Int16BE())}
	case 0xd2:
		return Token{Kind: Int, Int: int64(r.Int32BE())}
	case 0xd3:
		return Token{Kind: Int, Int: r.Int64BE()}
	}

	r.Failf(at, "0x%02x is not a marker", marker)
	return Token{}
}

// size reads an unsigned integer of 1, 2 or 4 bytes, for width 0, 1 or 2.
func (r *Reader) size(width uint8) int64 {
	switch width {
	case 0:
		return int64(r.Uint8())
	case 1:
		return int64(r.Uint16BE())
	}
	return int64(r.Uint32BE())
}

func (r *Reader) text(at int, n int64) Token {
	b := r.Bytes(n)
	if r.Err() == nil && !utf8.Valid(b) {
		r.Failf(at, "string is not valid UTF-8")
	}
	return Token{Kind: String, Data: b}
}

func (r *Reader) ext(n int64) Token {
	kind := int8(r.Uint8())
	return Token{Kind: Ext, Type: kind, Data: r.Bytes(n)}
}

// list begins an array or a map of n elements.
func (r *Reader) list(at int, kind Kind, n int64) Token {
	elements := n
	if kind == Map {
		elements *= 2
	}

	if r.Err() == nil && elements > r.elements {
		r.Failf(at, "%d elements in %d bytes", elements, r.Len())
	}
	if r.Err() != nil {
		return Token{}
	}

	r.elements -= elements
	return Token{Kind: kind, Len: n}
}
