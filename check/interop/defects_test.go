package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/internal/test/golden"
)

// defects is the number of rows of docs/format/defects.md.
const defects = 27

// A defect is a row of docs/format/defects.md. Its functions check how cairn reads files that the
// defect damaged, and that it does not write such files.
type defect struct {
	number int
	what   string
	check  func(t *testing.T)
}

// TestDefects checks all rows. It also writes and reads the remedies of each row; the program lets
// the real library read them too.
func TestDefects(t *testing.T) {
	rows := slices.Concat(chunkDefects(), frameDefects())
	slices.SortFunc(rows, func(a, b defect) int { return a.number - b.number })
	for i, row := range rows {
		if row.number != i+1 {
			t.Fatalf("row %d is missing, or there twice", i+1)
		}
		t.Run(fmt.Sprintf("%02d %s", row.number, row.what), func(t *testing.T) {
			row.check(t)
			for _, r := range remedies {
				if r.row != row.number {
					continue
				}
				path := filepath.Join(t.TempDir(), "remedy.b2nd")
				c, err := r.write(path)
				if err == nil {
					err = c.readOurs(path)
				}
				if err != nil {
					t.Errorf("%s: %v", r.what, err)
				}
			}
		})
	}
	if len(rows) != defects {
		t.Errorf("%d rows, want %d", len(rows), defects)
	}
}

var (
	defectRow  = regexp.MustCompile(`^\| ([0-9]+) \|`)
	defectFile = regexp.MustCompile(`defect-([0-9]+)[a-z0-9-]*\.(?:chunk|b2frame|b2nd)`)
)

// TestDefectsAreDescribed compares the document with the tests: it must have one row for each
// number, with all goldens of that number.
func TestDefectsAreDescribed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "format", "defects.md"))
	if err != nil {
		t.Fatal(err)
	}
	var numbers []int
	named := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		m := defectRow.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, n)
		for _, f := range defectFile.FindAllStringSubmatch(line, -1) {
			named[f[0]] = true
			if f[1] != fmt.Sprintf("%02d", n) {
				t.Errorf("row %d names %s", n, f[0])
			}
		}
	}
	want := make([]int, defects)
	for i := range want {
		want[i] = i + 1
	}
	if !slices.Equal(numbers, want) {
		t.Errorf("the document has rows %v", numbers)
	}
	m, err := golden.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range m.Cases {
		if strings.HasPrefix(c.Name, "defect-") && !named[c.Name] {
			t.Errorf("no row names %s", c.Name)
		}
		delete(named, c.Name)
	}
	for name := range named {
		t.Errorf("there is no golden %s", name)
	}
}
