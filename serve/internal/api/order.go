package api

import (
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"github.com/cairn-go/cairn/meta"
)

// hash returns a short text for several.
func hash(texts ...string) string {
	h := fnv.New64a()
	for _, text := range texts {
		_, _ = io.WriteString(h, text)
		_, _ = h.Write([]byte{0})
	}
	return fmt.Sprintf("%x", h.Sum64())
}

// swapped returns how many bytes of items to reverse at a time for little-endian order; 0 if there
// are none to reverse, as in structures, which keep the order of their dtype.
func swapped(d meta.DType) int {
	if !d.BigEndian() || len(d.Fields()) > 0 {
		return 0
	}
	if _, _, ok := d.SubArray(); ok {
		return 0
	}

	switch d.Kind() {
	case 'c':
		return d.Size() / 2
	case 'U':
		return 4
	}
	return d.Size()
}

// littleEndian returns the dtype of items as a format has them.
func littleEndian(d meta.DType, format string) meta.DType {
	if format != "raw" || swapped(d) == 0 {
		return d
	}

	text := []byte(d.String())
	if i := slices.Index(text, '>'); i >= 0 {
		text[i] = '<'
	}
	if little, err := meta.ParseDType(string(text)); err == nil {
		return little
	}
	return d
}

// A swapper reverses the bytes of each unit. What it is given consists of whole ones.
type swapper struct {
	w    io.Writer
	unit int
}

func (s *swapper) Write(p []byte) (int, error) {
	swapped := slices.Clone(p)
	for rest := swapped; len(rest) >= s.unit; rest = rest[s.unit:] {
		slices.Reverse(rest[:s.unit])
	}
	return s.w.Write(swapped)
}
