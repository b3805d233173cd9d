package lint

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"text/tabwriter"
)

var once = flag.String("once", "", "list the functions below this folder that one place uses")

// TestCounts holds figures about how the code reads, and shows them for each folder:
//
//	go test ./internal/test/lint -run Counts -v
//	go test ./internal/test/lint -run Counts -v -once frame
func TestCounts(t *testing.T) {
	tree, err := Load(os.DirFS("../../.."))
	if err != nil {
		t.Fatal(err)
	}

	var names []string
	folders := map[string]*Counts{}
	var all Counts
	for _, p := range tree.Packages {
		c := tree.Count(p)
		all.Add(c)

		name, _, _ := strings.Cut(p.Dir, "/")
		if folders[name] == nil {
			names = append(names, name)
			folders[name] = &Counts{}
		}
		folders[name].Add(c)
	}

	var text bytes.Buffer
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "folder\tlines in functions\tblank\ttuples\tnested success\tone caller\tlong, silent")
	for _, name := range names {
		countsRow(w, name, folders[name])
	}
	countsRow(w, "all", &all)
	w.Flush()
	t.Logf("\n%s", text.Bytes())

	if *once != "" {
		for _, line := range all.Once {
			if strings.HasPrefix(line, strings.TrimSuffix(*once, "/")+"/") {
				t.Log(line)
			}
		}
	}

	for _, limit := range []struct {
		what        string
		part, whole int
		least, most float64 // in percent
	}{
		{"blank lines", all.Blank, all.Lines, 4, 15},
		{"assignments of several values", all.Tuples, all.Assigned, 0, 1},
		{"checks of errors that nest what succeeds", all.Nested, all.Checks, 0, 3},
		{"functions with one caller", all.CalledOnce, all.Functions, 0, 33.5},
	} {
		got := 100 * float64(limit.part) / float64(limit.whole)
		if got < limit.least || got > limit.most {
			t.Errorf("%s: %.1f %%, want %v to %v", limit.what, got, limit.least, limit.most)
		}
	}
}

func countsRow(w *tabwriter.Writer, name string, c *Counts) {
	share := func(part, whole int) string { return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(max(whole, 1))) }
	fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t%d of %d\n", name, c.Lines,
		share(c.Blank, c.Lines), share(c.Tuples, c.Assigned), share(c.Nested, c.Checks),
		share(c.CalledOnce, c.Functions), c.LongSilent, c.Long)
}
