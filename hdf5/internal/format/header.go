package format

import (
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
)

// An object header is a list of messages, in one block and perhaps continuations. Version 1 begins
//
//	u8 version, u8 reserved, u16 messages, u32 references, u32 size of the first block, 4 reserved
//	messages: u16 type, u16 size, u8 flags, 3 reserved, data
//
// and version 2, whose blocks have signatures and checksums,
//
//	"OHDR", u8 version, u8 flags, perhaps times and bounds of attributes, size of the first block
//	messages: u8 type, u16 size, u8 flags, perhaps u16 order, data

// Types of messages.
const (
	msgNil          = 0x00
	msgDataspace    = 0x01
	msgLinkInfo     = 0x02
	msgDatatype     = 0x03
	msgOldFill      = 0x04
	msgFill         = 0x05
	msgLink         = 0x06
	msgExternal     = 0x07
	msgLayout       = 0x08
	msgGroupInfo    = 0x0a
	msgPipeline     = 0x0b
	msgAttribute    = 0x0c
	msgSharedTable  = 0x0f
	msgContinuation = 0x10
	msgSymbolTable  = 0x11
	msgDriver       = 0x14
	msgAttrInfo     = 0x15
	msgReferences   = 0x16
	msgMost         = 0x18
)

// Flags of messages.
const (
	msgShared   = 1 << 1
	msgMustKnow = 1 << 7
)

// A message is one message of a header.
type message struct {
	kind  uint8
	flags uint8
	order uint16 // of creation, of attributes whose header records that
	at    int64  // address of data
	data  []byte
}

// A Header is an object header: all messages that are not about the header itself.
type Header struct {
	Address  int64
	messages []message
}

const layerHeader = "object header"

// Bounds of headers.
const (
	mostMessages      = 1 << 20 // messages of an object
	mostContinuations = 1 << 16 // blocks of the header of an object
)

// A block is the messages of a header that lie together.
type block struct{ at, size int64 }

// headerReading is a header that is being read.
type headerReading struct {
	*Reader
	*Header
	version int
	ordered bool    // messages have a number in the order of their creation
	blocks  []block // continuations
	bytes   int64   // of blocks so far
}

// Header reads the object header at an address.
func (r *Reader) Header(at int64) (*Header, error) {
	h, err := r.headerReading(at)
	if err != nil {
		return nil, err
	}
	return h.Header, nil
}

func (r *Reader) headerReading(at int64) (*headerReading, error) {
	h := &headerReading{Reader: r, Header: &Header{Address: at}}
	b, err := r.Some(layerHeader, at, 16)
	if err != nil {
		return nil, err
	}

	if len(b) > 4 && string(b[:4]) == "OHDR" {
		err = h.begin2()
	} else {
		err = h.begin1(b)
	}

	for i := 0; i < len(h.blocks) && err == nil; i++ {
		if i == mostContinuations {
			return nil, fmt.Errorf("%s at offset %d: more than %d continuations: %w", layerHeader, r.offset(at),
				mostContinuations, cairn.ErrLimit)
		}
		err = h.continued(h.blocks[i])
	}

	return h, err
}

func (h *headerReading) begin1(b []byte) error {
	c := h.cursor(layerHeader, b, h.Address)
	c.Expect(1, "version")
	c.Skip(1 + 2 + 4)
	size := int64(c.u32())
	c.Skip(4)
	if err := c.done(); err != nil {
		return err
	}

	h.version = 1
	return h.continued(block{h.Address + 16, size})
}

// Flags of headers of version 2.
const (
	headerSizeBits = 3
	headerOrdered  = 1 << 2
	headerBounds   = 1 << 4
	headerTimes    = 1 << 5
)

