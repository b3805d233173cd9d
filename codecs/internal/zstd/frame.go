package zstd

import "encoding/binary"

const (
	errMagic      reason = "not a Zstandard frame"
	errOld        reason = "a frame of Zstandard before 0.8"
	errWindow     reason = "window is too large"
	errReserved   reason = "reserved bit is set"
	errDictionary reason = "needs another dictionary"
	errChecksum   reason = "content does not match its checksum"
	errSize       reason = "content is shorter or longer than the frame says"
)

const (
	magic = 0xfd2fb528
	// Zstandard 0.2; each version up to 0.7 adds one (format: codecs, Zstd)
	oldestMagic  = 0xfd2fb522
	minWindow    = 1 << 10 // smallest window in a header; smaller contents count as this
	maxBlock     = 128 << 10
	maxWindowLog = 31 // larger windows are valid but no library decodes them
)

// A frameHeader is what precedes the blocks (RFC 8878 §3.1.1.1).
type frameHeader struct {
	size       int // of the header
	window     uint64
	content    uint64
	hasContent bool // the content size is known
	checksum   bool
	dictionary uint32 // 0 if not stated
}

// Bits of the frame header descriptor.
const (
	descContentSize = 6 // shift
	descSingle      = 1 << 5
	descReserved    = 1 << 3
	descChecksum    = 1 << 2
	descDictionary  = 3 // mask
)

func parseFrameHeader(src []byte) (h frameHeader, err error) {
	if len(src) < 5 {
		return h, errTruncated
	}
	switch n := binary.LittleEndian.Uint32(src); {
	case n >= oldestMagic && n < magic:
		return h, errOld
	case n != magic:
		return h, errMagic
	}

	desc := src[4]
	if desc&descReserved != 0 {
		return h, errReserved
	}
	// The sizes of the optional fields follow from the descriptor.
	single := desc&descSingle != 0
	dictSize := [4]int{0, 1, 2, 4}[desc&descDictionary]
	contentSize := [4]int{0, 2, 4, 8}[desc>>descContentSize]
	if single && contentSize == 0 {
		contentSize = 1
	}

	at := 5
	h.size = at + dictSize + contentSize
	if !single {
		h.size++
	}
	if len(src) < h.size {
		return h, errTruncated
	}

	if !single {
		if src[at]>>3 > maxWindowLog-10 {
			return h, errWindow
		}
		base := uint64(1) << (10 + src[at]>>3)
		h.window = base + base/8*uint64(src[at]&7)
		at++
	}

	h.dictionary = uint32(littleEndian(src[at : at+dictSize]))
	at += dictSize
	h.content = littleEndian(src[at : at+contentSize])
	if contentSize == 2 {
		h.content += 256
	}

	h.hasContent = contentSize > 0
	if single {
		h.window = max(h.content, minWindow)
	}
	h.checksum = desc&descChecksum != 0
	return h, nil
}

// ContentSize returns what the first frame in src says of its content's size, if it does.
func ContentSize(src []byte) (n uint64, ok bool) {
	h, err := parseFrameHeader(src)
	return h.content, err == nil && h.hasContent
}

func littleEndian(b []byte) (v uint64) {
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	return v
}

// frame decodes one frame from the start of src to the start of dst. After an error, read is the
// offset of the invalid part.
func (d *Decoder) frame(dst, src []byte) (written, read int, err error) {
	h, err := parseFrameHeader(src)
	if err != nil {
		return 0, 0, err
	}

	if h.hasContent && h.content <= uint64(len(dst)) {
		dst = dst[:h.content]
	} else if h.hasContent && !d.partly {
		return 0, 0, errRoom
	}

	if err := d.begin(h); err != nil {
		return 0, 0, err
	}

	at := h.size
	for last := false; !last; {
		b, err := parseBlockHeader(src[at:], h.window)
		if err != nil {
			return 0, at, err
		}
		// The decoded size of a block is limited, and its output begins at dst, so that matches can
		// refer to earlier blocks.
		room := min(len(dst)-written, int(min(h.window, maxBlock)))
		d.cut = d.partly && written+room == len(dst)
		n, err := d.block(dst[:written+room], written, src[:at+blockHeaderSize+b.stored], at+blockHeaderSize, b)
		if err != nil {
			return 0, at, err
		}
		written += n
		at += blockHeaderSize + b.stored
		last = b.last
		if d.partly && written >= d.hi {
			return written, at, nil
		}
	}

	if h.hasContent && h.content != uint64(written) {
		return 0, 0, errSize
	}

	if h.checksum {
		if len(src)-at < 4 {
			return 0, at, errTruncated
		}
		if binary.LittleEndian.Uint32(src[at:]) != uint32(xxh64(dst[:written])) {
			return 0, at, errChecksum
		}
		at += 4
	}
	return written, at, nil
}

// begin sets the initial state of a frame: no tables to repeat, or those of the dictionary.
func (d *Decoder) begin(h frameHeader) error {
	d.have = [3]tableSource{}
	d.haveHuff = sourceNone
	d.huffPairs = false
	d.seq.Repeat = [3]int64{1, 4, 8}
	d.seq.Window = int64(min(h.window, 1<<62))

	if d.dict == nil {
		if h.dictionary != 0 {
			return errDictionary
		}
		return nil
	}

	if h.dictionary != 0 && h.dictionary != d.dict.id {
		return errDictionary
	}
	d.useDictionary()
	return nil
}
