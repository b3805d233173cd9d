package format

import (
	"bytes"
	"fmt"

	"github.com/cairn-go/cairn"
)

// A link message is
//
//	u8 version, u8 flags, perhaps u8 kind, u64 order, u8 character set, then the size of the name,
//	the name, and
//	hard: address of an object header; soft: u16 size, path; others: u16 size, data

// A LinkKind is a kind of link.
type LinkKind uint8

// The kinds of links.
const (
	Hard LinkKind = iota
	Soft
	External
	Foreign // of a kind that an application has defined
)

// A Link is the entry of a group.
type Link struct {
	Name    string
	Kind    LinkKind
	Address int64  // of the object header, if hard
	Target  string // a path, if soft or external
	File    string // of an external link
	order   int64
}

const layerLink = "link message"

// Flags of link messages.
const (
	linkNameSize = 3
	linkOrdered  = 1 << 2
	linkKind     = 1 << 3
	linkCharset  = 1 << 4
)

// Numbers of kinds of links.
const (
	linkSoft     = 1
	linkExternal = 64
)

func (r *Reader) link(b []byte, at int64) (Link, error) {
	c := r.cursor(layerLink, b, at)
	c.version(layerLink, 1, 1)
	flags := c.Uint8()

	l := Link{Address: None}
	kind := uint8(0)
	if flags&linkKind != 0 {
		kind = c.Uint8()
	}
	if flags&linkOrdered != 0 {
		l.order = int64(c.uint(8))
	}
	if flags&linkCharset != 0 {
		c.Skip(1)
	}

	l.Name = string(c.Bytes(c.positive(1<<(flags&linkNameSize), "size of a name")))

	switch kind {
	case 0:
		l.Address = c.address()
	case linkSoft:
		l.Kind = Soft
		l.Target = string(c.Bytes(int64(c.u16())))
	case linkExternal:
		l.Kind = External
		data := c.Bytes(int64(c.u16()))
		if len(data) > 0 {
			file, rest, _ := bytes.Cut(data[1:], []byte{0})
			target, _, _ := bytes.Cut(rest, []byte{0})
			l.File = string(file)
			l.Target = string(target)
		}
	default:
		l.Kind = Foreign
	}

	if c.Err() == nil && l.Name == "" {
		c.Failf(0, "link without a name")
	}
	return l, c.done()
}

// tooMany returns an error if a group has too many links.
func (r *Reader) tooMany(n int) error {
	if most := r.Limits.MaxNodes; int64(n) > most {
		return fmt.Errorf("more than %d links in a group (Limits.MaxNodes): %w", most, cairn.ErrLimit)
	}
	return nil
}
