package hdf5

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// TestChangedScalesListTheirUsers adds datasets to a scale of the file, and deletes some.
func TestChangedScalesListTheirUsers(t *testing.T) {
	fsys := storage.NewMemory()
	w, err := Create("a.h5", &CreateOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	src := held(t, make([]int16, 3), ndarray.Shape{3})
	if err := w.Put(t.Context(), "/x", src, &DatasetOptions{Scale: "x"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Put(t.Context(), "/g/a", src, &DatasetOptions{Scales: []string{"/x"}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	c, err := Change("a.h5", &AppendOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Put(t.Context(), "/g/b", src, &DatasetOptions{Scales: []string{"/x"}}); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), "/x"); err == nil {
		t.Error("the scale of a dataset is deleted")
	}
	if err := c.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	users := func() (keys []any) {
		a, ok, err := c.File().Attribute(t.Context(), "/x", attrUsers)
		if err != nil || a.Err != nil {
			t.Fatal(err, a.Err)
		}
		if !ok {
			return nil
		}
		for _, v := range a.Value.([]any) {
			keys = append(keys, mapOf(t, v)["dataset"])
		}
		return keys
	}
	if got := users(); len(got) != 2 || got[0] != "/g/a" || got[1] != "/g/b" {
		t.Errorf("users %v", got)
	}
	if err := c.Delete(t.Context(), "/g/a"); err != nil {
		t.Fatal(err)
	}
	if err := c.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := users(); len(got) != 1 || got[0] != "/g/b" {
		t.Errorf("users %v", got)
	}
	if err := c.Delete(t.Context(), "/g"); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), "/x"); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// mapOf returns a value of a compound.
func mapOf(t *testing.T, v any) map[string]any {
	t.Helper()
	made := map[string]any{}
	for _, p := range v.(meta.Map) {
		made[p.Key.(string)] = p.Value
	}
	return made
}

// contentOf returns all that a file has as text: links, attributes and the bytes of datasets.
func contentOf(ctx context.Context, f *File) (text string, err error) {
	keys, err := keysOf(ctx, f)
	if err != nil {
		return "", err
	}
	for _, key := range keys {
		list, err := f.AllAttributes(ctx, key)
		if err != nil {
			return "", err
		}

		for _, a := range list {
			text += fmt.Sprintln(key, a.Name, a.Datatype, a.Shape, len(a.Data), a.Value)
		}
		if links, err := f.Links(ctx, key); err == nil {
			text += fmt.Sprintln(key, links)
			continue
		}

		d, err := f.Dataset(ctx, key)
		if errors.Is(err, cairn.ErrUnsupported) || path.Base(key) == "far" {
			continue
		}
		if err != nil {
			return "", err
		}
		text += fmt.Sprintln(key, d.Info())
	}
	return text, nil
}

// contentIn returns what a.h5 has in a file system.
func contentIn(t *testing.T, fsys storage.FS) (string, error) {
	f, err := Open("a.h5", &OpenOptions{FS: fsys})
	if err != nil {
		return "", err
	}
	defer f.Close()
	return contentOf(t.Context(), f)
}

// changeAll makes one commit of changes of several objects.
func changeAll(t testing.TB, c *Changer) error {
	ctx := t.Context()
	list, err := c.File().AllAttributes(ctx, "/")
	if err != nil {
		return err
	}
	err = c.SetAttribute(ctx, "/", Attribute{Name: "new", Value: strings.Repeat("text ", 40)})
	if len(list) > 0 {
		err = errors.Join(err, c.DeleteAttribute(ctx, "/", list[0].Name))
	}

	src := held(t, []int16{1, 2, 3}, ndarray.Shape{3})
	at := []Attribute{{Name: "n", Value: int64(3)}}
	o := &DatasetOptions{Chunks: ndarray.Shape{2}, Attributes: at}
	err = errors.Join(err, c.Put(ctx, "/made by a change/d", src, o), c.Group(ctx, "/made by a change/g", at))
	links, e := c.File().Links(ctx, "/")
	if e != nil {
		return errors.Join(err, e)
	}
	deleted := false
	for _, l := range links {
		if deleted {
			break
		}
		e := c.Delete(ctx, "/"+l.Name)
		deleted = e == nil
		if e != nil && !errors.Is(e, cairn.ErrUnsupported) {
			return errors.Join(err, e)
		}
	}
	return err
}

// TestCrashesWhileChanging changes files of h5py, and crashes that: each has its old or its new
// content.
func TestCrashesWhileChanging(t *testing.T) {
	names, err := filepath.Glob("testdata/*.h5")
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r := storagetest.NewRecorder()
		putFile(t, r, b)
		old, err := contentIn(t, r)
		if err != nil {
			continue
		}
		settled := r.Len()
		c, err := Change("a.h5", &AppendOptions{FS: r})
		if errors.Is(err, cairn.ErrUnsupported) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}

		err = changeAll(t, c)
		if err == nil {
			err = c.Commit(t.Context())
		}
		if errors.Is(err, cairn.ErrUnsupported) {
			t.Logf("%s: %v", name, err)
			_ = c.Abort()
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		committed := r.Len()
		if err := c.Close(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		made, err := contentIn(t, r)
		if err != nil || made == old {
			t.Fatalf("%s: %v", name, err)
		}

		changed++
		log := storagetest.NewLog(r.Ops())
		points := 0
		for crash := range log.Crashes(storagetest.Sweep{Seed: 1, Subsets: 3, Samples: 4, Durable: settled}, settled, len(log.Ops)) {
			if points++; points%5 > 0 {
				continue
			}
			is, err := contentIn(t, log.Image(crash))
			late := crash.At > committed || crash.At == committed && crash.Model != storagetest.Torn
			if err != nil || is != made && (late || is != old) {
				t.Fatalf("%s: %v: %v\n%s", name, crash, err, log.Describe(crash))
			}
		}
	}
	if changed < 5 {
		t.Errorf("%d files changed", changed)
	}
}

// TestManyChangedLinks makes symbol tables of several levels, and deletes from them.
func TestManyChangedLinks(t *testing.T) {
	b, err := os.ReadFile("testdata/links/old.h5")
	if err != nil {
		t.Fatal(err)
	}
	fsys := storage.NewMemory()
	putFile(t, fsys, b)
	c, err := Change("a.h5", &AppendOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	had, err := c.File().Links(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	const n = 2000
	for i := range n {
		if err := c.Group(t.Context(), fmt.Sprintf("/made%d", i*7919%n), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}

	for i := range n - 1 {
		if err := c.Delete(t.Context(), fmt.Sprintf("/made%d", i)); err != nil {
			t.Fatal(err)
		}
		if i%500 > 0 {
			continue
		}
		if err := c.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		now, err := c.File().Links(t.Context(), "/")
		if err != nil || len(now) != len(had)+n-1-i {
			t.Fatalf("%d links after %d were deleted of %d (%v)", len(now), i+1, len(had)+n, err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestChangesRefuse asks for what cannot be.
func TestChangesRefuse(t *testing.T) {
	fsys := storage.NewMemory()
	makeSeries(t, fsys, 1)
	c, err := Change("a.h5", &AppendOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	src := held(t, make([]int16, 3), ndarray.Shape{3})
	for what, try := range map[string]struct {
		err, want error
	}{
		"no attribute":     {c.DeleteAttribute(ctx, "/v0", "none"), cairn.ErrNotFound},
		"no object":        {c.SetAttribute(ctx, "/none", Attribute{Name: "a", Value: 1}), cairn.ErrNotFound},
		"nothing":          {c.Delete(ctx, "/none"), cairn.ErrNotFound},
		"the root":         {c.Delete(ctx, "/"), cairn.ErrUnsupported},
		"it is there":      {c.Put(ctx, "/v0", src, nil), cairn.ErrBounds},
		"in a dataset":     {c.Put(ctx, "/v0/a", src, nil), cairn.ErrBounds},
		"scales":           {c.SetAttribute(ctx, "/v0", Attribute{Name: attrScales, Value: 1}), cairn.ErrUnsupported},
		"a scale's class":  {c.DeleteAttribute(ctx, "/time", attrClass), cairn.ErrUnsupported},
		"no value for it":  {c.SetAttribute(ctx, "/v0", Attribute{Name: "a", Value: struct{}{}}), cairn.ErrUnsupported},
		"a group is there": {c.Group(ctx, "/v0", nil), cairn.ErrBounds},
	} {
		if !errors.Is(try.err, try.want) {
			t.Errorf("%s: %v", what, try.err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(ctx, "/v0"); !errors.Is(err, cairn.ErrClosed) {
		t.Errorf("after closing: %v", err)
	}
}
