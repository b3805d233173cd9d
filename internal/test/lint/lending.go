package lint

import (
	"go/ast"
	"path"
	"slices"
	"strings"
)

// Memory that is lent (mapped files, reused buffers) must not outlive its owner. To make that hard
// to forget, a single method keeps owners alive: every loan ends with a call of Release, and no
// other code calls the garbage collector or borrows memory from files.

// Memory of files is borrowed only in the file lender. Loans end in the file ending, which keeps
// owners alive until then. The loans of the file brief end with the read that began them: its
// arrays refer to the file, and have no owner besides.
const (
	lender = "frame/source.go"
	ending = "internal/inside/lease.go"
	brief  = "npy/items.go"
	upload = "cmd/internal/command/internal/bucketurl/upload.go" // while a call lasts
)

// collectors lists the files that may call functions of the garbage collector, by function.
var collectors = map[string][]string{
	"runtime.KeepAlive":    {ending},
	"runtime.AddCleanup":   {"storage/mapped.go", "frame/contiguous.go", "cmd/internal/command/command.go"},
	"runtime.SetFinalizer": {},
	"weak.Make":            {"frame/container.go"},
	"osfile.Map":           {"storage/mapped.go", upload},
	"osfile.Unmap":         {"storage/mapped.go", upload},
	"storage.Lender":       {lender, ending, brief},
}

func checkLending(t *Tree) []Problem {
	var out []Problem
	for _, p := range t.Packages {
		if match("internal/test/storagetest", p.Dir) || match(checks+"/...", p.Dir) {
			continue // storage wraps files
		}
		for _, f := range p.Files {
			if f.Test {
				continue
			}

			l := lendingCheck{tree: t, file: f}
			ast.Inspect(f.Syntax, l.name)
			if p.Dir == path.Dir(lender) {
				for _, d := range f.Syntax.Decls {
					l.closes(d)
				}
			}

			out = append(out, l.found...)
		}
	}
	return out
}

type lendingCheck struct {
	tree  *Tree
	file  *File
	found []Problem
}

// name checks the use of a name of another package.
func (l *lendingCheck) name(n ast.Node) bool {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok {
		return true
	}

	pkg, ok := sel.X.(*ast.Ident)
	if !ok {
		return true
	}

	name := pkg.Name + "." + sel.Sel.Name
	if files, listed := collectors[name]; listed && !slices.Contains(files, l.file.Name) {
		l.found = append(l.found, l.tree.problem("lending", l.file.Name, sel.Pos(),
			"%s: memory is lent in %s alone, and its owner kept alive in %s", name, lender, ending))
	}
	return true
}

// closes reports a function that begins to use a span and does not end that use.
func (l *lendingCheck) closes(d ast.Decl) {
	f, ok := d.(*ast.FuncDecl)
	if !ok || f.Body == nil || takesSpan(f) {
		return
	}

	var opened ast.Node
	closed := false
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			sel, ok := n.Fun.(*ast.SelectorExpr)
			if !ok {
				break
			}
			inner, _ := sel.X.(*ast.SelectorExpr)
			if sel.Sel.Name == "open" && inner != nil && inner.Sel.Name == "source" {
				opened = n
			}
			closed = closed || sel.Sel.Name == "Release"
		case *ast.ValueSpec:
			if id, ok := n.Type.(*ast.Ident); ok && id.Name == "span" {
				opened = n
			}
		case *ast.CompositeLit:
			if id, ok := n.Type.(*ast.Ident); ok && id.Name == "span" && len(n.Elts) > 0 {
				opened = n
			}
		}
		return true
	})

	if opened != nil && !closed {
		l.found = append(l.found, l.tree.problem("lending", l.file.Name, opened.Pos(),
			"%s uses a span and does not release it, which keeps its file alive", f.Name.Name))
	}
}

// takesSpan reports whether a function uses the span or the lease of a caller, or returns one.
func takesSpan(f *ast.FuncDecl) bool {
	for _, list := range []*ast.FieldList{f.Type.Params, f.Type.Results, f.Recv} {
		if list == nil {
			continue
		}

		for _, field := range list.List {
			typ := field.Type
			if star, ok := typ.(*ast.StarExpr); ok {
				typ = star.X
			}
			if sel, ok := typ.(*ast.SelectorExpr); ok {
				typ = sel.Sel // inside.Lease
			}
			if id, ok := typ.(*ast.Ident); ok && strings.EqualFold(id.Name, "span") || ok && id.Name == "Lease" {
				return true
			}
		}
	}
	return false
}
