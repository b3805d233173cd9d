package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// maxErrors is how many errors are reported for one platform.
const maxErrors = 50

// sources are parsed files, which most platforms share.
type sources struct {
	*token.FileSet
	parsed map[string]*ast.File
}

func newSources() *sources {
	return &sources{FileSet: token.NewFileSet(), parsed: map[string]*ast.File{}}
}

func (s *sources) parse(name string) (*ast.File, error) {
	if file := s.parsed[name]; file != nil {
		return file, nil
	}

	// Comments only for directives, such as //go:build and //go:linkname.
	file, err := parser.ParseFile(s.FileSet, name, nil, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	s.parsed[name] = file
	return file, nil
}

// A checker has the packages of one build, under their listed paths.
type checker struct {
	files  *sources
	sizes  types.Sizes
	listed map[string]*listed
	done   map[string]*types.Package
	errs   []error
}

// check type-checks packages and their tests, and what they import. It returns how many packages
// that are not of the standard library there were.
func check(files *sources, b build, patterns []string) (checked int, err error) {
	_, processor, _ := strings.Cut(b.platform, "/")
	c := &checker{
		files:  files,
		listed: map[string]*listed{},
		done:   map[string]*types.Package{"unsafe": types.Unsafe},
	}
	if c.sizes = types.SizesFor("gc", processor); c.sizes == nil {
		return 0, fmt.Errorf("unknown processor %q", processor)
	}

	all, err := list(b, patterns)
	if err != nil {
		return 0, err
	}
	for i := range all {
		c.listed[all[i].ImportPath] = &all[i]
	}

	// Of the standard library, only what others import.
	for i := range all {
		if p := &all[i]; !p.Standard && !p.isTestMain() {
			c.add(p)
			checked++
		}
	}

	// A check of nothing finds nothing.
	if checked == 0 {
		c.fail(fmt.Errorf("no packages in %q", patterns))
	}
	return checked, errors.Join(c.errs...)
}

// fail notes an error. A file is read for its package and for the package with its tests.
func (c *checker) fail(err error) {
	known := func(e error) bool { return e.Error() == err.Error() }
	if len(c.errs) < maxErrors && !slices.ContainsFunc(c.errs, known) {
		c.errs = append(c.errs, err)
	}
}

// add type-checks a package, unless that is done.
func (c *checker) add(p *listed) *types.Package {
	if done := c.done[p.ImportPath]; done != nil {
		return done
	}
	if p.Error != nil {
		c.fail(fmt.Errorf("%s: %s", p.ImportPath, p.Error.Err))
	}
	if len(p.CgoFiles) > 0 {
		c.fail(fmt.Errorf("%s: %s cannot be checked: it has cgo", p.ImportPath, p.CgoFiles[0]))
	}

	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := c.files.parse(filepath.Join(p.Dir, name))
		if err != nil {
			c.fail(err)
			continue
		}
		files = append(files, file)
	}

	// A package that imports itself on the way is an error that go list reports.
	c.done[p.ImportPath] = types.NewPackage(p.path(), p.Name)
	config := types.Config{
		Importer:         importer{c, p},
		Sizes:            c.sizes,
		IgnoreFuncBodies: p.Standard,
		Error:            c.fail,
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	checked, _ := config.Check(p.path(), c.files.FileSet, files, nil) // errors went to c.fail
	c.done[p.ImportPath] = checked

	if !p.Standard && len(p.SFiles) == 0 {
		// Find functions without a body in a package without assembly: the compiler, not
		// the type checker, refuses them.
		for _, file := range files {
			// The local names for which the linker finds the body elsewhere.
			linked := map[string]bool{}
			for _, group := range file.Comments {
				for _, line := range group.List {
					if words := strings.Fields(line.Text); len(words) > 1 && words[0] == "//go:linkname" {
						linked[words[1]] = true
					}
				}
			}

			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if ok && f.Body == nil && !linked[f.Name.Name] {
					c.fail(fmt.Errorf("%s: missing function body", c.files.Position(f.Pos())))
				}
			}
		}
	}
	return checked
}

// An importer finds what one package imports.
type importer struct {
	c *checker
	p *listed
}

// Import implements [types.Importer].
func (i importer) Import(path string) (*types.Package, error) {
	if mapped, ok := i.p.ImportMap[path]; ok {
		path = mapped
	}
	if p := i.c.listed[path]; p != nil {
		return i.c.add(p), nil
	}
	return nil, fmt.Errorf("go list does not know the package %s", path)
}
