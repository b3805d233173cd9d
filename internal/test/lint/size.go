package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"strings"
)

// Lines are those of code: blank ones and comments cost nothing.
const (
	maxFolderFiles   = 60 // not counting tests
	maxFileLines     = 400
	maxFunctionLines = 70 // a screen
)

func checkSize(t *Tree) []Problem {
	var out []Problem
	for _, p := range t.Packages {
		files := 0
		for _, f := range p.Files {
			if !f.Test {
				files++
			}

			if n := codeLines(bytes.Split(f.Source, []byte("\n"))); n > maxFileLines {
				text := fmt.Sprintf("%d lines of code; split it by idea at %d", n, maxFileLines)
				out = append(out, Problem{"size", f.Name, 0, text})
			}

			for _, d := range f.Syntax.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				if n := codeLines(t.linesOf(f, fn)); n > maxFunctionLines {
					out = append(out, t.problem("size", f.Name, fn.Pos(),
						"%s has %d lines of code; a function fits a screen", fn.Name.Name, n))
				}
			}
		}

		if files > maxFolderFiles {
			text := fmt.Sprintf("%d files besides tests; at %d a part becomes a package", files, maxFolderFiles)
			out = append(out, Problem{"size", p.Dir, 0, text})
		}
	}
	return out
}

// vague matches names without a meaning.
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

// unfinished is written so that it does not match itself.
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
