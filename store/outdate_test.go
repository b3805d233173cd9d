package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/derived"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// The tables of indexed.b2z and whole-indexed.b2z have indexes of a, b, d, l, double and more, and
// of an expression. double is generated from a, and more from double and b. For a table in a group
// python-blosc2 does not record these dependencies.

// indexedTables returns copies of the stores, as archives and as directories, and the keys of the
// tables in them.
func indexedTables(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	tables := map[string]string{}
	for name, key := range map[string]string{"indexed": "/g/table", "whole-indexed": "/"} {
		for _, ext := range []string{".b2z", ".b2d"} {
			path := filepath.Join(dir, name+ext)
			if tables[path] = key; ext == ".b2z" {
				copyFile(t, "testdata/"+name+".b2z", path)
			} else {
				writeTree(t, path, unpackedFiles(t, "testdata/"+name+".b2z"))
			}
		}
	}
	return tables
}

// tableState returns how Python interprets the manifest of a table: "fresh" or "stale" indexes, the
// epochs, the number of rows and the stale generated columns.
func tableState(s *Store, table string) (string, error) {
	f, err := s.Frame(leafIn(table, "_meta"))
	if err != nil {
		return "", err
	}
	defer f.Close()
	values := [4]any{nil, int64(0), int64(0), nil}
	for i, name := range []string{"index_catalog", "value_epoch", "visibility_epoch", "schema"} {
		raw, err := f.VL(name)
		if err == nil {
			values[i], err = meta.Unpack(raw)
		}
		if err != nil && !errors.Is(err, cairn.ErrNotFound) {
			return "", err
		}
	}
	fresh, stale := 0, 0
	for _, p := range values[0].(meta.Map) {
		if mark, _ := p.Value.(meta.Map).Get("stale"); mark == true {
			stale++
		} else {
			fresh++
		}
	}
	var text struct {
		Rows      any `json:"n_rows"`
		Generated []struct {
			Name  string
			Stale bool
		} `json:"materialized_columns"`
	}
	if err := json.Unmarshal(derived.WithoutNaN(values[3].(string), asNull), &text); err != nil {
		return "", err
	}
	var names []string
	for _, g := range text.Generated {
		if g.Stale {
			names = append(names, g.Name)
		}
	}
	return fmt.Sprintf("%d fresh, %d stale, epochs %v %v, %v rows, stale %v",
		fresh, stale, values[1], values[2], text.Rows, names), nil
}

// leafIn returns the key of a part of a table.
func leafIn(table, part string) string { return strings.TrimSuffix(table, "/") + "/" + part }

func stateOf(t *testing.T, path, table string) string {
	t.Helper()
	s, err := Open(path, nil)
	check(t, err)
	defer s.Close()
	state, err := tableState(s, table)
	check(t, err)
	return state
}

// changeLeafOf changes an array of a store, or another frame.
func changeLeafOf(ctx context.Context, e *Editor, key string) error {
	kind, err := e.Kind(key)
	if err != nil {
		return err
	}
	if kind.hasItems() {
		return e.Change(ctx, key, func(u *ndarray.Untyped) error {
			return u.Fill(ctx, make([]byte, u.TypeSize()))
		})
	}
	return e.ChangeFrame(ctx, key, func(f *frame.Frame) error { return f.Reorder(ctx, []int{0}) })
}

// TestChangedColumnsOutdateTheirTable changes each part of tables that python-blosc2 has indexed.
func TestChangedColumnsOutdateTheirTable(t *testing.T) {
	ctx := t.Context()
	for part, want := range map[string]string{
		"_cols/a":      "50 rows, stale [double more]",
		"_cols/b":      "50 rows, stale [more]",
		"_cols/d":      "50 rows, stale []",
		"_cols/d_dict": "50 rows, stale []",
		"_cols/l":      "50 rows, stale []",
		"_cols/double": "50 rows, stale [more]",
		"_cols/more":   "50 rows, stale []",
		"_valid_rows":  "<nil> rows, stale []",
	} {
		for path, table := range indexedTables(t) {
			var fresh, epoch int
			before := stateOf(t, path, table)
			if n, _ := fmt.Sscanf(before, "%d fresh, 0 stale, epochs %d", &fresh, &epoch); n != 2 {
				t.Fatalf("%s: %s", path, before)
			}
			e, err := Edit(path, nil)
			check(t, err)
			check(t, changeLeafOf(ctx, e, leafIn(table, part)), e.Close())
			visible := 0
			if part == "_valid_rows" {
				visible = 1
			}
			want := fmt.Sprintf("0 fresh, %d stale, epochs %d %d, %s", fresh, epoch+1, visible, want)
			if table != "/" {
				want = want[:strings.Index(want, "[")] + "[]"
			}
			if got := stateOf(t, path, table); got != want {
				t.Errorf("%s: %s: %s\nwant %s", path, part, got, want)
			}
		}
	}
}

// zeroColumn writes zeros to the array in a file.
func zeroColumn(ctx context.Context, path string) error {
	u, err := ndarray.Open(path, &ndarray.OpenOptions{Mode: ndarray.ReadWrite})
	if err != nil {
		return err
	}
	return errors.Join(u.Fill(ctx, 0), u.Close())
}

