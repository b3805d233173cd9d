package lint

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"sort"
	"strings"
)

// A Tree is a parsed Go module.
type Tree struct {
	Module   string // module path, from go.mod
	Packages []*Package
	FS       fs.FS // rooted at the module

	fset *token.FileSet
}

// A Package is a folder with Go files: the package, its tests and its external tests.
type Package struct {
	Dir      string // slash-separated path from the module root; "." for the root package
	Files    []*File
	Assembly []string // names of .s files
}

// A File is one parsed Go file.
type File struct {
	Name   string // path from the module root
	Test   bool   // belongs to the tests
	Syntax *ast.File
	Source []byte
}

// Load parses the module at the root of fsys. It skips nested modules except check, testdata and
// folders whose name starts with a dot or an underscore, like the go command.
func Load(fsys fs.FS) (*Tree, error) {
	module, err := modulePath(fsys)
	if err != nil {
		return nil, err
	}

	t := &Tree{Module: module, FS: fsys, fset: token.NewFileSet()}
	dirs := map[string]*Package{}
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && skipDir(fsys, name) {
				return fs.SkipDir
			}
			return nil
		}
		return t.add(dirs, name)
	})
	if err != nil {
		return nil, err
	}

	for _, p := range dirs {
		t.Packages = append(t.Packages, p)
	}

	sort.Slice(t.Packages, func(i, j int) bool { return t.Packages[i].Dir < t.Packages[j].Dir })
	return t, nil
}

func (t *Tree) add(dirs map[string]*Package, name string) error {
	ext := path.Ext(name)
	if ext != ".go" && ext != ".s" {
		return nil
	}

	dir := path.Dir(name)
	p := dirs[dir]
	if p == nil {
		p = &Package{Dir: dir}
		dirs[dir] = p
	}

	if ext == ".s" {
		p.Assembly = append(p.Assembly, name)
		return nil
	}

	source, err := fs.ReadFile(t.FS, name)
	if err != nil {
		return err
	}

	syntax, err := parser.ParseFile(t.fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}

	p.Files = append(p.Files, &File{Name: name, Test: strings.HasSuffix(name, "_test.go"), Syntax: syntax, Source: source})
	return nil
}

func (t *Tree) line(pos token.Pos) int { return t.fset.Position(pos).Line }

// Main reports whether the folder contains a command.
func (p *Package) Main() bool {
	for _, f := range p.Files {
		if !f.Test {
			return f.Syntax.Name.Name == "main"
		}
	}
	return false
}

// Suite reports whether the package is a conformance suite: test code that tests of other packages
// import.
func (p *Package) Suite() bool { return p.Dir != "." && strings.HasSuffix(path.Base(p.Dir), "test") }

// checks is a nested module that follows the rules of this one. It is separate only so that users
// do not download it.
const checks = "check"

func modulePath(fsys fs.FS) (string, error) {
	b, err := fs.ReadFile(fsys, "go.mod")
	if err != nil {
		return "", err
	}

	for line := range bytes.Lines(b) {
		if rest, ok := bytes.CutPrefix(line, []byte("module ")); ok {
			return strings.TrimSpace(string(rest)), nil
		}
	}
	return "", errors.New("go.mod has no module line")
}

func skipDir(fsys fs.FS, name string) bool {
	base := path.Base(name)
	if base == "testdata" || base == "vendor" || base[0] == '.' || base[0] == '_' {
		return true
	}
	_, err := fs.Stat(fsys, path.Join(name, "go.mod"))
	return err == nil && name != checks
}

// problem returns a Problem at a position in the tree.
func (t *Tree) problem(rule, file string, pos token.Pos, format string, args ...any) Problem {
	return Problem{Rule: rule, File: file, Line: t.line(pos), Text: fmt.Sprintf(format, args...)}
}