func (h *headerReading) begin2() error {
	const most = 4 + 2 + 16 + 4 + 8 // bytes before the messages
	b, err := h.Some(layerHeader, h.Address, most)
	if err != nil {
		return err
	}

	c := h.cursor(layerHeader, b, h.Address)
	c.signature("OHDR")
	c.version(layerHeader, 2, 2)
	flags := c.Uint8()
	if flags&headerTimes != 0 {
		c.Skip(16)
	}
	if flags&headerBounds != 0 {
		c.Skip(4)
	}

	size := c.positive(1<<(flags&headerSizeBits), "size")
	if err := c.done(); err != nil {
		return err
	}

	h.version = 2
	h.ordered = flags&headerOrdered != 0
	if size > h.Limits.MaxHeader {
		return h.tooLarge(size)
	}

	head := int64(c.Pos())
	all, err := h.block(block{h.Address, head + size + checksumSize})
	if err != nil {
		return err
	}
	return h.parse(all[head:], h.Address+head)
}

func (h *headerReading) tooLarge(size int64) error {
	return fmt.Errorf("%s at offset %d with %d bytes, the most is %d: %w", layerHeader, h.offset(h.Address), size,
		h.Limits.MaxHeader, cairn.ErrLimit)
}

// block reads the bytes of a block, without its checksum.
func (h *headerReading) block(b block) ([]byte, error) {
	h.bytes += b.size
	if h.bytes > h.Limits.MaxHeader {
		return nil, h.tooLarge(h.bytes)
	}
	all, err := h.Bytes(layerHeader, b.at, b.size, h.Limits.MaxHeader)
	if err == nil && h.version == 2 {
		all, err = h.checked(layerHeader, all, b.at)
	}
	return all, err
}

// continued reads a block that begins with no more than a signature.
func (h *headerReading) continued(b block) error {
	all, err := h.block(b)
	if err != nil {
		return err
	}

	if h.version == 1 {
		return h.parse(all, b.at)
	}
	if len(all) < 4 || string(all[:4]) != "OCHK" {
		return cairn.Corruptf(layerHeader, h.offset(b.at), "continuation without its signature")
	}
	return h.parse(all[4:], b.at+4)
}

// parse appends the messages of a block.
func (h *headerReading) parse(b []byte, at int64) error {
	c := h.cursor(layerHeader, b, at)
	least := 8
	if h.version == 2 {
		least = 4
		if h.ordered {
			least = 6
		}
	}

	for c.Len() >= least {
		var m message
		var size int64
		if h.version == 1 {
			kind := c.u16()
			size = int64(c.u16())
			m.flags = c.Uint8()
			c.Skip(3)
			m.kind = uint8(min(kind, 0xff))
		} else {
			m.kind = c.Uint8()
			size = int64(c.u16())
			m.flags = c.Uint8()
			if h.ordered {
				m.order = c.u16()
			}
		}

		m.at = at + int64(c.Pos())
		m.data = c.Bytes(size)
		if c.Err() != nil {
			break
		}
		h.take(&c, m)
	}
	return c.done()
}

// take keeps a message, or the block that it announces.
func (h *headerReading) take(c *cursor, m message) {
	switch {
	case m.kind == msgContinuation:
		in := h.cursor(layerHeader, m.data, m.at)
		b := block{at: in.address(), size: in.length()}
		if err := in.done(); err != nil {
			c.Failf(c.Pos(), "continuation message: %v", err)
			return
		}
		h.blocks = append(h.blocks, b)
	case m.kind == msgNil:
	case m.kind > msgMost && m.flags&msgMustKnow != 0:
		c.fail(unsupported("message of type %#x in the object header at offset %d", m.kind, h.offset(h.Address)))
	case len(h.messages) == mostMessages:
		c.fail(fmt.Errorf("more than %d messages in an object header: %w", mostMessages, cairn.ErrLimit))
	default:
		m.data = slices.Clone(m.data) // so that the page may go
		h.messages = append(h.messages, m)
	}
}

// find returns the first message of a type, or nil.
func (h *Header) find(kind uint8) *message {
	for i := range h.messages {
		if h.messages[i].kind == kind {
			return &h.messages[i]
		}
	}
	return nil
}

// IsGroup reports whether the object is a group.
func (h *Header) IsGroup() bool {
	return h.find(msgSymbolTable) != nil || h.find(msgLinkInfo) != nil || h.find(msgGroupInfo) != nil
}

// IsDataset reports whether the object is a dataset.
func (h *Header) IsDataset() bool { return h.find(msgLayout) != nil }
