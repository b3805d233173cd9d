package numeric

import (
	"slices"

	"github.com/cairn-go/cairn/internal/asm/axes"
	"github.com/cairn-go/cairn/internal/asm/latents"
	"github.com/cairn-go/cairn/internal/pcodec"
)

// undo makes items of differences.
func undo[L pcodec.Latent](h *header, items []L) {
	first := h.first
	if h.step == 1 && h.mode == integers && first != 0 && once(h.passes) && starts(h)*few <= len(items) {
		// Sums have what is added to the differences from nothing.
		addTo(items, h.used, h.passes, 0, L(first))
		first = 0
	}

	for i := len(h.passes) - 1; i >= 0; i-- {
		axis := h.passes[i]
		axes.Sum(items, h.used[axis], count(h.used[axis+1:]))
	}
	toItems(h, items, L(first))
}

// few is how many times as many items there must be as places where sums start.
const few = 64

// starts returns the number of places where sums start that are not adjacent.
func starts(h *header) int {
	n := 1
	for axis, length := range h.used[:slices.Max(h.passes)] {
		if !slices.Contains(h.passes, axis) {
			n *= length
		}
	}
	return n
}

// once reports whether there are passes, each along another axis.
func once(passes []int) bool {
	for i, axis := range passes {
		if slices.Contains(passes[:i], axis) {
			return false
		}
	}
	return len(passes) > 0
}

// addTo adds a number to the integers that are the first ones along all axes with passes, of those
// from an axis on.
func addTo[L pcodec.Latent](items []L, used, passes []int, axis int, number L) {
	if axis == len(used) {
		items[0] += number
		return
	}
	inner := len(items) / used[axis]
	if slices.Contains(passes, axis) {
		addTo(items[:inner], used, passes, axis+1, number)
		return
	}
	if axis > slices.Max(passes) {
		latents.Multiply(items, 1, number)
		return
	}
	for at := 0; at < len(items); at += inner {
		addTo(items[at:at+inner], used, passes, axis+1, number)
	}
}

// toItems replaces integers, which are relative to the first one, by items.
func toItems[L pcodec.Latent](h *header, items []L, first L) {
	switch h.mode {
	case integers:
		latents.Multiply(items, L(h.step), first)
	case floats:
		latents.Unorder(items, first, h.shift)
	case decimals:
		if h.places >= 0 {
			latents.Quotients(items, first, tens[h.places], noOffset)
		} else {
			latents.Products(items, first, tens[-h.places], noOffset)
		}
	case multiples:
		makeMultiples(&h.multiple, items, first)
	}
}

// makeMultiples replaces integers by multiples, without what is added to their bits.
func makeMultiples[L pcodec.Latent](m *multiple, items []L, first L) {
	if m.making.has(divided) {
		latents.Quotients(items, first, m.scale, m.offset)
	} else {
		latents.Products(items, first, m.scale, m.offset)
	}
	if m.lacks() > 0 {
		latents.ToSingles(items)
	}
}
