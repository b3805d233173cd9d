package format

import (
	"fmt"
	"slices"
	"sort"

	"github.com/cairn-go/cairn"
)

// changingLinks are the links of a group that changes.
type changingLinks struct {
	list    []namedMessage // in link messages; those that are not changed keep their bytes
	symbols []Link         // in a symbol table, sorted by name
	old     bool           // the links are symbols
	info    message        // the link info message
	ordered bool           // the order of creation is recorded
	next    int64          // number in it of the next link
	where   message        // the symbol table message
}

// readLinks reads the links when they are first needed.
func (h *ChangingHeader) readLinks() error {
	if h.links != nil {
		return nil
	}
	l := &changingLinks{}
	var err error
	if m := h.find(msgSymbolTable); m != nil {
		l.old = true
		l.where = *m
		l.symbols, err = h.r.symbolTable(m)
		h.take(msgSymbolTable)
	} else {
		err = l.readMessages(h)
	}
	h.links = l
	return err
}

// readMessages reads the links of a group that are in messages or in a heap.
func (l *changingLinks) readMessages(h *ChangingHeader) error {
	r := h.r
	m := h.find(msgLinkInfo)
	if m == nil {
		return unsupported("the object header at address %d has no %s", h.address, layerLinkInfo)
	}
	c := r.cursor(layerLinkInfo, m.data, m.at)
	c.version(layerLinkInfo, 0, 0)
	if l.ordered = c.Uint8()&infoOrdered != 0; l.ordered {
		l.next = c.positive(8, "number of a link")
	}
	heap := c.address()
	names := c.address()
	if err := c.done(); err != nil {
		return err
	}
	l.info = *m
	taken := h.take(msgLink)
	h.take(msgLinkInfo)

	for _, m := range taken {
		if m.flags&msgShared != 0 {
			return unsupported("links that objects share")
		}
		if err := l.add(r, m); err != nil {
			return err
		}
	}
	if heap == None {
		return nil
	}
	return r.heapLinks(heap, names, func(b []byte) error {
		return l.add(r, message{kind: msgLink, at: None, data: slices.Clone(b)})
	})
}

func (l *changingLinks) add(r *Reader, m message) error {
	link, err := r.link(m.data, m.at)
	if err == nil {
		err = r.tooMany(len(l.list) + 1)
	}
	l.list = append(l.list, namedMessage{name: link.Name, message: m, number: link.order})
	l.next = max(l.next, link.order+1)
	return err
}

// AddLink adds a hard or a soft link, whose name no other one has.
func (h *ChangingHeader) AddLink(link *Link) error {
	if err := h.readLinks(); err != nil {
		return err
	}
	l := h.links
	byName := func(o Link) bool { return o.Name == link.Name }
	if slices.ContainsFunc(l.symbols, byName) || place(l.list, link.Name) >= 0 {
		return fmt.Errorf("%q exists already: %w", link.Name, cairn.ErrBounds)
	}
	if l.old {
		if link.Kind == External || link.Kind == Foreign {
			return unsupported("a link into another file in a group with a symbol table")
		}
		l.symbols = append(l.symbols, *link)
		return nil
	}

	number := int64(-1)
	if l.ordered {
		number = l.next
		l.next++
	}
	m := message{kind: msgLink, at: None, data: link.append(nil, number)}
	l.list = append(l.list, namedMessage{name: link.Name, message: m, number: number})
	return nil
}

// RemoveLink removes a link, and reports whether there was one.
func (h *ChangingHeader) RemoveLink(name string) (bool, error) {
	if err := h.readLinks(); err != nil {
		return false, err
	}
	l := h.links
	n := len(l.list) + len(l.symbols)
	l.list = slices.DeleteFunc(l.list, func(m namedMessage) bool { return m.name == name })
	l.symbols = slices.DeleteFunc(l.symbols, func(s Link) bool { return s.Name == name })
	return len(l.list)+len(l.symbols) < n, nil
}

// assemble returns the messages of the links, and what says where they are.
func (l *changingLinks) assemble(h *ChangingHeader, c *HeaderChange, allocate func(n int64) int64) ([]message, error) {
	if l.old {
		table := newSymbolTable(h.r, l.symbols)
		at := allocate(table.size())
		data, b := table.append(nil, at)
		c.Fresh = append(c.Fresh, Patch{at, b})
		m := l.where
		m.edit(data)
		c.Cached = data
		return []message{m}, nil
	}

	list := make([]message, len(l.list))
	if l.ordered {
		sort.SliceStable(l.list, func(i, j int) bool { return l.list[i].number < l.list[j].number })
	}
	for i, m := range l.list {
		list[i] = m.message
	}
	b := slices.Clone(l.info.data[:2])
	if l.ordered {
		b = le.AppendUint64(b, uint64(l.next))
	}
	for len(b) < len(l.info.data) { // addresses of a heap and of trees
		b = append(b, 0xff)
	}
	m := l.info
	if string(m.data) != string(b) {
		m.edit(b)
	}
	return append(list, m), nil
}