// columnChanges are ways to change a column other than through its table.
func columnChanges(t *testing.T) map[string]func(path, table string) error {
	ctx := t.Context()
	return map[string]func(path, table string) error{
		"open array": func(path, table string) error {
			e, err := Edit(path, nil)
			if err != nil {
				return err
			}
			u, err := openArray(e, leafIn(table, "_cols/a"))
			if err == nil {
				err = errors.Join(u.Fill(ctx, 0), u.Close())
			}
			return errors.Join(err, e.Close())
		},
		"a path": func(path, table string) error {
			return zeroColumn(ctx, filepath.Join(path, table, "_cols", "a.b2nd"))
		},
		"a path from within": func(path, table string) error {
			home, err := os.Getwd()
			if err == nil {
				err = os.Chdir(filepath.Join(path, table, "_cols"))
			}
			if err != nil {
				return err
			}
			return errors.Join(zeroColumn(ctx, "a.b2nd"), os.Chdir(home))
		},
		"a link": func(path, table string) error {
			link := filepath.Join(t.TempDir(), "x")
			if err := os.Symlink(filepath.Join(path, table, "_cols"), link); err != nil {
				return err
			}
			return zeroColumn(ctx, filepath.Join(link, "a.b2nd"))
		},
		"another file": func(path, table string) error {
			a := numbers(t, 1, 2, 3)
			defer a.Close()
			return a.Save(ctx, filepath.Join(path, table, "_cols", "a.b2nd"), &ndarray.CopyOptions{Overwrite: true})
		},
		"columns at the same time": func(path, table string) error {
			var wg sync.WaitGroup
			var errs [4]error
			for i, name := range []string{"a", "b", "double", "more"} {
				wg.Go(func() { errs[i] = zeroColumn(ctx, filepath.Join(path, table, "_cols", name+".b2nd")) })
			}
			wg.Wait()
			return errors.Join(errs[:]...)
		},
	}
}

// TestColumnsOpenedOtherwiseOutdateTheirTable changes a column by other means than Change.
func TestColumnsOpenedOtherwiseOutdateTheirTable(t *testing.T) {
	for what, change := range columnChanges(t) {
		t.Run(what, func(t *testing.T) {
			for path, table := range indexedTables(t) {
				if !strings.HasSuffix(path, ".b2d") {
					continue
				}
				check(t, change(path, table))
				got := stateOf(t, path, table)
				if !strings.HasPrefix(got, "0 fresh") ||
					table == "/" && !strings.HasSuffix(got, "stale [double more]") {
					t.Errorf("%s: %s", path, got)
				}
			}
		})
	}
}

// TestTablesStayFresh changes parts on which no index depends, and copies tables with their index
// files.
func TestTablesStayFresh(t *testing.T) {
	ctx := t.Context()
	for path, table := range indexedTables(t) {
		before := stateOf(t, path, table)
		copied := filepath.Join(t.TempDir(), "copy.b2d")
		s, err := Open(path, nil)
		check(t, err)
		check(t, s.Copy(ctx, copied, nil), s.Close())
		if got := stateOf(t, copied, table); got != before {
			t.Errorf("the copy of %s: %s, was %s", path, got, before)
		}
		e, err := Edit(copied, nil)
		check(t, err)
		check(t, e.Change(ctx, leafIn(table, "_cols/a"), func(u *ndarray.Untyped) error {
			return u.Frame().SetVL("units", []byte("\xa1m"))
		}), e.Close())
		if got := stateOf(t, copied, table); got != before {
			t.Errorf("%s: after a change of metadata: %s, was %s", path, got, before)
		}
	}
}

// TestTablesAreOutdatedBeforeTheirColumns checks what crashes leave during the change of a column:
// it must be unchanged, or its table must be marked as stale.
func TestTablesAreOutdatedBeforeTheirColumns(t *testing.T) {
	ctx := t.Context()
	for path, table := range indexedTables(t) {
		r, from, err := storagetest.Resume(inMemory(t, path))
		check(t, err)
		name := filepath.Base(path)
		state := func(fsys storage.FS) (leaf string, indexes string, err error) {
			s, err := Open(name, &OpenOptions{FS: fsys, Workers: 1})
			if err != nil {
				return "", "", err
			}
			defer s.Close()
			f, err := s.Frame(leafIn(table, "_cols/a"))
			if err != nil {
				return "", "", err
			}
			defer f.Close()
			if leaf, err = textOf(f); err == nil {
				indexes, err = tableState(s, table)
			}
			return leaf, indexes, err
		}
		before, fresh, err := state(r)
		check(t, err)
		check(t, editStore(r, name, func(e *Editor) error {
			return changeLeafOf(ctx, e, leafIn(table, "_cols/a"))
		}))
		after, stale, err := state(r)
		check(t, err)
		if before == after || fresh == stale {
			t.Fatalf("%s: nothing changes: %s", path, stale)
		}
		log := storagetest.NewLog(r.Ops())
		seen := map[string]int{}
		sweep := storagetest.Sweep{Seed: 1, Subsets: 4, Samples: 4, Durable: from}
		for c := range log.Crashes(sweep, from, r.Len()) {
			leaf, indexes, err := state(log.Image(c))
			if err != nil || leaf != before && leaf != after || indexes != fresh && indexes != stale {
				t.Fatalf("%s: crash %v: %v, %s\n%s", path, c, err, indexes, log.Describe(c))
			}
			if leaf == after && indexes != stale {
				t.Fatalf("%s: crash %v: the column changed, its indexes are: %s\n%s",
					path, c, indexes, log.Describe(c))
			}
			seen[fmt.Sprint(leaf == after, indexes == stale)]++
		}
		if strings.HasSuffix(path, ".b2d") && len(seen) != 3 {
			t.Errorf("%s: not every state was seen: %v", path, slices.Collect(maps.Keys(seen)))
		}
	}
}
