package catalog

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/internal/osfile"
)

// TestListInPages lists a folder in pages of several sizes.
func TestListInPages(t *testing.T) {
	c, dir := folderOf(t, Options{})
	var want []string
	for i := range 60 {
		name := fmt.Sprintf("%03d.txt", i*37%1000)
		want = append(want, name)
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(want)
	for _, limit := range []int{1, 7, 59, 60, 61} {
		var got []string
		for after, more := "", true; more; {
			entries, next, err := c.List(t.Context(), "data", after, limit)
			if err != nil {
				t.Fatal(err)
			}
			if len(entries) > limit || next && len(entries) != limit {
				t.Errorf("a page of %d has %d entries, more %v", limit, len(entries), next)
			}
			for _, e := range entries {
				got = append(got, e.Name)
				after = e.Name
			}
			more = next
		}
		if !slices.Equal(got, want) {
			t.Errorf("pages of %d have %d names of %d", limit, len(got), len(want))
		}
	}
}

// TestNamesAreBounded reads a folder with many names, of which few are held at a time.
func TestNamesAreBounded(t *testing.T) {
	dir := t.TempDir()
	const all = 5000
	for i := range all {
		if err := os.WriteFile(filepath.Join(dir, numbered((i*1237)%all)), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	d, err := osfile.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, after := range []int{-1, 0, 2500, all - 3, all} {
		name := ""
		if after >= 0 {
			name = numbered(after)
		}
		const most = 10
		names, err := namesIn(t.Context(), d, name, most)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for i := after + 1; i < min(all, after+1+most); i++ {
			want = append(want, numbered(i))
		}
		if !slices.Equal(names, want) || cap(names) > 8*most {
			t.Errorf("behind %q: %q, room for %d", name, names, cap(names))
		}
	}
}
