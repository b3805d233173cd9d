package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

const (
	maxFolderFiles   = 60 // besides tests
	maxFileLines     = 400
	maxFunctionLines = 70 // a screen
)

// excess lists what was too large when the limits came, by folder, file, or file and function.
// Whoever makes one small enough takes it out; nothing comes in.
var excess = []string{
	"ndarray/behind_test.go",
	"ndarray/panic_test.go",
	"ndarray/values_test.go",
	"ndarray/iterate_test.go TestTypedVisits",
	"ndarray/resize_test.go TestReadersSeeOneStateOfAChangingShape",
	"ndarray/values_test.go TestValuesRefuse",
}

func checkSize(t *Tree) []Problem {
	all := t.oversized()
	var out []Problem
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(excess, name) {
			out = append(out, all[name])
		}
	}
	return out
}

// oversized returns what is beyond the limits, by the names that excess has.
func (t *Tree) oversized() map[string]Problem {
	out := map[string]Problem{}
	for _, p := range t.Packages {
		files := 0
		for _, f := range p.Files {
			if !f.Test {
				files++
			}
			if n := bytes.Count(f.Source, []byte("\n")); n > maxFileLines {
				text := fmt.Sprintf("%d lines; split it by idea at %d", n, maxFileLines)
				out[f.Name] = Problem{"size", f.Name, 0, text}
			}
			for _, d := range f.Syntax.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				if n := t.line(fn.End()) - t.line(fn.Pos()) + 1; n > maxFunctionLines {
					out[f.Name+" "+fn.Name.Name] = t.problem("size", f.Name, fn.Pos(),
						"%s has %d lines; a function fits a screen", fn.Name.Name, n)
				}
			}
		}
		if files > maxFolderFiles {
			text := fmt.Sprintf("%d files besides tests; at %d a part becomes a package", files, maxFolderFiles)
			out[p.Dir] = Problem{"size", p.Dir, 0, text}
		}
	}
	return out
}

// vague matches names that say nothing about what is inside.
var vague = regexp.MustCompile(`^(utils?|commons?|misc|helpers?)$`)

func checkNames(t *Tree) []Problem {
	var out []Problem
	for _, p := range t.Packages {
		if vague.MatchString(path.Base(p.Dir)) {
			out = append(out, Problem{"names", p.Dir, 0, "name the package after what it does"})
		}
		for _, f := range p.Files {
			base := strings.TrimSuffix(strings.TrimSuffix(path.Base(f.Name), ".go"), "_test")
			for _, part := range strings.Split(base, "_") {
				if vague.MatchString(part) {
					out = append(out, Problem{"names", f.Name, 0, "name the file after what is in it"})
				}
			}
		}
	}
	return out
}

// unfinished is spelled so that this file does not match itself.
var unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)

func checkUnfinished(t *Tree) []Problem {
	var out []Problem
	for _, p := range t.Packages {
		for _, f := range p.Files {
			for _, group := range f.Syntax.Comments {
				for _, c := range group.List {
					if word := unfinished.FindString(c.Text); word != "" {
						out = append(out, t.problem("unfinished", f.Name, c.Pos(), "%s: finish it or leave it out", word))
					}
				}
			}
		}
	}
	return out
}
