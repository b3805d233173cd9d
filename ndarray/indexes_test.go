package ndarray

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/golden"
	"github.com/cairn-go/cairn/meta"
)

// indexedArray returns the path of a copy of an array for which python-blosc2 made seven indexes,
// one of them stale.
func indexedArray(t *testing.T) string {
	t.Helper()
	m, err := golden.Load()
	check(t, err)
	c, err := m.Find("indexed.b2nd")
	check(t, err)
	data, err := c.Bytes()
	check(t, err)
	path := filepath.Join(t.TempDir(), "a.b2nd")
	check(t, os.WriteFile(path, data, 0o644))
	return path
}

// staleIndexes counts the indexes of an array in a file, and those that are marked as stale.
func staleIndexes(t *testing.T, path string) (stale, all int) {
	t.Helper()
	f, err := frame.Open(path, nil)
	check(t, err)
	defer f.Close()
	return staleIn(t, f)
}

func staleIn(t *testing.T, f *frame.Frame) (stale, all int) {
	t.Helper()
	if other, err := f.VL("other"); err != nil || string(other) != "\xa5stays" {
		t.Errorf("another metalayer: %q, %v", other, err)
	}
	raw, err := f.VL("blosc2_indexes")
	if errors.Is(err, cairn.ErrNotFound) {
		return 0, 0
	}
	check(t, err)
	v, err := meta.Unpack(raw)
	check(t, err)
	indexes, _ := v.(meta.Map).Get("indexes")
	for _, p := range indexes.(meta.Map) {
		if mark, _ := p.Value.(meta.Map).Get("stale"); mark == true {
			stale++
		}
		all++
	}
	return stale, all
}

// TestChangesMarkIndexes makes each kind of change of items or shape.
func TestChangesMarkIndexes(t *testing.T) {
	ctx := t.Context()
	item := bytes.Repeat([]byte{1}, 28)
	items := func(n int) []byte { return bytes.Repeat(item, n) }
	for what, change := range map[string]func(u *Untyped) error{
		"write":         func(u *Untyped) error { return u.WriteBox(ctx, items(3), Shape{5}, Shape{8}) },
		"write a chunk": func(u *Untyped) error { return u.WriteBox(ctx, items(50), Shape{50}, Shape{100}) },
		"fill":          func(u *Untyped) error { return u.Fill(ctx, item) },
		"append":        func(u *Untyped) error { return u.Append(ctx, 0, items(2)) },
		"mask": func(u *Untyped) error {
			mask := make([]bool, 200)
			mask[3] = true
			return u.FillWhere(ctx, item, Items(mask, u.Shape()))
		},
		"points": func(u *Untyped) error { return u.WritePoints(ctx, item, []int64{7}) },
		"field": func(u *Untyped) error {
			v, err := ViewAs[int32](u.Field("c"))
			if err != nil {
				return err
			}
			return v.Set(1, 5)
		},
		"together": func(u *Untyped) error {
			return u.Atomically(ctx, func() error { return u.Fill(ctx, item) })
		},
		"a chunk":   func(u *Untyped) error { return u.Frame().Update(ctx, 1, items(50)) },
		"the order": func(u *Untyped) error { return u.Frame().Reorder(ctx, []int{1, 0, 2, 3}) },
		"the shape": func(u *Untyped) error {
			raw, err := u.Frame().Layer(meta.LayerB2ND)
			if err != nil {
				return err
			}
			raw = bytes.Clone(raw)
			raw[11]-- // of 200 items
			return u.Frame().SetMeta(meta.LayerB2ND, raw)
		},
		"grow":   func(u *Untyped) error { return u.Resize(ctx, Shape{201}, nil) },
		"shrink": func(u *Untyped) error { return u.Resize(ctx, Shape{199}, nil) },
		"shrink and grow": func(u *Untyped) error {
			return errors.Join(u.Resize(ctx, Shape{150}, nil), u.Resize(ctx, Shape{200}, nil))
		},
		"insert": func(u *Untyped) error { return u.Insert(ctx, 0, 50, items(50)) },
		"delete": func(u *Untyped) error { return u.Delete(ctx, 0, 50, 100) },
	} {
		path := indexedArray(t)
		u, err := Open(path, &OpenOptions{Mode: ReadWrite})
		check(t, err)
		before, err := u.Frame().Bytes()
		check(t, err)
		if err := change(u); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if f, err := frame.FromBytes(before, nil); err != nil {
			t.Error(err)
		} else if stale, all := staleIn(t, f); stale != 1 || all != 7 {
			t.Errorf("%s: before it %d of %d indexes are stale", what, stale, all)
		}
		staged, err := u.Bytes()
		check(t, err)
		f, err := frame.FromBytes(staged, nil)
		check(t, err)
		if stale, all := staleIn(t, f); stale != 7 || all != 7 {
			t.Errorf("%s: staged %d of %d indexes are stale", what, stale, all)
		}
		check(t, u.Close())
		if stale, all := staleIndexes(t, path); stale != 7 || all != 7 {
			t.Errorf("%s: %d of %d indexes are stale", what, stale, all)
		}
	}
}

