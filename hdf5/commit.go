package hdf5

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/inplace"
)

// A commit writes what is new behind the end of the file, in places that nothing leads to, and
// makes that durable. Then come changes that nobody sees, which are durable before the headers of
// datasets say that there are more items.

// write writes a commit.
func (a *Appender) write(ctx context.Context) error {
	var grown []*growth
	var before []format.Patch // what nobody sees
	for _, g := range a.order {
		index, changed, err := g.prepare(ctx)
		if err != nil {
			return fmt.Errorf("dataset %q: %w", g.d.key, err)
		}
		before = append(before, index...)
		if changed {
			grown = append(grown, g)
		}
	}
	if len(grown) == 0 {
		return nil
	}

	moved, err := a.gather(grown)
	if err != nil {
		return err
	}
	before = append(before, moved...)
	steps, err := a.steps(grown)
	if err != nil {
		return err
	}
	end := a.stated()
	if len(steps) > 1 || len(steps) == 1 && len(steps[0]) > 1 {
		if err := a.note(end, steps); err != nil {
			return err
		}
	}

	if err := errors.Join(ctx.Err(), a.reach(end)); err != nil {
		return err
	}
	if len(before) > 0 {
		steps = slices.Insert(steps, 0, before)
	}
	for _, step := range steps {
		if err := a.patch(step); err != nil {
			return err
		}
	}
	a.wrote = true
	a.used = a.end
	for _, g := range a.order {
		if err := g.settled(); err != nil {
			return err
		}
	}
	return nil
}

// gather brings together in one sector what changes of the headers of datasets, if they fit. If
// not, it does so for each header. It returns the patches that lead to the new places.
func (a *Appender) gather(grown []*growth) (patches []format.Patch, err error) {
	together := true
	need := int64(0)
	first, _ := grown[0].header.Sector()
	for _, g := range grown {
		at, ok := g.header.Sector()
		together = together && ok && at == first
		room := g.header.Room()
		if need += room; room == 0 {
			need += inplace.Sector + 1
		}
	}
	if together {
		return nil, nil
	}

	all := need <= inplace.Sector && len(grown) > 1
	if all && a.sector.end-a.sector.at < need {
		a.sector.at = inplace.Fit(a.allocate(2*inplace.Sector), inplace.Sector)
		a.sector.end = a.sector.at + inplace.Sector
	}
	fit := func(n int64) int64 {
		if !all {
			return inplace.Fit(a.allocate(n+inplace.Sector), n)
		}
		at := a.sector.at
		a.sector.at += (n + 7) &^ 7
		return at
	}
	for _, g := range grown {
		if _, ok := g.header.Sector(); !all && ok || g.header.Room() == 0 {
			continue
		}
		fresh, patch := g.header.Move(a.allocate, fit)
		for _, p := range fresh {
			if _, err := a.disk.WriteAt(p.Bytes, p.At); err != nil {
				return nil, err
			}
		}
		patches = append(patches, patch)
	}
	return patches, nil
}

// steps returns the changes of the headers of datasets, scales last. Those in a sector are one
// write.
func (a *Appender) steps(grown []*growth) (steps [][]format.Patch, err error) {
	const scales = 2 // step of the first scale
	type place struct{ step, i int }
	steps = make([][]format.Patch, 2*scales)
	shared := map[int64]place{}
	for _, scale := range []bool{false, true} {
		for _, g := range grown {
			if g.scale != scale {
				continue
			}
			first := 0
			if scale {
				first = scales
			}
			sector, direct := g.header.Sector()
			for i, step := range g.header.Grow(g.shape, g.root) {
				if !direct {
					steps[first+i] = append(steps[first+i], step...)
					continue
				}

				p := step[0]
				if had, ok := shared[sector]; ok {
					if p, err = a.joined(steps[had.step][had.i], p); err != nil {
						return nil, err
					}
					steps[had.step][had.i] = format.Patch{At: p.At}
				}
				shared[sector] = place{first + i, len(steps[first+i])}
				steps[first+i] = append(steps[first+i], p)
			}
		}
	}

	for i := range steps {
		steps[i] = slices.DeleteFunc(steps[i], func(p format.Patch) bool { return len(p.Bytes) == 0 })
	}
	return slices.DeleteFunc(steps, func(step []format.Patch) bool { return len(step) == 0 }), nil
}

// joined returns two patches as one, with what is between them.
func (a *Appender) joined(p, q format.Patch) (format.Patch, error) {
	from := min(p.At, q.At)
	to := max(p.At+int64(len(p.Bytes)), q.At+int64(len(q.Bytes)))
	b := make([]byte, to-from)
	if err := a.readAll(b, from); err != nil {
		return p, err
	}
	copy(b[p.At-from:], p.Bytes)
	copy(b[q.At-from:], q.Bytes)
	return format.Patch{At: from, Bytes: b}, nil
}

// The end that the file states moves by a write of its own, which must be durable before anything
// refers to what is before it. So from the second commit of an appender on it moves further than
// that takes, and those that follow find it there. [Appender.Close] moves it back.
const (
	reserved     = 16 // commits like this one for which the end moves, within the bound
	mostReserved = 1 << 20
)

// stated returns the end that the file is to state with a commit.
func (a *Appender) stated() int64 {
	end := a.grow.End()
	if a.end <= end {
		return end
	}
	end = a.end
	if a.wrote {
		end += min(mostReserved, reserved*(a.end-a.used))
	}
	return end
}

// reach makes what is behind the end of the file durable, and then moves the end.
func (a *Appender) reach(end int64) error {
	size, err := a.disk.Size()
	if err != nil {
		return err
	}
	if size < end {
		if err := a.disk.Truncate(end); err != nil {
			return err
		}
		size = end
	}
	a.grow.Resized(size)
	if err := a.disk.Sync(); err != nil || end == a.grow.End() {
		return err
	}
	return a.patch([]format.Patch{a.grow.SetEnd(end)})
}

// trim leaves nothing behind what was committed.
func (a *Appender) trim() error {
	if a.used < a.grow.End() {
		if err := a.patch([]format.Patch{a.grow.SetEnd(a.used)}); err != nil {
			return err
		}
	}
	return a.disk.Truncate(a.used)
}

// patch writes patches and makes them durable.
func (a *Appender) patch(list []format.Patch) error {
	for _, p := range list {
		if _, err := a.disk.WriteAt(p.Bytes, p.At); err != nil {
			return err
		}
	}
	return a.disk.Sync()
}
