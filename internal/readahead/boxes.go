package readahead

import (
	"context"
	"iter"
	"slices"

	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
)

// A boxRead is a box that is being read.
type boxRead[T any] struct {
	box  slab.Box
	slot int
	wait func()
	made T
	err  error
}

// Boxes calls read and then use for each box, in their order. The next boxes, ahead of them at
// most, are read while a box is used, on goroutines of their own, which end with the call; if ahead
// is 0, read runs on this goroutine. slot, which is less than 1+ahead, is not that of another box
// that is read or used.
func Boxes[T any](ctx context.Context, ahead int, boxes iter.Seq[slab.Box],
	read func(ctx context.Context, slot int, b slab.Box) (T, error), use func(b slab.Box, made T) error) error {
	if ahead <= 0 {
		for b := range boxes {
			made, err := read(ctx, 0, b)
			if err != nil {
				return err
			}

			if err = use(b, made); err != nil {
				return err
			}
		}
		return ctx.Err()
	}

	ctx, cancel := context.WithCancel(ctx)
	var queue []*boxRead[T]
	defer func() { // what is still being read must not outlive the call
		cancel()
		for _, r := range queue {
			r.wait()
		}
	}()

	next, stop := iter.Pull(boxes)
	defer stop()

	free := make([]int, 1+ahead)
	for i := range free {
		free[i] = i
	}

	for {
		for len(free) > 0 {
			b, ok := next()
			if !ok {
				break
			}
			r := &boxRead[T]{box: slab.Box{Start: slices.Clone(b.Start), Stop: slices.Clone(b.Stop)}, slot: free[0]}
			free = free[1:]
			r.wait = parallel.Start(func() { r.made, r.err = read(ctx, r.slot, r.box) })
			queue = append(queue, r)
		}

		if len(queue) == 0 {
			return ctx.Err()
		}

		r := queue[0]
		r.wait()
		queue = queue[1:]
		if r.err != nil {
			return r.err
		}

		if err := use(r.box, r.made); err != nil {
			return err
		}
		free = append(free, r.slot)
	}
}
