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
)

// rangeMost is the most bytes of one request.
const rangeMost = 8 << 20

// cutRanges returns ranges of at most rangeMost bytes each, sorted by offset, without empty ones.
func cutRanges(ranges []Range) []Range {
	cut := make([]Range, 0, len(ranges))
	for _, r := range ranges {
		for len(r.Data) > 0 {
			n := min(len(r.Data), rangeMost)
			cut = append(cut, Range{r.Off, r.Data[:n]})
			r = Range{r.Off + int64(n), r.Data[n:]}
		}
	}
	slices.SortFunc(cut, func(a, b Range) int { return cmp.Compare(a.Off, b.Off) })
	return cut
}

// nextGroup returns how many of the first ranges one request fetches, and where they end.
func (f *rangeFile) nextGroup(ranges []Range) (n int, end int64) {
	begin := ranges[0].Off
	n, end = 1, begin+int64(len(ranges[0].Data))
	for n < len(ranges) && ranges[n].Off <= end+f.o.Gap {
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
	for ranges = cutRanges(ranges); len(ranges) > 0; {
		n, end := f.nextGroup(ranges)
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
		return nameError("read", f.name, errs[0])
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
	all := Range{ranges[0].Off, make([]byte, end-ranges[0].Off)}
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
