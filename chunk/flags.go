package chunk

import "fmt"

// headerFlags is byte 0x02 of a chunk header; the package comment lists the bits of all three flag
// bytes.
type headerFlags uint8

const (
	flagShuffle    = 0x01
	flagMemcpyed   = 0x02
	flagBitshuffle = 0x04
	flagDelta      = 0x08
	flagNotSplit   = 0x10

	flagsExtended = flagShuffle | flagBitshuffle

	wireShift       = 5
	wireInCodecByte = 6
)

// extended reports whether the header is 32 bytes long. A Blosc1 header never has both shuffle bits
// set.
func (f headerFlags) extended() bool { return f&flagsExtended == flagsExtended }

// memcpyed reports whether the payload is stored uncompressed.
func (f headerFlags) memcpyed() bool { return f&flagMemcpyed != 0 }

// split reports whether full blocks are stored as one stream per byte of an item.
func (f headerFlags) split() bool { return f&flagNotSplit == 0 }

// wireCode returns the 3-bit codec code.
func (f headerFlags) wireCode() uint8 { return uint8(f) >> wireShift }

// flags2 is byte 0x1e of an extended header.
type flags2 uint8

const flag2VLBlocks = 0x01

// vlBlocks reports whether blocks have variable length.
func (f flags2) vlBlocks() bool { return f&flag2VLBlocks != 0 }

// bloscFlags is byte 0x1f of an extended header.
type bloscFlags uint8

const (
	bloscFlagDict         = 0x01
	bloscFlagLazy         = 0x08
	bloscFlagInstrumented = 0x80

	specialShift = 4
	specialMask  = 0x07
)

// dict reports whether the chunk contains a dictionary.
func (f bloscFlags) dict() bool { return f&bloscFlagDict != 0 }

// instrumented reports whether the payload is measurements instead of data.
func (f bloscFlags) instrumented() bool { return f&bloscFlagInstrumented != 0 }

// special returns the special value of the chunk.
func (f bloscFlags) special() Special { return Special(f>>specialShift) & specialMask }

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

// valid reports whether the format defines s.
func (s Special) valid() bool { return s <= SpecialUninit }

// String returns "data", "zeros", "nan", "value" or "uninit".
func (s Special) String() string {
	names := [...]string{"data", "zeros", "nan", "value", "uninit"}
	if s.valid() {
		return names[s]
	}
	return fmt.Sprintf("special %d", uint8(s))
}