// TestIndexesSurviveOtherChanges makes each kind of change that keeps items and shape.
func TestIndexesSurviveOtherChanges(t *testing.T) {
	ctx := t.Context()
	item := bytes.Repeat([]byte{1}, 28)
	for what, change := range map[string]func(u *Untyped) error{
		"nothing":     func(u *Untyped) error { return u.Commit(ctx) },
		"a metalayer": func(u *Untyped) error { return u.Frame().SetMeta("units", []byte("m")) },
		"metadata":    func(u *Untyped) error { return u.Frame().SetVL("units", []byte("m")) },
		"no metadata": func(u *Untyped) error { return u.Frame().DeleteVL("_blosc2_query_cache") },
		"compacted":   func(u *Untyped) error { _, err := u.Compact(ctx); return err },
		"checksums":   func(u *Untyped) error { return u.Frame().Adopt(ctx) },
		"taken back": func(u *Untyped) error {
			return errors.Join(u.Fill(ctx, item), u.Rollback(), u.Frame().SetVL("x", nil))
		},
		"failed": func(u *Untyped) error {
			reason := errors.New("a reason")
			err := u.Atomically(ctx, func() error { return errors.Join(u.Fill(ctx, item), reason) })
			if !errors.Is(err, reason) {
				return err
			}
			return u.Frame().SetVL("x", nil)
		},
	} {
		path := indexedArray(t)
		u, err := Open(path, &OpenOptions{Mode: ReadWrite})
		check(t, err)
		check(t, change(u), u.Commit(ctx), u.Close())
		if stale, all := staleIndexes(t, path); stale != 1 || all != 7 {
			t.Errorf("%s: %d of %d indexes are stale", what, stale, all)
		}
	}
}

// TestEveryCommitMarksIndexes changes items again after the indexes were rebuilt.
func TestEveryCommitMarksIndexes(t *testing.T) {
	path := indexedArray(t)
	fresh, err := frame.Open(path, nil)
	check(t, err)
	raw, err := fresh.VL("blosc2_indexes")
	check(t, err, fresh.Close())
	item := bytes.Repeat([]byte{1}, 28)
	u, err := Open(path, &OpenOptions{Mode: ReadWrite})
	check(t, err)
	check(t, u.Fill(t.Context(), item), u.Commit(t.Context()))
	check(t, u.Frame().SetVL("blosc2_indexes", raw), u.Commit(t.Context()))
	if stale, all := staleIndexes(t, path); stale != 1 || all != 7 {
		t.Errorf("made anew, %d of %d indexes are stale", stale, all)
	}
	check(t, u.WriteBox(t.Context(), item, Shape{1}, Shape{2}), u.Close())
	if stale, all := staleIndexes(t, path); stale != 7 || all != 7 {
		t.Errorf("%d of %d indexes are stale", stale, all)
	}
}

// TestCopiesHaveNoIndexes makes copies, which do not have the index files beside them.
func TestCopiesHaveNoIndexes(t *testing.T) {
	path := indexedArray(t)
	u, err := Open(path, nil)
	check(t, err)
	defer u.Close()
	dir := t.TempDir()
	_, err = Salvage(t.Context(), path, filepath.Join(dir, "salvaged.b2nd"), nil)
	check(t, err)
	again := &CopyOptions{ChunkShape: Shape{20}, BlockShape: Shape{5}}
	check(t, u.Save(t.Context(), filepath.Join(dir, "copy.b2nd"), nil),
		u.Save(t.Context(), filepath.Join(dir, "again.b2nd"), again),
		frame.Copy(t.Context(), filepath.Join(dir, "frame.b2nd"), u.Frame().Snapshot(), nil))
	for _, name := range []string{"copy.b2nd", "again.b2nd", "frame.b2nd", "salvaged.b2nd"} {
		f, err := frame.Open(filepath.Join(dir, name), nil)
		check(t, err)
		if names := f.VLNames(); len(names) != 1 || names[0] != "other" {
			t.Errorf("%s has %q", name, names)
		}
		check(t, f.Close())
	}
	if stale, all := staleIndexes(t, path); stale != 1 || all != 7 {
		t.Errorf("of what was copied %d of %d indexes are stale", stale, all)
	}
}
