package lint

import (
	"go/ast"
	"regexp"
	"strings"
)

// checkSkips allows tests to skip only in short mode, to save time, and within fuzz targets, for
// uninteresting inputs. Tests of kernels may skip if the processor cannot run them.
func checkSkips(t *Tree) []Problem {
	var out []Problem
	for _, p := range t.Packages {
		if match("internal/asm/...", p.Dir) {
			continue
		}
		for _, f := range p.Files {
			for _, d := range f.Syntax.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Body == nil || strings.HasPrefix(fn.Name.Name, "Fuzz") || !f.Test && !p.Suite() {
					continue
				}
				ast.Walk(skipFinder{t, f, &out}, fn.Body)
			}
		}
	}
	return out
}

type skipFinder struct {
	tree *Tree
	file *File
	out  *[]Problem
}

// Visit reports calls of Skip, except in code that runs in short mode only.
func (s skipFinder) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.IfStmt:
		if mentions(n.Cond, "testing", "Short") {
			return nil
		}
	case *ast.CallExpr:
		sel, ok := n.Fun.(*ast.SelectorExpr)
		if ok && (sel.Sel.Name == "Skip" || sel.Sel.Name == "Skipf" || sel.Sel.Name == "SkipNow") && receiverIsTest(sel.X) {
			*s.out = append(*s.out, s.tree.problem("skips", s.file.Name, n.Pos(), "a test that cannot run fails; only testing.Short may leave one out"))
		}
	}
	return s
}

func receiverIsTest(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && (id.Name == "t" || id.Name == "b" || id.Name == "tb")
}

func mentions(e ast.Node, pkg, name string) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == name {
			id, ok := sel.X.(*ast.Ident)
			found = found || ok && id.Name == pkg
		}
		return true
	})
	return found
}

// decoderName matches exported functions that decode bytes.
var decoderName = regexp.MustCompile(`^(Decode|Parse|Open|Unpack|FromBytes)`)

// checkFuzz checks that every exported function that decodes a []byte is named in a test file of
// its package with a fuzz target. It does not check that the target calls it.
func checkFuzz(t *Tree) []Problem {
	var out []Problem
	for _, p := range t.Packages {
		if p.Main() || p.Suite() {
			continue
		}

		named := namedBesideFuzz(p)
		for _, f := range p.Files {
			if f.Test {
				continue
			}
			for _, d := range f.Syntax.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if ok && decoderName.MatchString(fn.Name.Name) && fn.Recv == nil && takesBytes(fn) && !named[fn.Name.Name] {
					out = append(out, t.problem("fuzz", f.Name, fn.Pos(), "%s reads bytes from outside but no test file of the package with a fuzz target names it", fn.Name.Name))
				}
			}
		}
	}
	return out
}

// namedBesideFuzz returns the identifiers in the package's test files with a fuzz target.
func namedBesideFuzz(p *Package) map[string]bool {
	named := map[string]bool{}
	for _, f := range p.Files {
		if !f.Test || !hasFuzz(f) {
			continue
		}
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				named[id.Name] = true
			}
			return true
		})
	}
	return named
}

func hasFuzz(f *File) bool {
	for _, d := range f.Syntax.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Fuzz") {
			return true
		}
	}
	return false
}

func takesBytes(fn *ast.FuncDecl) bool {
	for _, field := range fn.Type.Params.List {
		if a, ok := field.Type.(*ast.ArrayType); ok && a.Len == nil {
			if id, ok := a.Elt.(*ast.Ident); ok && id.Name == "byte" {
				return fn.Name.IsExported()
			}
		}
	}
	return false
}
