package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// code matches text between backticks. goFile matches a file name, goName a name of a package,
// possibly with a method or field, and goTest a test in any package.
var (
	code   = regexp.MustCompile("`([^`]+)`")
	goFile = regexp.MustCompile(`^[\w/]+\.go$`)
	goTest = regexp.MustCompile(`^(Test|Fuzz|Example|Benchmark)[A-Z]\w*$`)
	goName = regexp.MustCompile(`^([a-z]\w*)((?:\.[A-Z]\w*)+)(?:\(.*\))?$`)
)

// checkNamed checks that Go files and names of our packages that documents mention exist.
func checkNamed(t *Tree) []Problem {
	files, pages, err := goFiles(t.FS)
	if err != nil {
		return []Problem{{"named", ".", 0, err.Error()}}
	}

	packages, all := t.declared()
	var out []Problem
	for _, page := range pages {
		text, err := fs.ReadFile(t.FS, page)
		if err != nil {
			return append(out, Problem{"named", page, 0, err.Error()})
		}

		line := 0
		for row := range bytes.Lines(text) {
			line++
			for _, m := range code.FindAllSubmatch(row, -1) {
				name := string(m[1])
				there := !goFile.MatchString(name) || files[path.Base(name)]
				if n := goName.FindStringSubmatch(name); n != nil && packages[n[1]] != nil {
					parts := strings.Split(n[2][1:], ".")
					there = packages[n[1]][parts[0]]
					for _, part := range parts[1:] { // it may belong to a type of another module
						there = there && all[part]
					}
				}

				if goTest.MatchString(name) {
					there = all[name]
				}
				if !there {
					out = append(out, Problem{"named", page, line, fmt.Sprintf("there is no %s", name)})
				}
			}
		}
	}
	return out
}

// goFiles returns the base names of Go files, and the Markdown pages.
func goFiles(fsys fs.FS) (files map[string]bool, pages []string, err error) {
	files = map[string]bool{}
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (base[0] == '.' || base == "testdata"):
			return fs.SkipDir
		case path.Ext(name) == ".go":
			files[base] = true
		case path.Ext(name) == ".md":
			pages = append(pages, name)
		}
		return nil
	})
	return files, pages, err
}

// declared returns the declared names by the last element of the package path, and the names
// declared in any package.
func (t *Tree) declared() (packages map[string]map[string]bool, all map[string]bool) {
	packages = map[string]map[string]bool{}
	all = map[string]bool{}
	for _, p := range t.Packages {
		dir := path.Base(p.Dir)
		if p.Dir == "." {
			dir = path.Base(t.Module)
		}
		if packages[dir] == nil {
			packages[dir] = map[string]bool{}
		}

		add := func(names ...*ast.Ident) {
			for _, n := range names {
				packages[dir][n.Name] = true
				all[n.Name] = true
			}
		}

		for _, f := range p.Files {
			ast.Inspect(f.Syntax, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					add(n.Name)
					return false
				case *ast.TypeSpec:
					add(n.Name)
				case *ast.ValueSpec:
					add(n.Names...)
				case *ast.Field:
					add(n.Names...)
				}
				return true
			})
		}
	}
	return packages, all
}

// sourceName matches a Go file in a comment, by its path from the package or from the module.
var sourceName = regexp.MustCompile(`[\w./]*\w\.go\b`)

// checkSources checks that Go files in comments exist.
func checkSources(t *Tree) []Problem {
	var out []Problem
	for _, p := range t.Packages {
		for _, f := range p.Files {
			for _, g := range f.Syntax.Comments {
				for _, c := range g.List {
					for _, name := range sourceName.FindAllString(c.Text, -1) {
						_, beside := fs.Stat(t.FS, path.Join(p.Dir, name))
						_, above := fs.Stat(t.FS, path.Clean(name))
						if beside != nil && above != nil {
							out = append(out, t.problem("sources", f.Name, c.Pos(),
								"there is no %s in this folder, nor by that path in the module", name))
						}
					}
				}
			}
		}
	}
	return out
}
