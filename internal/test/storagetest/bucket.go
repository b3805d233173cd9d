package storagetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// LargeVersions is the check of RunBucket that large objects are put on condition of versions.
const LargeVersions = "large versions"

// Times is the check of RunBucket that lists have the times of objects.
const Times = "times"

// RunBucket checks the contract of [storage.Bucket]. open must return a new, empty bucket. Checks
// that the server of a test is known to fail are left out by name.
func RunBucket(t *testing.T, open func(t *testing.T) storage.Bucket, without ...string) {
	t.Run("ranges", func(t *testing.T) {
		b := open(t)
		n := 0
		RunRanges(t, func(t *testing.T, data []byte) storage.RangeReader {
			n++
			name := fmt.Sprintf("folder/%d", n)
			putObject(t, b, name, data, storage.When{})
			return storage.ObjectRanges(b, name)
		})
	})

	t.Run("conditions", func(t *testing.T) { runConditions(t, open(t)) })
	t.Run("names", func(t *testing.T) { runNames(t, open(t)) })
	if !slices.Contains(without, Times) {
		t.Run(Times, func(t *testing.T) {
			// List objects with the times at which they were put. The clock of a store may
			// differ from that of the test, but not by a year.
			b := open(t)
			putObject(t, b, "object", []byte("content"), storage.When{})
			n := 0
			for at, err := range b.List(t.Context(), "") {
				if ago := time.Since(at.Modified).Abs(); err != nil || ago > 365*24*time.Hour {
					t.Errorf("%s was put at %v, %v", at.Name, at.Modified, err)
				}
				n++
			}

			if n != 1 {
				t.Errorf("%d objects", n)
			}
		})
	}

	t.Run("starts", func(t *testing.T) {
		// Read the beginnings of objects.
		b := open(t)
		for _, content := range []string{"", "a", "twelve bytes"} {
			want := putObject(t, b, "object", []byte(content), storage.When{})
			for _, size := range []int{0, 1, 11, 12, 13, 100} {
				p := make([]byte, size)
				n, at, err := b.ReadStart(t.Context(), "object", p)
				if err != nil || at != want || string(p[:n]) != content[:min(size, len(content))] {
					t.Errorf("first %d bytes of %q: %q of %+v, %v", size, content, p[:n], at, err)
				}
			}
		}

		if _, _, err := b.ReadStart(t.Context(), "absent", make([]byte, 1)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("start of an absent object: %v", err)
		}
	})
	t.Run("counter", func(t *testing.T) { runCounter(t, open(t)) })
	t.Run("one winner", func(t *testing.T) { runWinners(t, open(t)) })
	t.Run("old or new", func(t *testing.T) { runOldOrNew(t, open(t)) })
	t.Run("large", func(t *testing.T) { runLarge(t, open(t)) })
	if !slices.Contains(without, LargeVersions) {
		t.Run(LargeVersions, func(t *testing.T) { runLargeVersions(t, open(t)) })
	}

	t.Run("odd names", func(t *testing.T) { runOddNames(t, open(t)) })
	t.Run("cancelled", func(t *testing.T) { runCancelled(t, open(t)) })
	t.Run("everything", func(t *testing.T) { runEverything(t, open(t)) })
}

func putObject(t *testing.T, b storage.Bucket, name string, data []byte, when storage.When) storage.Object {
	t.Helper()
	at, err := b.Put(t.Context(), name, data, when)
	if err != nil || at.Name != name || at.Size != int64(len(data)) || at.Version == "" {
		t.Fatalf("put %s: %+v, %v", name, at, err)
	}
	return at
}

func getObject(t *testing.T, b storage.Bucket, at storage.Object) (string, error) {
	t.Helper()
	data := make([]byte, at.Size)
	err := b.ReadRanges(t.Context(), at, []storage.Range{{Data: data}})
	return string(data), err
}

