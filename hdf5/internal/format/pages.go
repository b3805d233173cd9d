package format

import (
	"sync"

	"github.com/cairn-go/cairn/storage"
)

// Metadata lies in many small structures, often near each other. So it is read in pages, which are
// kept: a structure costs no read of its own.
const (
	pageSize = 16 << 10
	mostKept = 256 // pages
)

// pages are the pages of a file that were read last.
type pages struct {
	mu    sync.Mutex
	kept  map[int64][]byte // by number
	order []int64          // numbers of kept, oldest first
	// fresh says that none are kept, because the file grows: an index from an old page would lack
	// chunks of a dataset whose header is newer, and they would read as fill values.
	fresh bool
}

func (p *pages) get(number int64) []byte {
	if p.fresh {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kept[number]
}

func (p *pages) put(number int64, page []byte) {
	if p.fresh {
		return
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept == nil {
		p.kept = map[int64][]byte{}
	}

	if old := p.kept[number]; old != nil {
		if len(page) > len(old) {
			p.kept[number] = page
		}
		return
	}

	if len(p.order) == mostKept {
		delete(p.kept, p.order[0])
		p.order = append(p.order[:0], p.order[1:]...)
	}

	p.kept[number] = page
	p.order = append(p.order, number)
}

// drop forgets all pages.
func (p *pages) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept = nil
	p.order = nil
}

func (r *Reader) page(layer string, number int64) ([]byte, error) {
	size := min(pageSize, r.Size()-number*pageSize)
	if page := r.pages.get(number); int64(len(page)) >= size {
		return page, r.ctx.Err()
	}

	page := make([]byte, size)
	if err := r.fill(layer, page, number*pageSize); err != nil {
		return nil, err
	}
	r.pages.put(number, page)
	return page, nil
}

// current returns bytes that appends change in place, not those of a page from before the header of
// the dataset. A file that is read by requests stays as it is.
func (r *Reader) current(layer string, at, n int64) ([]byte, error) {
	if _, far := r.r.(Ranged); far {
		return r.Bytes(layer, at, n, n)
	}
	if err := r.check(layer, at, n); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	return b, r.fill(layer, b, at)
}

// Prefetch loads the pages of structures at addresses together, if the file is read by requests.
// What it cannot load is missed again by who reads it.
func (r *Reader) Prefetch(addresses []int64) {
	far, ok := r.r.(Ranged)
	if !ok || r.pages.fresh {
		return
	}

	wanted := map[int64][]byte{}
	var ranges []storage.Range
	for _, at := range addresses {
		number := at / pageSize
		if at < 0 || at >= r.Size() || wanted[number] != nil || r.pages.get(number) != nil {
			continue
		}

		page := make([]byte, min(pageSize, r.Size()-number*pageSize))
		wanted[number] = page
		ranges = append(ranges, storage.Range{Off: r.base + number*pageSize, Data: page})
		if len(ranges) == mostKept/2 {
			break
		}
	}

	if len(ranges) == 0 || far.ReadRanges(r.ctx, ranges) != nil {
		return
	}

	for number, page := range wanted {
		r.pages.put(number, page)
	}
}
