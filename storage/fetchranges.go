package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
)

// rangeMost is the most bytes of one request.
const rangeMost = 8 << 20

// Few bytes at many places, such as a number in each record of a file, would fetch much more than
// what is wanted if requests were merged over gaps of the usual size. bench/results/remote.md has
// what other numbers would take.
const (
	rangeWaste    = 64        // times what is wanted, and
	rangeLeast    = 512 << 10 // in all, is what may be fetched without need
	rangeSmallGap = 16 << 10  // is what is merged then
)

// gap returns the number of unneeded bytes between two ranges that are merged, which are sorted.
func (f *rangeFile) gap(ranges []Range) int64 {
	wanted := int64(0)
	wasted := int64(0)
	for i, r := range ranges {
		wanted += int64(len(r.Data))
		if i == 0 {
			continue
		}
		end := ranges[i-1].Off + int64(len(ranges[i-1].Data))
		if between := r.Off - end; between > rangeSmallGap && between <= f.o.Gap {
			wasted += between
		}
	}

	if wasted > max(rangeLeast, rangeWaste*wanted) {
		return min(f.o.Gap, rangeSmallGap)
	}
	return f.o.Gap
}

// nextGroup returns how many of the first ranges one request fetches, with gaps of at most gap
// bytes, and where they end.
func nextGroup(ranges []Range, gap int64) (n int, end int64) {
	begin := ranges[0].Off
	n = 1
	end = begin + int64(len(ranges[0].Data))

	for n < len(ranges) && ranges[n].Off <= end+gap {
		further := max(end, ranges[n].Off+int64(len(ranges[n].Data)))
		if further-begin > rangeMost {
			break
		}
		n, end = n+1, further
	}
	return n, end
}

// fetch fills ranges from the source, merging nearby ones into one request, with concurrent
// requests. They end with ctx and with the context of the file.
func (f *rangeFile) fetch(ctx context.Context, ranges []Range) error {
	var errs []error
	var mu sync.Mutex
	var wg sync.WaitGroup

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(f.ctx, cancel)
	defer stop()

	// Ranges of at most rangeMost bytes each, sorted by offset, without empty ones.
	cut := make([]Range, 0, len(ranges))
	for _, r := range ranges {
		for len(r.Data) > 0 {
			n := min(len(r.Data), rangeMost)
			cut = append(cut, Range{r.Off, r.Data[:n]})
			r = Range{r.Off + int64(n), r.Data[n:]}
		}
	}

	slices.SortFunc(cut, func(a, b Range) int { return cmp.Compare(a.Off, b.Off) })
	ranges = cut

	gap := f.gap(ranges)

	for len(ranges) > 0 {
		n, end := nextGroup(ranges, gap)
		together := ranges[:n]
		request := func() {
			if err := f.request(ctx, together, end); err != nil {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
				cancel() // the other results are not needed
			}
		}

		if ranges = ranges[n:]; len(ranges) == 0 {
			request()
		} else {
			wg.Go(request)
		}
	}
	wg.Wait()

	if len(errs) > 0 { // errors caused by cancel come after the first
		if err := f.ctx.Err(); err != nil {
			errs[0] = err
		}
		return rangeError("read", f.name, errs[0])
	}
	return nil
}

// request fills ranges, the last of which ends at end, by one request.
func (f *rangeFile) request(ctx context.Context, ranges []Range, end int64) error {
	select {
	case f.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-f.slots }()

	if len(ranges) == 1 {
		return f.src.ReadRanges(ctx, ranges)
	}

	all := Range{ranges[0].Off, fresh.Make[byte](end - ranges[0].Off)}
	if err := f.src.ReadRanges(ctx, []Range{all}); err != nil {
		return err
	}

	for _, r := range ranges {
		copy(r.Data, all.Data[r.Off-all.Off:])
	}
	return nil
}

// readRanges fills ranges from r, which has size bytes, one after the other.
func readRanges(ctx context.Context, r io.ReaderAt, size int64, ranges []Range) error {
	for _, one := range ranges {
		if err := ctx.Err(); err != nil {
			return err
		}
		if end := one.Off + int64(len(one.Data)); one.Off < 0 || end > size {
			return fmt.Errorf("bytes %d to %d of %d: %w", one.Off, end, size, cairn.ErrBounds)
		}

		n, err := r.ReadAt(one.Data, one.Off)
		if n == len(one.Data) {
			continue
		}
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	return nil
}
