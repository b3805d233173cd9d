package chunk

import "fmt"

// Flags is byte 0x02 of a chunk header.
//
//	bit 0    byte shuffle (16-byte header); with bit 2: the header is extended
//	bit 1    memcpyed
//	bit 2    bitshuffle (16-byte header)
//	bit 3    delta
//	bit 4    blocks are not split
//	bits 5-7 wire code of the codec; 6 means the codec byte of the extended header
type Flags uint8

const (
	flagShuffle    Flags = 0x01
	flagMemcpyed   Flags = 0x02
	flagBitshuffle Flags = 0x04
	flagDelta      Flags = 0x08
	flagNotSplit   Flags = 0x10

	flagsExtended = flagShuffle | flagBitshuffle

	wireShift       = 5
	wireInCodecByte = 6
)

// Extended reports whether the header is 32 bytes long. A Blosc1 header never has both shuffle bits set.
func (f Flags) Extended() bool { return f&flagsExtended == flagsExtended }

// Memcpyed reports whether the payload is stored as it is.
func (f Flags) Memcpyed() bool { return f&flagMemcpyed != 0 }

// Split reports whether full blocks are stored as one stream per byte of an item.
func (f Flags) Split() bool { return f&flagNotSplit == 0 }

// WireCode returns the 3-bit codec code.
func (f Flags) WireCode() uint8 { return uint8(f) >> wireShift }

// Flags2 is byte 0x1e of an extended header.
type Flags2 uint8

const flag2VLBlocks Flags2 = 0x01

// VLBlocks reports whether blocks have individual lengths.
func (f Flags2) VLBlocks() bool { return f&flag2VLBlocks != 0 }

// BloscFlags is byte 0x1f of an extended header.
//
//	bit 0    a dictionary follows the block offsets
//	bit 1    the writer was big endian (informative)
//	bit 3    lazy: never valid in a stored chunk
//	bits 4-6 special value
//	bit 7    instrumented: the payload is measurements of the codec
type BloscFlags uint8

const (
	bloscFlagDict         BloscFlags = 0x01
	bloscFlagLazy         BloscFlags = 0x08
	bloscFlagInstrumented BloscFlags = 0x80

	specialShift = 4
	specialMask  = 0x07
)

// Dict reports whether the chunk brings a dictionary.
func (f BloscFlags) Dict() bool { return f&bloscFlagDict != 0 }

// Instrumented reports whether the payload is measurements instead of data.
func (f BloscFlags) Instrumented() bool { return f&bloscFlagInstrumented != 0 }

// Special returns the special value of the chunk.
func (f BloscFlags) Special() Special { return Special(f>>specialShift) & specialMask }

// Special is the kind of a chunk whose items are all the same.
type Special uint8

// The special values of the format.
const (
	SpecialNone   Special = 0 // a chunk with data
	SpecialZeros  Special = 1 // all bytes are zero
	SpecialNaN    Special = 2 // all items are the quiet NaN of their float type; typesize 4 or 8
	SpecialValue  Special = 3 // all items are the value that follows the header
	SpecialUninit Special = 4 // never written; reads as zeros here
)

// Valid reports whether s is a value the format defines.
func (s Special) Valid() bool { return s <= SpecialUninit }

// String returns "data", "zeros", "nan", "value" or "uninit".
func (s Special) String() string {
	names := [...]string{"data", "zeros", "nan", "value", "uninit"}
	if s.Valid() {
		return names[s]
	}
	return fmt.Sprintf("special %d", uint8(s))
}
