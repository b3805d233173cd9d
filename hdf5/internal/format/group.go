package format

import (
	"cmp"
	"sort"
	"strings"
)

// A group has its links in one of three ways: in a B-tree of version 1 and a heap of names, to
// which a symbol table message points; in link messages; or in a fractal heap with B-trees of
// version 2, to which the link info message points.

// Links returns the links of a group: in the order of their creation if the file has recorded it,
// else sorted by name.
func (r *Reader) Links(h *Header) ([]Link, error) {
	var links []Link
	var err error
	if m := h.find(msgSymbolTable); m != nil {
		links, err = r.symbolTable(m)
	} else {
		links, err = r.newLinks(h)
	}
	if err != nil {
		return nil, err
	}

	sort.Slice(links, func(i, j int) bool {
		a := &links[i]
		b := &links[j]
		return cmp.Or(cmp.Compare(a.order, b.order), strings.Compare(a.Name, b.Name)) < 0
	})
	return links, nil
}

const layerLinkInfo = "link info message"

const infoOrdered, infoOrderIndexed = 1 << 0, 1 << 1

func (r *Reader) newLinks(h *Header) ([]Link, error) {
	var links []Link
	for i := range h.messages {
		m := &h.messages[i]
		if m.kind != msgLink {
			continue
		}

		l, err := r.link(m.data, m.at)
		if err != nil {
			return nil, err
		}

		if err = r.tooMany(len(links) + 1); err != nil {
			return nil, err
		}
		links = append(links, l)
	}

	m := h.find(msgLinkInfo)
	if m == nil {
		return links, nil
	}

	c := r.cursor(layerLinkInfo, m.data, m.at)
	c.version(layerLinkInfo, 0, 0)
	if c.Uint8()&infoOrdered != 0 {
		c.Skip(8)
	}

	heap := c.address()
	names := c.address()
	if err := c.done(); err != nil || heap == None {
		return links, err
	}

	err := r.heapLinks(heap, names, func(b []byte) error {
		l, err := r.link(b, None)
		if err == nil {
			err = r.tooMany(len(links) + 1)
		}
		links = append(links, l)
		return err
	})
	return links, err
}
