package hdf5

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/inplace"
)

// write writes a commit.
func (c *Changer) write(ctx context.Context) error {
	a := c.a
	if err := c.add(ctx); err != nil {
		return err
	}
	if len(c.order) == 0 {
		return nil
	}
	steps, last, err := c.headers()
	if err != nil {
		return err
	}

	end := a.end
	if len(last) > 1 {
		if err := a.note(end, [][]format.Patch{last}); err != nil {
			return err
		}
	}
	if err := errors.Join(ctx.Err(), a.reach(end)); err != nil {
		return err
	}
	for _, step := range steps {
		if len(step) == 0 {
			continue
		}
		if err := a.patch(step); err != nil {
			return err
		}
	}
	a.wrote = true
	a.used = a.end
	return nil
}

// add writes what is new, and gives it its links.
func (c *Changer) add(ctx context.Context) error {
	a := c.a
	err := c.w.settle(c.tops, func() error {
		v := &valueWriter{heap: c.w.heap, address: c.w.address}
		for _, t := range c.order {
			for i := range t.sets {
				if err := t.sets[i].encode(v); err != nil {
					return fmt.Errorf("%q: %w", t.key, err)
				}
				if err := t.header.SetAttribute(&t.sets[i].Attribute); err != nil {
					return fmt.Errorf("%q: %w", t.key, err)
				}
			}
		}
		return nil
	})
	a.end = c.w.end
	if err != nil {
		return err
	}

	for _, top := range c.tops {
		if len(top.children)+len(top.attributes) == 0 {
			continue
		}
		t, err := c.changing(ctx, top.key, top.at)
		if err != nil {
			return fmt.Errorf("%q: %w", top.key, err)
		}
		for _, o := range top.children {
			if err := t.header.AddLink(&format.Link{Name: path.Base(o.key), Address: o.at}); err != nil {
				return fmt.Errorf("%q: %w", top.key, err)
			}
		}
		for i := range top.attributes {
			t.late = true
			if err := c.addUsers(ctx, t, top.at, &top.attributes[i]); err != nil {
				return fmt.Errorf("%q: %w", top.key, err)
			}
		}
	}
	return c.count(ctx)
}

// count corrects how many links lead to objects.
func (c *Changer) count(ctx context.Context) error {
	for _, at := range slices.Sorted(maps.Keys(c.counts)) {
		if c.gone[at] {
			continue
		}
		t, err := c.changing(ctx, fmt.Sprintf("address %d", at), at)
		if err != nil {
			return err
		}
		t.header.SetReferences(c.counts[at])
	}
	return nil
}

// headers writes what headers are to lead to, and returns the steps that change these, and the
// patches of them that a reader sees.
func (c *Changer) headers() (steps [][]format.Patch, last []format.Patch, err error) {
	a := c.a
	n := int64(len(c.order))
	through := n > 1 && n*format.SectorSize <= inplace.Sector
	at := int64(0)
	if through {
		at = inplace.Fit(a.allocate(2*inplace.Sector), inplace.Sector)
	}
	slices.SortStableFunc(c.order, func(t, u *changed) int { return rank(t) - rank(u) })

	var before [][]format.Patch
	var after []format.Patch
	for i, t := range c.order {
		var h *format.HeaderChange
		if through {
			h, err = t.header.Through(a.allocate, at+int64(i)*format.SectorSize)
		} else {
			h, err = t.header.Change(a.allocate)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%q: %w", t.key, err)
		}

		for _, p := range h.Fresh {
			if _, err := a.disk.WriteAt(p.Bytes, p.At); err != nil {
				return nil, nil, err
			}
		}
		for j, step := range h.Steps {
			if j == len(h.Steps)-1 {
				last = append(last, step...)
				break
			}
			for len(before) <= j {
				before = append(before, nil)
			}
			before[j] = append(before[j], step...)
		}
		after = append(after, h.After...)
		if h.Cached != nil && t.header.Address() == a.file.format.Root {
			after = append(after, a.grow.SetRootCache(h.Cached)...)
		}
	}

	if through {
		one := last[0]
		for _, p := range last[1:] {
			if one, err = a.joined(one, p); err != nil {
				return nil, nil, err
			}
		}
		last = []format.Patch{one}
	}
	steps = append(steps, before...)
	for _, p := range last {
		steps = append(steps, []format.Patch{p})
	}
	return append(steps, after), append(last, after...), nil
}

// rank returns when an object changes, if not all do at once: scales lose users before these go,
// and get them when they are there.
func rank(t *changed) int {
	if t.late {
		return 1
	}
	return 0
}
