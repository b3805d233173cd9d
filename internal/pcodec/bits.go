package pcodec

import "encoding/binary"

// slack is how many bytes a batch may read behind its last bit, or more: those of a batch of
// interleaved states and offsets of 64 bits.
const slack = batch*(maxSizeLog+64)/8 + 32

// A bitReader reads bits, the lowest first. Reads behind the end return zeros, and overrun tells.
type bitReader struct {
	src  []byte
	at   int // bits that were read
	size int // bits of the stream; src has slack bytes more once it is near the end
	base int // bytes of the stream in front of src

	end []byte // memory for the end of a stream
}

func newBitReader(src []byte) bitReader { return bitReader{src: src, size: len(src) * 8} }

// reset makes it read another stream.
func (b *bitReader) reset(src []byte) {
	end := b.end
	*b = newBitReader(src)
	b.end = end
}

// prepare makes sure that a batch of latents can be read without a look at the end of src.
func (b *bitReader) prepare() {
	at := b.at / 8
	if len(b.src)-at >= slack {
		return
	}

	// The rest is copied with zeros behind it. It is short, unless this is the whole stream.
	rest := []byte{}
	if at < len(b.src) {
		rest = b.src[at:]
	}
	b.end = sized(b.end, len(rest)+2*slack)
	src := b.end
	clear(src[copy(src, rest):])

	b.src = src
	b.base += at
	b.size -= at * 8
	b.at -= at * 8
}

// overrun reports whether bits behind the end were read.
func (b *bitReader) overrun() bool { return b.at > b.size }

// left returns the bits that are left.
func (b *bitReader) left() int { return b.size - b.at }

// bytes returns how many bytes of the stream were read. The last one is whole.
func (b *bitReader) bytes() int { return b.base + b.at/8 }

// read returns the next n bits, at most 64.
func (b *bitReader) read(n int) uint64 {
	v := b.peek(b.at, n)
	b.at += n
	return v
}

// peek returns n bits that begin at a bit.
func (b *bitReader) peek(at, n int) uint64 {
	i := at / 8
	shift := uint(at % 8)

	var low, high uint64
	if i+9 <= len(b.src) {
		low = binary.LittleEndian.Uint64(b.src[i:])
		high = uint64(b.src[i+8])
	} else {
		for k := 0; k < 8 && i+k < len(b.src); k++ {
			low |= uint64(b.src[i+k]) << (8 * k)
		}
	}

	v := low>>shift | high<<(64-shift)
	return v & (1<<uint(n) - 1)
}

// align skips the rest of a byte, which must be zeros.
func (b *bitReader) align() error {
	rest := -b.at & 7
	if b.read(rest) != 0 {
		return corrupt("bits that fill a byte are not zero")
	}
	return nil
}
