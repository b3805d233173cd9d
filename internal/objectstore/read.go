package objectstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
	"github.com/cairn-go/cairn/storage"
)

// ReadRanges merges nearby ranges into one request each, cuts large ones, and makes the requests
// concurrently.
func (b *bucket) ReadRanges(ctx context.Context, at storage.Object, ranges []storage.Range) error {
	key, err := b.key("read", at.Name)
	if err != nil {
		return err
	}

	pieces, err := b.pieces(ranges)
	if err != nil {
		return &fs.PathError{Op: "read", Path: at.Name, Err: err}
	}

	err = together(ctx, b.requests, len(pieces), func(ctx context.Context, i int) error {
		return b.readPiece(ctx, key, at.Version, pieces[i])
	})
	if err != nil {
		return &fs.PathError{Op: "read", Path: at.Name, Err: err}
	}
	return nil
}

// together calls do for [0, n), at most limit at a time. The first error cancels the others and is
// returned once all have returned.
func together(ctx context.Context, limit, n int, do func(ctx context.Context, i int) error) error {
	outer := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	var wg sync.WaitGroup
	var once sync.Once
	var first error
	slots := make(chan struct{}, limit)

	for i := 0; i < n && ctx.Err() == nil; i++ {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			if err := do(ctx, i); err != nil {
				once.Do(func() { first = err })
				cancel()
			}
		})
	}
	wg.Wait()
	return cmp.Or(outer.Err(), first)
}

// pieces returns the ranges of each request, sorted by offset. Empty ranges need none.
func (b *bucket) pieces(ranges []storage.Range) ([][]storage.Range, error) {
	var small []storage.Range
	for _, r := range ranges {
		if r.Off < 0 || r.Off > 1<<62 {
			return nil, fmt.Errorf("offset %d: %w", r.Off, cairn.ErrBounds)
		}
		for ; int64(len(r.Data)) > b.piece; r = (storage.Range{Off: r.Off + b.piece, Data: r.Data[b.piece:]}) {
			small = append(small, storage.Range{Off: r.Off, Data: r.Data[:b.piece]})
		}
		if len(r.Data) > 0 {
			small = append(small, r)
		}
	}

	slices.SortFunc(small, func(x, y storage.Range) int { return cmp.Compare(x.Off, y.Off) })

	var pieces [][]storage.Range
	for from := 0; from < len(small); {
		start := small[from].Off
		stop := end(small[from])
		to := from + 1
		for to < len(small) && small[to].Off-stop <= b.gap && max(stop, end(small[to]))-start <= b.piece {
			stop = max(stop, end(small[to]))
			to++
		}

		pieces = append(pieces, small[from:to])
		from = to
	}
	return pieces, nil
}

func end(r storage.Range) int64 { return r.Off + int64(len(r.Data)) }

// readPiece fills ranges, which are sorted, by one request.
func (b *bucket) readPiece(ctx context.Context, key, version string, ranges []storage.Range) error {
	stop := end(ranges[0])
	for _, r := range ranges {
		stop = max(stop, end(r))
	}

	n := stop - ranges[0].Off
	return b.try(ctx, int(n), func(ctx context.Context) error {
		all := ranges[0]
		if len(ranges) > 1 {
			all.Data = fresh.Make[byte](n)
		}

		got, _, err := b.get(ctx, key, version, all)
		if err == nil && got < n {
			err = &Failure{Kind: Outside}
		}
		if err != nil {
			return err
		}

		if len(ranges) > 1 {
			for _, r := range ranges {
				copy(r.Data, all.Data[r.Off-all.Off:])
			}
		}
		return nil
	})
}

// get makes one request for a range. It returns how much of the range there is, and the object.
func (b *bucket) get(ctx context.Context, key, version string, r storage.Range) (n int64, at storage.Object, err error) {
	body, at, err := b.c.Get(ctx, key, version, r.Off, int64(len(r.Data)))
	if err != nil {
		return 0, storage.Object{}, err
	}

	n = min(int64(len(r.Data)), at.Size-r.Off)
	if n <= 0 {
		err = &Failure{Kind: Outside}
	} else if _, err = io.ReadFull(body, r.Data[:n]); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		err = Unanswered(err)
	}

	if closeErr := body.Close(); err == nil && closeErr != nil {
		err = Unanswered(closeErr)
	}
	return n, at, err
}

// ReadStart makes one request, and another one if the object is empty, or p is.
func (b *bucket) ReadStart(ctx context.Context, name string, p []byte) (n int, at storage.Object, err error) {
	key, err := b.key("read", name)
	if err != nil {
		return 0, storage.Object{}, err
	}

	if len(p) > 0 {
		var got int64
		err = b.try(ctx, len(p), func(ctx context.Context) error {
			got, at, err = b.get(ctx, key, "", storage.Range{Data: p})
			return err
		})
		n = int(got)
	}

	if len(p) == 0 || kindOf(err) == Outside {
		at, err = b.Stat(ctx, name)
		if err == nil && len(p) > 0 && at.Size > 0 { // put in between
			err = &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("has changed: %w", cairn.ErrConflict)}
		}
		return 0, at, err
	}

	if err != nil {
		return 0, storage.Object{}, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	at.Name = name
	return n, at, nil
}

// SizeOf returns the size of an object from the Content-Range of the answer to a request of length
// bytes from off. It fails, and closes body, if the answer has other bytes: stores that do not know
// ranges answer with all.
func SizeOf(contentRange string, off, length int64, body io.Closer) (int64, error) {
	first := int64(-1)
	last := int64(-1)
	size := int64(-1)
	_, err := fmt.Sscanf(contentRange, "bytes %d-%d/%d", &first, &last, &size)
	if err == nil && first == off && off < size && last == min(off+length, size)-1 {
		return size, nil
	}

	f := &Failure{Kind: Outside}
	if err != nil || size < 0 || off < size { // else an empty range, where most stores answer 416
		f = &Failure{Kind: Permanent, Detail: fmt.Sprintf("bytes %d to %d were asked for, and %.100q answered",
			off, off+length-1, contentRange)}
	}
	return 0, errors.Join(f, body.Close())
}
