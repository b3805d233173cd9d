package codecs

import (
	"fmt"

	cairn "github.com/cairn-go/cairn"
)

// Ids that are free for a caller's own codecs (format: codec ids).
const (
	MinUserID = 160
	MaxUserID = 255
)

// A Registry knows the built-in codecs and those that a caller added. A nil *Registry knows the built-in ones only.
// Fill it before use: Add must not run while other goroutines look codecs up.
type Registry struct {
	rows map[uint8]Row
}

// Add makes r known under r.ID, which must be from [MinUserID] to [MaxUserID] and not taken, and whose name no other codec
// has. The wire code of r is set to [WirePlugin].
func (g *Registry) Add(r Row) error {
	switch {
	case g == nil:
		return fmt.Errorf("codecs: cannot add codec %q to a nil Registry", r.Name)
	case r.ID < MinUserID:
		return fmt.Errorf("codecs: id %d of codec %q is not in %d–%d", r.ID, r.Name, MinUserID, MaxUserID)
	case r.Name == "":
		return fmt.Errorf("codecs: codec %d has no name", r.ID)
	case r.NewEncoder == nil || r.NewDecoder == nil:
		return fmt.Errorf("codecs: codec %q lacks a constructor", r.Name)
	}
	if old, ok := g.rows[r.ID]; ok {
		return fmt.Errorf("codecs: id %d of codec %q is taken by %q", r.ID, r.Name, old.Name)
	}
	if g.named(r.Name) {
		return fmt.Errorf("codecs: name %q is taken", r.Name)
	}
	r.WireCode = WirePlugin
	if g.rows == nil {
		g.rows = make(map[uint8]Row)
	}
	g.rows[r.ID] = r
	return nil
}

// named reports whether a codec of this name exists, built in or added.
func (g *Registry) named(name string) bool {
	for i := range table {
		if table[i].Name == name {
			return true
		}
	}
	for _, r := range g.rows {
		if r.Name == name {
			return true
		}
	}
	return false
}

// Lookup returns the codec with the given id, or an error matching cairn.ErrUnsupported that names it as well as possible.
func (g *Registry) Lookup(id uint8) (Row, error) {
	if row := builtIn(id); row != nil {
		return *row, nil
	}
	if g != nil {
		if r, ok := g.rows[id]; ok {
			return r, nil
		}
	}
	return Row{}, fmt.Errorf("%s: %w", describe(id), cairn.ErrUnsupported)
}

// LookupWire returns a codec that decodes streams with the given wire code, 0 to 4; lz4 and lz4hc share one. Wire code
// [WirePlugin] says nothing about the codec: look its id up instead.
func (g *Registry) LookupWire(wire uint8) (Row, error) {
	for i := range table {
		if table[i].WireCode == wire && wire != WirePlugin {
			return table[i], nil
		}
	}
	return Row{}, fmt.Errorf("codec with wire code %d: %w", wire, cairn.ErrUnsupported)
}
