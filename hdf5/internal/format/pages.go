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

	if p.kept[number] != nil {
		return
	}

	if len(p.order) == mostKept {
		delete(p.kept, p.order[0])
		p.order = append(p.order[:0], p.order[1:]...)
	}

	p.kept[number] = page
	p.order = append(p.order, number)
}

func (r *Reader) page(layer string, number int64) ([]byte, error) {
	if page := r.pages.get(number); page != nil {
		return page, r.ctx.Err()
	}

	page := make([]byte, min(pageSize, r.size-number*pageSize))
	if err := r.fill(layer, page, number*pageSize); err != nil {
		return nil, err
	}
	r.pages.put(number, page)
	return page, nil
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
		if at < 0 || at >= r.size || wanted[number] != nil || r.pages.get(number) != nil {
			continue
		}

		page := make([]byte, min(pageSize, r.size-number*pageSize))
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
