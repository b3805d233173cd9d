package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"io/fs"
	"regexp"
	"strings"
)

// provenPages make claims, in tables, and name the tests that show them: what is read and written,
// and what happens to data when something goes wrong.
var provenPages = [...]string{"docs/support.md", "docs/promises.md"}

// proof is a test as the page names it: `chunk.TestVL`, by folder and function.
var proof = regexp.MustCompile("`([a-z0-9/]+)\\.((?:Test|Fuzz)\\w+)`")

// checkSupport wants a test in the last cell of every row of these pages, and every test that a row
// names there to exist.
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
	line, heading, rows := 0, true, 0
	for row := range bytes.Lines(text) {
		line++
		cells := strings.Split(strings.TrimSpace(string(row)), "|")
		if len(cells) < 3 {
			heading = true // of the table that comes next
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
