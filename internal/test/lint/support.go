package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"io/fs"
	"regexp"
	"strings"
)

// provenPages contain tables of claims with the tests that prove them: what is read and written,
// and what happens to data when something fails.
var provenPages = [...]string{"docs/support.md", "docs/promises.md"}

// proof matches a test as named on the pages: `chunk.TestVL`, by folder and function.
var proof = regexp.MustCompile("`([a-z0-9/]+)\\.((?:Test|Fuzz)\\w+)`")

// checkSupport checks that the last cell of every row of these pages names tests, and that these
// exist.
func checkSupport(t *Tree) []Problem {
	var out []Problem
	tests := t.tests()
	for _, page := range provenPages {
		text, err := fs.ReadFile(t.FS, page)
		if err != nil {
			out = append(out, Problem{"support", page, 0, err.Error()})
			continue
		}
		out = append(out, unproven(page, text, tests)...)
	}
	return out
}

func unproven(page string, text []byte, tests map[string]bool) []Problem {
	var out []Problem
	line := 0
	heading := true
	rows := 0
	for row := range bytes.Lines(text) {
		line++
		cells := strings.Split(strings.TrimSpace(string(row)), "|")
		if len(cells) < 3 {
			heading = true // of the next table
			continue
		}

		found := proof.FindAllStringSubmatch(cells[len(cells)-2], -1)
		if heading {
			heading = !strings.HasPrefix(cells[1], "---")
			continue
		}

		rows++
		if len(found) == 0 {
			report := "the row names no test, as `folder.TestName`, in its last cell"
			out = append(out, Problem{"support", page, line, report})
		}

		for _, m := range found {
			if !tests[m[1]+"."+m[2]] {
				out = append(out, Problem{"support", page, line, fmt.Sprintf("%s has no test %s", m[1], m[2])})
			}
		}
	}

	if rows == 0 {
		out = append(out, Problem{"support", page, 0, "has no table"})
	}
	return out
}

// tests returns the tests and fuzz targets of the module, by folder and name.
func (t *Tree) tests() map[string]bool {
	all := map[string]bool{}
	for _, p := range t.Packages {
		for _, f := range p.Files {
			for _, d := range f.Syntax.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && f.Test && fn.Recv == nil {
					all[p.Dir+"."+fn.Name.Name] = true
				}
			}
		}
	}
	return all
}
