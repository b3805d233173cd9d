package codecs

import (
	"fmt"
	"strings"

	cairn "github.com/cairn-go/cairn"
)

// minUserID is the first id that is free for additional codecs (format: codec ids).
const minUserID = 160

// A Registry contains the built-in codecs and additional ones. A nil *Registry contains only the
// built-in ones. Add must not be called concurrently with other methods.
type Registry struct {
	rows map[uint8]Row
}

// Add registers r under r.ID, which must be from 160 to 255. Neither the id nor the name may be in
// use.
func (g *Registry) Add(r Row) error {
	switch {
	case g == nil:
		return fmt.Errorf("codecs: cannot add codec %q to a nil Registry", r.Name)
	case r.ID < minUserID:
		return fmt.Errorf("codecs: id %d of codec %q is not in %d–255", r.ID, r.Name, minUserID)
	case r.Name == "":
		return fmt.Errorf("codecs: codec %d has no name", r.ID)
	case r.NewEncoder == nil || r.NewDecoder == nil:
		return fmt.Errorf("codecs: codec %q lacks a constructor", r.Name)
	}

	if old, ok := g.rows[r.ID]; ok {
		return fmt.Errorf("codecs: id %d of codec %q is taken by %q", r.ID, r.Name, old.Name)
	}
	if _, taken := g.named(r.Name); taken {
		return fmt.Errorf("codecs: name %q is taken", r.Name)
	}

	r.WireCode = wirePlugin
	r.Numbers = r.Numbers || r.Lossy
	if r.Splits == nil {
		r.Splits = never
	}
	if r.Memory == nil {
		r.Memory = oneMiB
	}
	if g.rows == nil {
		g.rows = make(map[uint8]Row)
	}

	g.rows[r.ID] = r
	return nil
}

// named returns the built-in or additional codec of a name, ignoring case.
func (g *Registry) named(name string) (Row, bool) {
	for i := range table {
		if strings.EqualFold(table[i].Name, name) {
			return table[i], true
		}
	}

	if g != nil {
		for _, r := range g.rows {
			if strings.EqualFold(r.Name, name) {
				return r, true
			}
		}
	}
	return Row{}, false
}

// Lookup returns the codec of an id, or an error matching cairn.ErrUnsupported that names the codec
// if possible.
func (g *Registry) Lookup(id uint8) (Row, error) {
	// A caller's codec takes the place of a built-in one with a user's id.
	if g != nil {
		if r, ok := g.rows[id]; ok {
			return r, nil
		}
	}
	if row := builtIn(id); row != nil {
		return *row, nil
	}

	if id >= minUserID {
		return Row{}, fmt.Errorf("%w codec %d: a user's codec that is not in the codecs.Registry of the options",
			cairn.ErrUnsupported, id)
	}
	return Row{}, fmt.Errorf("%s: %w", describe(id), cairn.ErrUnsupported)
}
