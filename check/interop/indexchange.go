package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
)

// The changes by cairn in index programs. They move and repeat items, so that queries find other
// numbers of them without knowing their values.

// changeArray makes one or two changes of the array, or replaces it by a copy.
func (c *indexProgram) changeArray(ctx context.Context) (what string, err error) {
	if c.rng.IntN(8) == 0 {
		u, err := ndarray.Open(c.command.Path, nil)
		if err != nil {
			return "copy", err
		}
		c.copies++
		to := filepath.Join(c.work(), fmt.Sprintf("copy%d.b2nd", c.copies))
		err = errors.Join(u.Save(ctx, to, nil), u.Close())
		c.command.Path = to
		return "copy", err
	}

	o := &ndarray.OpenOptions{Mode: ndarray.ReadWrite}
	if c.rng.IntN(3) == 0 {
		o.WriteBehind = 1 << 20
	}
	u, err := ndarray.Open(c.command.Path, o)
	if err != nil {
		return "open", err
	}

	back := c.marks(u.Frame())
	var done []string
	for range 1 + c.rng.IntN(2) {
		one, changeErr := c.changeItems(ctx, u)
		done = append(done, one)
		if err = changeErr; err != nil {
			break
		}
		if c.rng.IntN(3) == 0 {
			err = u.Commit(ctx)
		}
	}

	err = errors.Join(err, u.Commit(ctx), back(), u.Close())
	return strings.Join(done, ", "), err
}

// marks records the metalayers about indexes, and returns a function that restores them if this is
// a control.
func (c *indexProgram) marks(f *frame.Frame) func() error {
	raw, err := f.VL("blosc2_indexes")
	if err != nil || !c.control {
		return func() error { return nil }
	}
	return func() error { return f.SetVL("blosc2_indexes", raw) }
}

// changeItems changes the items of an array of one dimension, its length or its metadata.
func (c *indexProgram) changeItems(ctx context.Context, u *ndarray.Untyped) (string, error) {
	n := u.Shape()[0]
	item := make([]byte, u.TypeSize())
	if n > 0 {
		at := c.rng.Int64N(n)
		if err := u.ReadBytes(ctx, item, []int64{at}, []int64{at + 1}); err != nil {
			return "read", err
		}
	}

	more := bytes.Repeat(item, 1+c.rng.IntN(30))
	count := int64(len(more) / len(item))
	switch what := c.rng.IntN(11); {
	case what == 0:
		return note, u.Frame().SetVL("note", []byte{byte(c.rng.IntN(100))})
	case what == 1:
		return "append", u.Append(ctx, 0, more)
	case what == 2:
		return "grow", u.Resize(ctx, ndarray.Shape{n + count}, &ndarray.ResizeOptions{Fill: item})
	case what == 3 && n > 1:
		to := 1 + c.rng.Int64N(n)
		return "shrink and grow", errors.Join(u.Resize(ctx, ndarray.Shape{to}, nil),
			u.Resize(ctx, ndarray.Shape{n}, &ndarray.ResizeOptions{Fill: item}))
	case what == 4 && n > 1:
		return "shrink", u.Resize(ctx, ndarray.Shape{1 + c.rng.Int64N(n)}, nil)
	case what == 5 && n > 0 && u.Frame().NumChunks() > 1:
		order := c.rng.Perm(u.Frame().NumChunks() - 1) // the last chunk may be padded
		return "reorder", u.Frame().Reorder(ctx, append(order, len(order)))
	case what == 6 && n > 0:
		from := c.rng.Int64N(n)
		return "fill", u.Fill(ctx, item, ndarray.Range(from, from+1+c.rng.Int64N(n-from)))
	case what == 7:
		return "insert", u.Insert(ctx, 0, c.rng.Int64N(n+1), more)
	case what == 8 && n > 1:
		from := c.rng.Int64N(n - 1)
		return "delete", u.Delete(ctx, 0, from, from+1)
	case n > 0:
		return "move", c.moveItems(ctx, u, n)
	}
	return "append", u.Append(ctx, 0, more)
}

// moveItems overwrites some items by others.
func (c *indexProgram) moveItems(ctx context.Context, u *ndarray.Untyped, n int64) error {
	count := 1 + c.rng.Int64N(n)
	from := c.rng.Int64N(n - count + 1)
	to := c.rng.Int64N(n - count + 1)
	if from == to {
		count = 1
		from = 0
		to = n - 1
	}
	some := make([]byte, count*int64(u.TypeSize()))
	if err := u.ReadBytes(ctx, some, []int64{from}, []int64{from + count}); err != nil {
		return err
	}
	return u.WriteBox(ctx, some, []int64{to}, []int64{to + count})
}

// Changes that do not change data.
const (
	note        = "note"
	copyOfTable = "copy of a table"
)

// changeTable changes a column or the rows of the table, or replaces it by a copy.
func (c *indexProgram) changeTable(ctx context.Context) (string, error) {
	if c.rng.IntN(6) == 0 {
		return copyOfTable, c.copyTable(ctx)
	}

	e, err := store.Edit(c.command.Path, nil)
	if err != nil {
		return "edit", err
	}
	back, err := c.tableMarks(e)
	if err != nil {
		return "edit", errors.Join(err, e.Abort())
	}

	what := "delete rows"
	change := c.deleteRows
	switch c.rng.IntN(4) {
	case 0, 1:
		what = "column"
		change = c.changeColumn
	case 2:
		what = "append rows"
		change = c.appendRows
	}

	if err = change(ctx, e); err != nil {
		return what, errors.Join(err, e.Abort())
	}

	if err = back(); err != nil {
		return what, errors.Join(err, e.Abort())
	}
	return what, e.Close()
}

