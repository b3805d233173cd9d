package lint

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// atText lists the folders that may look at the texts of errors: internal/naming puts names into
// them, the tests' support compares what people read, and the programs that check other ones have
// nothing else.
var atText = []string{"internal/naming", "internal/test/...", "check/..."}

// building are the functions of package strings that do not look into texts.
var building = []string{"Join", "Repeat", "Clone", "NewReader", "ToUpper", "ToLower", "ToValidUTF8"}

// checkErrorText reports code that decides by the text of an error: a call of package strings with
// it, a comparison, or a switch.
func checkErrorText(t *Tree) []Problem {
	var out []Problem
	for _, p := range t.Packages {
		if matchAny(atText, p.Dir) {
			continue
		}
		for _, f := range p.Files {
			if f.Test {
				continue
			}
			for _, d := range f.Syntax.Decls {
				for _, at := range searchedErrors(d) {
					out = append(out, t.problem("error text", f.Name, at, "the text of an error is searched; "+
						"give the error a type or a kind (internal/errkind) and ask errors.As or errors.Is"))
				}
			}
		}
	}
	return out
}

// searchedErrors returns the places where a declaration searches the text of an error.
func searchedErrors(d ast.Decl) (places []token.Pos) {
	texts := map[string]token.Pos{} // variables with the text of an error, from where on
	ast.Inspect(d, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
			for i, left := range a.Lhs {
				if v, ok := left.(*ast.Ident); ok && isErrorText(a.Rhs[i], nil) {
					texts[v.Name] = a.Pos()
				}
			}
		}
		return true
	})

	for _, e := range searches(d) {
		if isErrorText(e, texts) {
			places = append(places, e.Pos())
		}
	}
	return places
}

// searches returns the expressions whose text a declaration compares, or looks into.
func searches(d ast.Decl) (of []ast.Expr) {
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			sel, ok := n.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}

			if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "strings" && !slices.Contains(building, sel.Sel.Name) {
				of = append(of, n.Args...)
			}
			if strings.HasPrefix(sel.Sel.Name, "Match") { // of package regexp
				of = append(of, n.Args...)
			}

		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				of = append(of, n.X, n.Y)
			}

		case *ast.SwitchStmt:
			if n.Tag != nil {
				of = append(of, n.Tag)
			}
		}
		return true
	})
	return of
}

// isErrorText reports whether an expression is err.Error(), a part or a sum with it, or one of some
// variables that have it.
func isErrorText(e ast.Expr, texts map[string]token.Pos) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		sel, ok := e.Fun.(*ast.SelectorExpr)
		return ok && sel.Sel.Name == "Error" && len(e.Args) == 0
	case *ast.SliceExpr:
		return isErrorText(e.X, texts)
	case *ast.ParenExpr:
		return isErrorText(e.X, texts)
	case *ast.BinaryExpr:
		return e.Op == token.ADD && (isErrorText(e.X, texts) || isErrorText(e.Y, texts))
	case *ast.Ident:
		return texts[e.Name].IsValid() && e.Pos() > texts[e.Name]
	}
	return false
}
