//go:build purego || !amd64

package zstdhuff

// order sorts symbols by weight, and reports whether no weight is above MaxBits.
func (b *Builder) order(weights *[256]uint8) bool { return b.orderGeneric(weights) }

// expand builds the table of the sorted symbols.
func (b *Builder) expand(t *Single, longest int) { b.expandGeneric(t, longest) }

// fill sets d to yield the same bytes as s.
func (d *Double) fill(s *Single) { d.fillGeneric(s) }
