package hdf5

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/internal/format"
)

// Delete deletes a link, and what only it led to: a dataset, a group with all that is in it. Soft
// links and references to that lead nowhere then. Dimension scales of other datasets are refused.
func (c *Changer) Delete(ctx context.Context, key string) error {
	return c.change("", key, func(key string) error {
		if key == "/" {
			return unsupported("deleting the root group")
		}
		if c.has(key) {
			return unsupported("deleting what has been made since the last commit")
		}
		group, err := c.find(ctx, path.Dir(key))
		if err != nil {
			return err
		}
		i, ok := group.named[path.Base(key)]
		if !ok {
			return fmt.Errorf("no %q in the group: %w", path.Base(key), cairn.ErrNotFound)
		}
		if err := c.unlink(ctx, key, &group.links[i]); err != nil {
			return err
		}

		t, err := c.changing(ctx, path.Dir(key), group.header.Address)
		if err != nil {
			return err
		}
		if _, err := t.header.RemoveLink(path.Base(key)); err != nil {
			return err
		}
		c.stage(group, path.Base(key))
		delete(c.w.nodes, key)
		return nil
	})
}

// stage lets a group be without a link.
func (c *Changer) stage(group *object, name string) {
	o := &object{header: group.header, named: map[string]int{}}
	for _, l := range group.links {
		if l.Name != name {
			o.named[l.Name] = len(o.links)
			o.links = append(o.links, l)
		}
	}
	f := c.a.file
	f.mu.Lock()
	defer f.mu.Unlock()
	f.staged[group.header.Address] = o
}

// unlink counts the links that are left if one is deleted.
func (c *Changer) unlink(ctx context.Context, key string, link *format.Link) error {
	if link.Kind != format.Hard {
		return nil
	}
	counts := maps.Clone(c.counts)
	gone := maps.Clone(c.gone)
	fresh, err := c.lost(ctx, link.Address, counts, gone)
	if err != nil {
		return err
	}

	detached, err := c.detached(ctx, fresh, gone)
	if err != nil {
		return err
	}
	for _, scale := range detached {
		if err := c.dropUsers(ctx, scale, gone); err != nil {
			return fmt.Errorf("dimension scale of %q: %w", key, err)
		}
	}

	c.counts = counts
	c.gone = gone
	return nil
}

// lost returns the objects to which nothing leads any more without a link to one.
func (c *Changer) lost(ctx context.Context, at int64, counts map[int64]int64, gone map[int64]bool) ([]*object, error) {
	var fresh []*object
	for todo := []int64{at}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n, known := counts[at]
		if !known {
			var err error
			if n, err = c.a.file.format.In(ctx).References(at); err != nil {
				return nil, err
			}
		}
		counts[at] = n - 1
		if n > 1 || gone[at] {
			continue
		}

		gone[at] = true
		o, err := c.a.file.object(ctx, at)
		if err != nil {
			return nil, err
		}
		fresh = append(fresh, o)
		for _, l := range o.links {
			if l.Kind == format.Hard {
				todo = append(todo, l.Address)
			}
		}
		if int64(len(fresh)) > c.a.file.format.Limits.MaxNodes {
			return nil, fmt.Errorf("more than %d objects (Limits.MaxNodes): %w", len(fresh)-1, cairn.ErrLimit)
		}
	}
	return fresh, ctx.Err()
}

// stored returns an attribute as the file has it, or nil.
func (c *Changer) stored(ctx context.Context, o *object, name string) (*format.Attribute, error) {
	list, err := c.a.file.format.In(ctx).Attributes(o.header)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(a format.Attribute) bool { return a.Name == name })
	if i < 0 {
		return nil, nil
	}
	return &list[i], list[i].Err
}

// isScale reports whether an object is a dimension scale.
func (c *Changer) isScale(ctx context.Context, o *object) (bool, error) {
	if !o.header.IsDataset() {
		return false, nil
	}
	a, err := c.stored(ctx, o, attrClass)
	if a == nil || err != nil {
		return false, err
	}
	text := a.Data
	if a.Type.Class == format.Variable && a.Type.Text && !a.Space.Null && len(text) > 0 {
		heap := &heapReader{file: c.a.file}
		if text, err = heap.text(ctx, text); err != nil {
			return false, err
		}
	}
	return string(trimZeros(text)) == scaleClass, nil
}

func trimZeros(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	return b
}

// scalesOf returns the addresses of the scales that are attached to an object.
func (c *Changer) scalesOf(ctx context.Context, o *object) (all []int64, err error) {
	if !o.header.IsDataset() {
		return nil, nil
	}
	a, err := c.stored(ctx, o, attrScales)
	if a == nil || err != nil {
		return nil, err
	}

	if a.Type.Class != format.Variable || a.Type.Base == nil || !isObject(a.Type.Base) {
		return nil, nil
	}
	heap := &heapReader{file: c.a.file}
	size := int(a.Type.Size)
	for b := a.Data; len(b) >= size; b = b[size:] {
		list, err := heap.object(ctx, c.a.file.format.HeapRef(b), referenceSize)
		if err != nil {
			return nil, err
		}

		for ; len(list) >= referenceSize; list = list[referenceSize:] {
			all = append(all, int64(binary.LittleEndian.Uint64(list)))
		}
	}
	return all, nil
}