// runConditions tests conditional puts: of absent objects and of versions.
func runConditions(t *testing.T, b storage.Bucket) {
	ctx := t.Context()
	one := putObject(t, b, "root", []byte("one"), storage.When{Absent: true})
	if at, err := b.Stat(ctx, "root"); err != nil || at != one {
		t.Errorf("%+v, %v, put was %+v", at, err, one)
	}

	never := map[string]storage.When{"absent": {Absent: true}, "another version": {Version: one.Version + "x"}}
	for what, when := range never {
		if _, err := b.Put(ctx, "root", []byte("no"), when); !errors.Is(err, cairn.ErrConflict) {
			t.Errorf("put if %s: %v", what, err)
		}
	}

	if got, err := getObject(t, b, one); got != "one" || err != nil {
		t.Errorf("%q, %v", got, err)
	}

	versions := []string{one.Version}
	last := one
	for i := range 20 { // of the same size, and in quick succession
		last = putObject(t, b, "root", []byte{byte(i), 0, 0}, storage.When{Version: last.Version})
		if slices.Contains(versions, last.Version) {
			t.Fatalf("two versions %s", last.Version)
		}
		versions = append(versions, last.Version)
	}

	if _, err := getObject(t, b, one); !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("a version that is gone: %v", err)
	}
	if got, err := getObject(t, b, storage.Object{Name: "root", Size: 3}); got != "\x13\x00\x00" || err != nil {
		t.Errorf("%q, %v", got, err)
	}

	for range 2 {
		if err := b.Delete(ctx, "root"); err != nil {
			t.Error(err)
		}
	}

	if _, err := b.Stat(ctx, "root"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("stat of what was deleted: %v", err)
	}
	if _, err := getObject(t, b, last); !errors.Is(err, cairn.ErrConflict) && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("read of what was deleted: %v", err)
	}
	if _, err := b.Put(ctx, "root", nil, storage.When{Version: last.Version}); !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("put in the place of what was deleted: %v", err)
	}
}

// runNames lists objects by prefixes.
func runNames(t *testing.T, b storage.Bucket) {
	for _, name := range []string{"b/c", "a", "b-x", "b/a/z", "bb", "b/é", ".d", ".e/.lock"} {
		putObject(t, b, name, []byte(name), storage.When{})
	}

	putObject(t, b, "empty", nil, storage.When{})
	for prefix, want := range map[string][]string{
		"":   {".d", ".e/.lock", "a", "b-x", "b/a/z", "b/c", "b/é", "bb", "empty"},
		"b/": {"b/a/z", "b/c", "b/é"}, "b": {"b-x", "b/a/z", "b/c", "b/é", "bb"},
		"b/a/z": {"b/a/z"}, ".": {".d", ".e/.lock"}, "x": nil, "b/a/zz": nil} {
		var got []string
		for o, err := range b.List(t.Context(), prefix) {
			if err != nil {
				t.Error(err)
			}
			if o.Size != int64(len(o.Name)) && o.Name != "empty" {
				t.Errorf("%s has %d bytes", o.Name, o.Size)
			}
			got = append(got, o.Name)
		}

		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", prefix, got, want)
		}
	}

	for _, name := range []string{"", ".", "..", "a/../b", "/a", "a/"} {
		if _, err := b.Put(t.Context(), name, nil, storage.When{}); err == nil {
			t.Errorf("%q was put", name)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Stat(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}

// runCounter increments a counter in one object from several goroutines by conditional puts. No
// increment may be lost.
func runCounter(t *testing.T, b storage.Bucket) {
	putObject(t, b, "count", []byte{0}, storage.When{})
	const each = 10
	increment := func() error {
		at, err := b.Stat(t.Context(), "count")
		if err != nil {
			return err
		}
		old, err := getObject(t, b, at)
		if err != nil {
			return err
		}
		_, err = b.Put(t.Context(), "count", []byte{old[0] + 1}, storage.When{Version: at.Version})
		return err
	}

	var conflicts atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for done := 0; done < each; {
				err := increment()
				switch {
				case err == nil:
					done++
				case errors.Is(err, cairn.ErrConflict):
					conflicts.Add(1)
				default:
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()

	got, err := getObject(t, b, storage.Object{Name: "count", Size: 1})
	if err != nil || got != string([]byte{4 * each}) {
		t.Errorf("%q after %d conflicts, %v", got, conflicts.Load(), err)
	}
}