func (c *indexProgram) leaf(part string) string {
	return strings.TrimSuffix(c.command.Key, "/") + "/" + part
}

// tableMarks is marks for the manifest of the table.
func (c *indexProgram) tableMarks(e *store.Editor) (func() error, error) {
	if !c.control {
		return func() error { return nil }, nil
	}

	f, err := e.Frame(c.leaf("_meta"))
	if err != nil {
		return nil, err
	}
	layers, err := f.VLLayers()
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}

	return func() error {
		return e.ChangeFrame(context.Background(), c.leaf("_meta"), func(f *frame.Frame) error {
			var errs []error
			for _, l := range layers {
				errs = append(errs, f.SetVL(l.Name, l.Content))
			}
			return errors.Join(errs...)
		})
	}, nil
}

func (c *indexProgram) copyTable(ctx context.Context) error {
	s, err := store.Open(c.command.Path, nil)
	if err != nil {
		return err
	}
	c.copies++
	ext := ".b2d"
	if c.rng.IntN(2) == 0 && !onlyInDirectories(s) {
		ext = ".b2z"
	}
	to := filepath.Join(c.work(), fmt.Sprintf("copy%d%s", c.copies, ext))
	if c.rng.IntN(2) == 0 {
		err = c.moveTable(ctx, s, to)
	} else {
		err = s.Copy(ctx, to, nil)
	}
	c.command.Path = to
	return errors.Join(err, s.Close())
}

// moveTable copies the table into a new store, under another key.
func (c *indexProgram) moveTable(ctx context.Context, s *store.Store, to string) error {
	e, err := store.Create(to, nil)
	if err != nil {
		return err
	}

	key := fmt.Sprintf("/copies/of/t%d", c.copies)
	err = e.PutAll(ctx, func(b *store.Bundle) error {
		for l := range s.Leaves() {
			name, ok := strings.CutPrefix(l.Key, c.leaf(""))
			if !ok {
				continue
			}
			err := b.PutFunc(key+"/"+name, func(fsys storage.FS, path string) error {
				f, err := s.Frame(l.Key)
				if err != nil {
					return err
				}
				return errors.Join(frame.Copy(ctx, path, f.Snapshot(), &frame.CopyOptions{FS: fsys}), f.Close())
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	c.command.Key = key
	if err != nil {
		return errors.Join(err, e.Abort())
	}
	return e.Close()
}

// onlyInDirectories reports whether a store has indexes with files of their own. The real library
// does not find these in archives, even in its own.
func onlyInDirectories(s *store.Store) bool {
	for l := range s.Leaves() {
		index := strings.Contains(l.Key, "/_indexes/")
		if index && (strings.Contains(l.Key, "partial.") || strings.Contains(l.Key, "membership")) {
			return true
		}
	}
	return false
}

// changeColumn moves items of a column, which it opens in one of several ways.
func (c *indexProgram) changeColumn(ctx context.Context, e *store.Editor) error {
	key := c.leaf("_cols/" + []string{"a", "b"}[c.rng.IntN(2)])
	change := func(u *ndarray.Untyped) error { return c.moveItems(ctx, u, u.Shape()[0]) }
	way := c.rng.IntN(3)
	if filepath.Ext(c.command.Path) != ".b2d" {
		way = 0
	}

	var u *ndarray.Untyped
	var err error
	switch way {
	case 0:
		return e.Change(ctx, key, change)
	case 1:
		var name string
		o := ndarray.OpenOptions{Mode: ndarray.ReadWrite}
		if name, o.FS, err = e.Place(key); err == nil {
			u, err = ndarray.Open(name, &o)
		}
	default:
		name := filepath.Join(c.command.Path, filepath.FromSlash(key)+".b2nd")
		u, err = ndarray.Open(name, &ndarray.OpenOptions{Mode: ndarray.ReadWrite})
	}

	if err != nil {
		return err
	}
	if err := change(u); err != nil {
		return errors.Join(err, u.Abort())
	}
	return u.Close()
}

// deleteRows hides rows of the table, or shows deleted ones again.
func (c *indexProgram) deleteRows(ctx context.Context, e *store.Editor) error {
	return e.Change(ctx, c.leaf("_valid_rows"), func(u *ndarray.Untyped) error {
		return c.moveItems(ctx, u, u.Shape()[0])
	})
}

// appendRows makes the columns longer, if all of them have an item per row.
func (c *indexProgram) appendRows(ctx context.Context, e *store.Editor) error {
	for _, part := range []string{"_cols/u", "_cols/l", "_cols/d", "_cols/double"} {
		if _, err := e.Leaf(c.leaf(part)); err == nil {
			return c.changeColumn(ctx, e)
		}
	}

	parts := []string{"_cols/a", "_cols/b", "_valid_rows"}
	if _, err := e.Leaf(c.leaf("_cols/s")); err == nil {
		parts = append([]string{"_cols/s"}, parts...)
	}

	var rows int64
	for _, part := range parts {
		u, err := e.Array(context.Background(), c.leaf(part))
		if err != nil {
			return err
		}
		rows = max(rows, u.Shape()[0])
		if err := u.Close(); err != nil {
			return err
		}
	}

	more := 1 + c.rng.IntN(20)
	for _, part := range parts {
		err := e.Change(ctx, c.leaf(part), func(u *ndarray.Untyped) error {
			item := make([]byte, u.TypeSize())
			if part == "_valid_rows" {
				item[0] = 1
			} else if err := u.ReadBytes(ctx, item, []int64{0}, []int64{1}); err != nil {
				return err
			}
			if err := u.Resize(ctx, ndarray.Shape{rows}, nil); err != nil {
				return err
			}
			return u.Append(ctx, 0, bytes.Repeat(item, more))
		})
		if err != nil {
			return err
		}
	}
	return nil
}
