package storage_test

import (
	"errors"
	"io/fs"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

func TestBucketsAsFileSystems(t *testing.T) {
	b := storage.FSBucket(storage.NewMemory(), ".")
	for _, name := range []string{"a/b/c", "a/b/d", "a/x", "ab", "a-"} {
		if _, err := b.Put(t.Context(), name, []byte(name), storage.When{}); err != nil {
			t.Fatal(err)
		}
	}
	fsys := storage.BucketFS(t.Context(), b)
	for name, want := range map[string]storage.Info{
		"a/b/c": {Name: "c", Size: 5}, "a/b": {Name: "b", Dir: true}, "./a/": {Name: "a", Dir: true},
		".": {Name: ".", Dir: true}, "ab": {Name: "ab", Size: 2}} {
		if got, err := fsys.Stat(name); got != want || err != nil {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for name, want := range map[string][]string{".": {"a", "a-", "ab"}, "a": {"b", "x"}, "a/b/": {"c", "d"}} {
		entries, err := fsys.ReadDir(name)
		var got []string
		for _, e := range entries {
			got = append(got, e.Name)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	f, err := fsys.Open("a/b/d")
	if err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 3)
	if _, err := f.ReadAt(p, 2); string(p) != "b/d" || err != nil {
		t.Errorf("%q, %v", p, err)
	}
	for what, err := range map[string]error{
		"stat": second(fsys.Stat("none")), "open": second(fsys.Open("a")), "list": second(fsys.ReadDir("none"))} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := fsys.Open("../x"); !errors.Is(err, fs.ErrInvalid) {
		t.Error(err)
	}
	if _, err := fsys.OpenRW("ab"); !errors.Is(err, cairn.ErrReadOnly) {
		t.Error(err)
	}
	for what, err := range map[string]error{
		"create": second(fsys.Create("new")), "mkdir": fsys.Mkdir("new"), "rename": fsys.Rename("ab", "ac"),
		"remove": fsys.Remove("ab"), "remove all": fsys.RemoveAll("ab"), "sync": fsys.SyncDir("a")} {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }
