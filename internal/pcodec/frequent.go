package pcodec

import "slices"

// frequent finds latents that occur often.
type frequent[L latent] struct {
	values []L // in their order

	table  [1 << frequentLog]L
	counts [1 << frequentLog]uint16
	seen   [gridCells / 64]uint64
	found  []span[L]
	slots  [1 << slotsLog]L
	cells  [1 << slotsLog]uint16
}

const (
	mostFrequent = 128
	frequentLog  = 13
	slotsLog     = 11
	groupLog     = 6 // latents of a group of a sample
	tried        = 1 << 9
	counted      = 1 << 12
)

// groups calls do for about as many latents as given, in groups: each time with where they begin
// and end.
func groups(n, some int, do func(from, to int)) {
	if n <= some {
		do(0, n)
		return
	}
	few := some >> groupLog
	for i := range few {
		at := int(int64(i) * int64(n-1<<groupLog) / int64(few-1))
		do(at, at+1<<groupLog)
	}
}

// likely reports whether in cells of several latents some occur much more often than others.
func (f *frequent[L]) likely(latents []L, cells []uint16) bool {
	clear(f.seen[:])
	pairs := 0
	equal := 0
	expected := 0
	groups(len(latents), tried, func(from, to int) {
		for i := from; i < to; i++ {
			l := latents[i]
			c := cells[i] % gridCells
			shift := shiftOf(int(c))
			if shift == 0 {
				continue
			}

			if f.seen[c/64]>>(c%64)&1 != 0 {
				pairs++
				expected += 1 << 16 >> shift
				if f.table[c] == l {
					equal++
				}
			}
			f.seen[c/64] |= 1 << (c % 64)
			f.table[c] = l
		}
	})
	return equal >= 8 && equal<<16 > expected+pairs<<13
}

// find finds the latents that occur most often.
func (f *frequent[L]) find(latents []L) {
	clear(f.counts[:])
	groups(len(latents), counted, func(from, to int) {
		for _, l := range latents[from:to] {
			h := uint64(l) * hashFactor >> (64 - frequentLog)
			for f.counts[h] > 0 && f.table[h] != l {
				h = (h + 1) % (1 << frequentLog)
			}
			f.table[h] = l
			f.counts[h]++
		}
	})

	least := max(4, min(len(latents), counted)>>8)
	f.found = f.found[:0]
	for i, n := range f.counts {
		if int(n) >= least {
			f.found = append(f.found, span[L]{f.table[i], f.table[i], int(n)})
		}
	}
	slices.SortFunc(f.found, func(a, b span[L]) int {
		if a.count != b.count {
			return b.count - a.count
		}
		if a.lower < b.lower {
			return -1
		}
		return 1
	})

	// An empty slot has a latent of another one.
	for i := range f.slots {
		f.slots[i] = 0
		f.cells[i] = 0
	}
	f.slots[0] = 1
	f.values = f.values[:0]
	for _, s := range f.found[:min(len(f.found), mostFrequent)] {
		h := slotOf(s.lower)
		if f.cells[h] == 0 && shiftOf(int(cellOf(s.lower))) > 0 {
			f.cells[h] = 1
			f.slots[h] = s.lower
			f.values = append(f.values, s.lower)
		}
	}
	slices.Sort(f.values)
	for i, v := range f.values {
		f.cells[slotOf(v)] = uint16(ownCell + i)
	}
}

const hashFactor = 0x9e37_79b9_7f4a_7c15

func slotOf[L latent](l L) uint64 { return uint64(l) * hashFactor >> (64 - slotsLog) }

// mark sets the cells of latents that occur often.
func (f *frequent[L]) mark(cells []uint16, latents []L) {
	cells = cells[:len(latents)]
	for i, l := range latents {
		h := slotOf(l)
		c := cells[i]
		if f.slots[h] == l {
			c = f.cells[h]
		}
		cells[i] = c
	}
}
