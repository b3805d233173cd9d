package lint

import (
	"go/ast"
	"strconv"
	"strings"
)

func checkImports(t *Tree) []Problem {
	var out []Problem
	for _, p := range t.Packages {
		l, ok := layerOf(p.Dir)
		if !ok {
			out = append(out, Problem{"imports", p.Dir, 0, "the folder is not in the import table; give it a row in internal/test/lint/table.go"})
			continue
		}

		for _, f := range p.Files {
			for _, spec := range f.Syntax.Imports {
				if why := t.refuse(l, p, f, spec); why != "" {
					out = append(out, t.problem("imports", f.Name, spec.Pos(), "%s", why))
				}
			}
		}
	}
	return out
}

// refuse returns the reason why a file may not have an import, or "".
func (t *Tree) refuse(l layer, p *Package, f *File, spec *ast.ImportSpec) string {
	name, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return "import path " + spec.Path.Value + " is not a string"
	}

	switch dir, ours := t.folder(name); {
	case name == "C":
		return "cgo is not used in this module"
	case name == "unsafe":
		if !mayUseUnsafe(p.Dir) {
			return "unsafe is used only where internal/test/lint lists it"
		}
	case ours:
		switch {
		case matchAny(l.ours, dir):
			return ""
		case f.Test && (dir == p.Dir || matchAny(l.tests, dir) || matchAny(testSupport, dir)):
			return ""
		case matchAny(testSupport, dir):
			return dir + " is for tests"
		}
		return p.Dir + " may not import " + dir + "; imports go downward only, along the import table"
	case strings.Contains(strings.SplitN(name, "/", 2)[0], "."):
		if !underAny(l.modules, name) && !(f.Test && underAny(l.oracles, name)) {
			return p.Dir + " may not import " + name + "; see the import table for where third-party modules are used"
		}
	case matchAny(beyondMemory, name) && !l.mayTouch && !f.Test:
		return p.Dir + " works on memory only and may not import " + name
	}
	return ""
}

// folder returns the folder of an import path within the module.
func (t *Tree) folder(importPath string) (dir string, ours bool) {
	if importPath == t.Module {
		return ".", true
	}
	return strings.CutPrefix(importPath, t.Module+"/")
}

func underAny(prefixes []string, importPath string) bool {
	for _, p := range prefixes {
		if importPath == p || strings.HasPrefix(importPath, p+"/") {
			return true
		}
	}
	return false
}

// mayUseUnsafe reports whether files in a folder may import unsafe: kernels that pass pointers to
// assembly, and the package that converts between Go values and bytes.
func mayUseUnsafe(dir string) bool {
	return match("internal/asm/...", dir) || dir == "internal/test/asmtest" || dir == "internal/govalue"
}
