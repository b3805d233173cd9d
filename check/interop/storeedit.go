package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
)

// A storeEdit is a change of a tree of arrays.
type storeEdit struct {
	Key string `json:"key"`
	// "set", "delete", "write" the first items in place, or "note" an attribute
	Do     string `json:"do"`
	Data   []byte `json:"data"` // for set and write
	Name   string `json:"name"` // for note
	Value  string `json:"value"`
	Before bool   `json:"before"` // the leaf existed before
}

type editCommand struct {
	Op    string      `json:"op"`
	Path  string      `json:"path"`
	Tree  bool        `json:"tree"`
	Edits []storeEdit `json:"edits"`
}

// apply applies an edit to the model.
func (c *storeCase) apply(e *storeEdit) {
	switch e.Do {
	case "note":
		if c.attributes[e.Key] == nil {
			c.attributes[e.Key] = map[string]string{}
		}
		c.attributes[e.Key][e.Name] = e.Value
	case "delete":
		delete(c.leaves, e.Key)
	case "write":
		if isBytes(e.Key) {
			e.Do = "set"
			e.Data = c.drawData()
			c.leaves[e.Key] = e.Data
			return
		}

		all := slices.Clone(c.leaves[e.Key])
		e.Data = c.drawData()
		e.Data = e.Data[:min(len(e.Data), len(all))]
		copy(all, e.Data)
		c.leaves[e.Key] = all
	default:
		e.Data = c.drawData()
		c.leaves[e.Key] = e.Data
	}
}

// editOurs lets cairn apply edits.
func (c *storeCase) editOurs(edits []storeEdit) error {
	e, err := store.Edit(c.path, nil)
	if err != nil {
		return err
	}
	for i := range edits {
		if err := c.editOne(e, &edits[i]); err != nil {
			return errors.Join(fmt.Errorf("%s %s: %w", edits[i].Do, edits[i].Key, err), e.Abort())
		}
	}
	return e.Close()
}

func (c *storeCase) editOne(e *store.Editor, step *storeEdit) error {
	ctx := context.Background()
	switch step.Do {
	case "note":
		return e.SetAttribute(ctx, step.Key, step.Name, step.Value)
	case "delete":
		return e.Delete(ctx, step.Key)
	case "write":
		return e.Change(ctx, step.Key, func(u *ndarray.Untyped) error {
			return u.WriteBox(ctx, step.Data, []int64{0}, []int64{int64(len(step.Data) / 4)})
		})
	}

	if isBytes(step.Key) {
		return putBytes(ctx, e, step.Key, step.Data)
	}

	u, err := ndarray.NewUntyped("<i4", ndarray.Shape{int64(len(step.Data) / 4)}, nil)
	if err != nil {
		return err
	}
	defer u.Close()
	if err := u.Write(ctx, step.Data); err != nil {
		return err
	}
	return e.Put(ctx, step.Key, u, nil)
}

// edit lets one of the two sides change the tree.
func (c *storeCase) edit(p *peer) error {
	// Draw changes and apply them to the model.
	var edits []storeEdit
	for i := range 1 + c.rng.IntN(4) {
		keys := slices.Sorted(maps.Keys(c.leaves))
		e := storeEdit{Key: fmt.Sprintf("/edit%d/leaf%d", c.rng.IntN(2), i), Do: "set"}
		// the last leaf stays: trees without leaves are not tested here
		if c.rng.IntN(3) > 0 && len(keys) > 1 {
			e.Key = keys[c.rng.IntN(len(keys))]
			e.Do = []string{"set", "delete", "write"}[c.rng.IntN(3)]
		} else if c.tree && c.rng.IntN(3) == 0 {
			e = storeEdit{Key: "/", Do: "note", Name: "edited", Value: fmt.Sprint("n", c.rng.IntN(100))}
		}
		e.Before = c.leaves[e.Key] != nil
		c.apply(&e)
		edits = append(edits, e)
	}

	if c.rng.IntN(2) == 0 {
		if err := c.editOurs(edits); err != nil {
			return fmt.Errorf("cairn edits: %w", err)
		}
		return nil
	}
	if err := p.Call(editCommand{Op: "edit_store", Path: c.path, Tree: c.tree, Edits: edits}, &struct{}{}); err != nil {
		return fmt.Errorf("the real library edits: %w", err)
	}
	return nil
}

// copyTree lets cairn copy the tree to another form, and continues with the copy.
func (c *storeCase) copyTree(path string) error {
	s, err := store.Open(c.path, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	if kind, err := s.Kind("/"); err != nil || kind != store.EmbedStore && c.embedded() {
		return fmt.Errorf("%s is a %s, %v: %w", c.path, kind, err, cairn.ErrType)
	}
	c.path = path
	return s.Copy(context.Background(), path, nil)
}

// putBytes adds a frame of one chunk as a leaf.
func putBytes(ctx context.Context, e *store.Editor, key string, data []byte) error {
	f, err := frame.New(&frame.Options{TypeSize: 1})
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Append(ctx, data); err != nil {
		return err
	}

	return e.PutFunc(ctx, key, func(fsys storage.FS, path string) error {
		return frame.Copy(ctx, path, f.Snapshot(), &frame.CopyOptions{FS: fsys, Sparse: new(false)})
	})
}
