package frame

import "slices"

// index is the list of a frame's entries, one per chunk. It is immutable for whoever holds one: every change gives another one,
// which shares pages with the old. Only append writes into memory that others hold, and only behind what they can see.
//
// A nil page, and every page beyond the end of pages, is full of fill. So a hundred million chunks of zeros take no memory.
type index struct {
	n     int
	fill  int64
	pages []*page
}

const pageLen = 512 // entries: an update copies 4 KiB, and the list of pages of a million chunks has 16

type page struct {
	entries [pageLen]int64
	used    int // entries that some index has; append may write only behind them
}

// runIndex returns an index of n equal entries.
func runIndex(n int, entry int64) index { return index{n: n, fill: entry} }

func (x index) at(i int) int64 {
	if p := x.page(i / pageLen); p != nil {
		return p.entries[i%pageLen]
	}
	return x.fill
}

// run returns how many entries from i on are known to be equal without looking at each: at least 1.
func (x index) run(i int) int {
	k := i / pageLen
	if x.page(k) != nil {
		return 1
	}
	for k < len(x.pages) && x.pages[k] == nil {
		k++
	}
	if k >= len(x.pages) {
		return x.n - i
	}
	return k*pageLen - i
}

func (x index) page(k int) *page {
	if k < len(x.pages) {
		return x.pages[k]
	}
	return nil
}

// seal returns x such that appending to it leaves alone what was appended to it before.
func (x index) seal() index {
	x.pages = slices.Clip(x.pages)
	return x
}

// append returns x with one more entry. The time does not depend on the length.
func (x index) append(entry int64) index {
	if x.n == 0 && len(x.pages) == 0 && entry < 0 {
		x.fill = entry
	}
	k, slot := x.n/pageLen, x.n%pageLen
	p := x.page(k)
	x.n++
	switch {
	case p == nil && entry == x.fill:
		return x
	case p == nil || p.used != slot:
		p = x.copyPage(k)
		p.used = slot
		x.pages = x.withPage(k, p)
	}
	p.entries[slot] = entry
	p.used++
	return x
}

// appendRun returns x with n more equal entries.
func (x index) appendRun(entry int64, n int) index {
	if x.n == 0 && len(x.pages) == 0 {
		return runIndex(n, entry)
	}
	for n > 0 && x.n%pageLen != 0 {
		x = x.append(entry)
		n--
	}
	if entry == x.fill && len(x.pages) <= x.n/pageLen {
		x.n += n
		return x
	}
	if n >= pageLen {
		full := uniformPage(entry)
		for ; n >= pageLen; n -= pageLen {
			x.pages = x.withPage(x.n/pageLen, full)
			x.n += pageLen
		}
	}
	for ; n > 0; n-- {
		x = x.append(entry)
	}
	return x
}

func uniformPage(entry int64) *page {
	p := &page{used: pageLen}
	for i := range p.entries {
		p.entries[i] = entry
	}
	return p
}

// set returns x with another entry i.
func (x index) set(i int, entry int64) index {
	k := i / pageLen
	p := x.copyPage(k)
	p.entries[i%pageLen] = entry
	x.pages = slices.Clone(x.pages)
	x.pages = x.withPage(k, p)
	return x
}

// copyPage returns a page with the entries of page k that nobody else has.
func (x index) copyPage(k int) *page {
	old := x.page(k)
	if old == nil {
		p := uniformPage(x.fill)
		p.used = min(pageLen, max(0, x.n-k*pageLen))
		return p
	}
	p := *old
	p.used = min(pageLen, max(0, x.n-k*pageLen))
	return &p
}

// withPage returns the list of pages with page k replaced or added. Readers of the old list never see a change within its length.
func (x index) withPage(k int, p *page) []*page {
	pages := x.pages
	if k < len(pages) {
		pages = slices.Clone(pages)
		pages[k] = p
		return pages
	}
	for len(pages) < k {
		pages = append(pages, nil)
	}
	return append(pages, p)
}

// insert returns x with an entry before entry i.
func (x index) insert(i int, entry int64) index {
	if i == x.n {
		return x.append(entry)
	}
	return buildIndex(x.n+1, x.fill, func(k int) int64 {
		switch {
		case k < i:
			return x.at(k)
		case k == i:
			return entry
		}
		return x.at(k - 1)
	})
}

// remove returns x without entry i.
func (x index) remove(i int) index {
	if i == x.n-1 {
		x.n--
		return x.seal()
	}
	return buildIndex(x.n-1, x.fill, func(k int) int64 {
		if k < i {
			return x.at(k)
		}
		return x.at(k + 1)
	})
}

// buildIndex returns the index of n entries that at gives.
func buildIndex(n int, fill int64, at func(i int) int64) index {
	b := indexBuilder{index: index{fill: fill}}
	for i := range n {
		b.add(at(i))
	}
	return b.finish()
}

// indexBuilder makes an index from entries that come in order. Pages of fill cost nothing, and neighbouring pages that are full of
// one other entry are one page.
type indexBuilder struct {
	index   index
	current *page
	last    *page // the last page that was full of one entry
	pages   int   // that were allocated and kept
}

func (b *indexBuilder) add(entry int64) {
	if b.current == nil {
		b.current = &page{}
	}
	p := b.current
	p.entries[p.used] = entry
	p.used++
	b.index.n++
	if p.used == pageLen {
		b.flush()
	}
}

func (b *indexBuilder) flush() {
	p, x := b.current, &b.index
	first, uniform := p.entries[0], true
	for _, e := range p.entries[:p.used] {
		uniform = uniform && e == first
	}
	if uniform && first < 0 && len(x.pages) == 0 && x.n == p.used {
		x.fill = first
	}
	switch {
	case uniform && first == x.fill:
		x.pages = append(x.pages, nil)
		clear(p.entries[:])
		p.used = 0
		return
	case uniform && p.used == pageLen && b.last != nil && b.last.entries[0] == first:
		x.pages = append(x.pages, b.last)
		p.used = 0
		return
	case uniform && p.used == pageLen:
		b.last = p
	}
	x.pages = append(x.pages, p)
	b.pages++
	b.current = nil
}

func (b *indexBuilder) finish() index {
	if b.current != nil && b.current.used > 0 {
		b.flush()
	}
	x := b.index
	for len(x.pages) > 0 && x.pages[len(x.pages)-1] == nil {
		x.pages = x.pages[:len(x.pages)-1]
	}
	return x.seal()
}

// uniform reports whether all entries of x are equal.
func (x index) uniform() bool {
	if x.n == 0 {
		return true
	}
	first := x.at(0)
	for k := 0; k*pageLen < x.n; k++ {
		p := x.page(k)
		if p == nil {
			if x.fill != first {
				return false
			}
			if k >= len(x.pages) {
				return true
			}
			continue
		}
		for _, e := range p.entries[:min(pageLen, x.n-k*pageLen)] {
			if e != first {
				return false
			}
		}
	}
	return true
}