// detached returns the addresses of the scales that lose users with objects that go. It fails if a
// scale goes that others have.
func (c *Changer) detached(ctx context.Context, fresh []*object, gone map[int64]bool) (scales []int64, err error) {
	some := false
	for _, o := range fresh {
		isScale, err := c.isScale(ctx, o)
		if err != nil {
			return nil, err
		}

		some = some || isScale
		attached, err := c.scalesOf(ctx, o)
		if err != nil {
			return nil, err
		}
		for _, at := range attached {
			if !gone[at] && at > 0 && !slices.Contains(scales, at) {
				scales = append(scales, at)
			}
		}
	}

	if !some {
		return scales, nil
	}
	return scales, c.unused(ctx, gone)
}

// unused returns an error if a dataset that stays has a scale that goes.
func (c *Changer) unused(ctx context.Context, gone map[int64]bool) error {
	f := c.a.file
	t, err := f.wholeTree(ctx)
	if err != nil {
		return err
	}
	for at, key := range t.at {
		if gone[at.at] {
			continue
		}

		o, err := f.object(ctx, at.at)
		if err != nil {
			return fmt.Errorf("%q: %w", key, err)
		}
		scales, err := c.scalesOf(ctx, o)
		if err != nil {
			return fmt.Errorf("%q: %w", key, err)
		}

		if i := slices.IndexFunc(scales, func(at int64) bool { return gone[at] }); i >= 0 {
			return unsupported("%q is a dimension scale of %q, which has to be deleted before, or with it", t.at[spot{at: scales[i]}],
				key)
		}
	}
	return ctx.Err()
}

// A scaleUse is a dataset that has a scale, and the dimension.
type scaleUse struct {
	at        int64
	dimension uint32
}

// usersOf returns the datasets that a scale lists, and the datatype of the list.
func (c *Changer) usersOf(ctx context.Context, scale int64) ([]scaleUse, *format.Attribute, error) {
	o, err := c.a.file.object(ctx, scale)
	if err != nil {
		return nil, nil, err
	}
	a, err := c.stored(ctx, o, attrUsers)
	if a == nil || err != nil {
		return nil, nil, err
	}
	t := a.Type
	if t.Class != format.Compound || len(t.Members) != 2 || !isObject(t.Members[0].Type) || t.Members[1].Type.Class != format.Fixed ||
		t.Members[1].Type.Size != 4 {
		return nil, nil, unsupported("an attribute %s of %v", attrUsers, t)
	}

	var list []scaleUse
	for b := a.Data; int64(len(b)) >= t.Size; b = b[t.Size:] {
		use := scaleUse{at: int64(binary.LittleEndian.Uint64(b[t.Members[0].Offset:]))}
		use.dimension = binary.LittleEndian.Uint32(b[t.Members[1].Offset:]) // whatever its order is
		list = append(list, use)
	}
	return list, a, nil
}

// setUsers sets the list of users of a scale, which is of the datatype of what it had.
func setUsers(t *changed, list []scaleUse, like *format.Attribute) error {
	if len(list) == 0 {
		_, err := t.header.RemoveAttribute(attrUsers)
		return err
	}
	of := like.Type
	a := &format.Attribute{Name: attrUsers, Type: of, Space: format.Dataspace{Shape: []int64{int64(len(list))}}}
	for _, use := range list {
		item := make([]byte, of.Size)
		binary.LittleEndian.PutUint64(item[of.Members[0].Offset:], uint64(use.at))
		binary.LittleEndian.PutUint32(item[of.Members[1].Offset:], use.dimension)
		a.Data = append(a.Data, item...)
	}
	return t.header.SetAttribute(a)
}

// dropUsers lets a scale be without users that go. The list is that of the file.
func (c *Changer) dropUsers(ctx context.Context, scale int64, gone map[int64]bool) error {
	list, like, err := c.usersOf(ctx, scale)
	if err != nil || like == nil {
		return err
	}
	t, err := c.changing(ctx, "a dimension scale", scale)
	if err != nil {
		return err
	}
	return setUsers(t, slices.DeleteFunc(list, func(use scaleUse) bool { return gone[use.at] }), like)
}

// addUsers adds users, as a new scale lists them, to those of a scale.
func (c *Changer) addUsers(ctx context.Context, t *changed, scale int64, users *newAttribute) error {
	list, like, err := c.usersOf(ctx, scale)
	if err != nil {
		return err
	}
	if like == nil {
		return t.header.SetAttribute(&users.Attribute)
	}
	list = slices.DeleteFunc(list, func(use scaleUse) bool { return c.gone[use.at] })
	swap := like.Type.Members[1].Type.BigEndian
	for b := users.Data; len(b) >= 12; b = b[12:] {
		use := scaleUse{int64(binary.LittleEndian.Uint64(b)), binary.LittleEndian.Uint32(b[8:])}
		if swap {
			use.dimension = binary.BigEndian.Uint32(b[8:])
		}
		list = append(list, use)
	}
	return setUsers(t, list, like)
}
