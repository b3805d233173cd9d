package lint

import (
	"go/ast"
	"go/token"
	"slices"
)

// immutable lists types, by folder, whose values are immutable once they are shared, with the
// fields that may be set when they are handed out.
var immutable = map[string]struct {
	typ     string
	handing []string
}{
	"frame": {"state", []string{"shown"}},
}

// checkImmutable reports functions that write to a parameter of an immutable type. Values under
// construction have another type.
func checkImmutable(t *Tree) []Problem {
	var out []Problem
	for _, p := range t.Packages {
		rule, ok := immutable[p.Dir]
		if !ok {
			continue
		}

		for _, f := range p.Files {
			if f.Test {
				continue
			}
			for _, d := range f.Syntax.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Body == nil {
					continue
				}
				given := givenAs(fn, rule.typ)
				for _, at := range writesTo(fn.Body, given, rule.handing) {
					out = append(out, t.problem("immutable", f.Name, at,
						"%s writes to a %s, which never changes: make a draft of it", fn.Name.Name, rule.typ))
				}
			}
		}
	}
	return out
}

// givenAs returns the names of the parameters and the receiver that are pointers to a type.
func givenAs(fn *ast.FuncDecl, typ string) map[string]bool {
	names := map[string]bool{}
	for _, list := range []*ast.FieldList{fn.Recv, fn.Type.Params} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			star, ok := field.Type.(*ast.StarExpr)
			if !ok {
				continue
			}
			if id, ok := star.X.(*ast.Ident); ok && id.Name == typ {
				for _, name := range field.Names {
					names[name.Name] = true
				}
			}
		}
	}
	return names
}

// writesTo returns the positions where a body assigns to a field of one of the names, except for
// some fields.
func writesTo(body *ast.BlockStmt, names map[string]bool, but []string) []token.Pos {
	var out []token.Pos
	look := func(e ast.Expr) {
		field := ""
		for x := e; ; {
			switch y := x.(type) {
			case *ast.SelectorExpr:
				field = y.Sel.Name
				x = y.X
				continue
			case *ast.IndexExpr:
				x = y.X
				continue
			case *ast.Ident:
				if names[y.Name] && field != "" && !slices.Contains(but, field) {
					out = append(out, e.Pos())
				}
			}
			return
		}
	}

	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				look(e)
			}
		case *ast.IncDecStmt:
			look(n.X)
		}
		return true
	})
	return out
}
