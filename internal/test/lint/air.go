package lint

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// maxParagraph is how many lines of code a function may have without a blank line.
const maxParagraph = 20

// checkAir looks at the statements of functions outside of tests: whether they come in paragraphs,
// and whether each assigns one thing.
func checkAir(t *Tree) []Problem {
	var out []Problem
	for _, p := range t.Packages {
		for _, f := range p.Files {
			if f.Test {
				continue
			}
			for _, d := range f.Syntax.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
					out = append(out, t.breathless(f, fn)...)
				}
			}
		}
	}
	return out
}

// breathless returns the problems of one function.
func (t *Tree) breathless(f *File, fn *ast.FuncDecl) []Problem {
	var out []Problem
	body := t.linesOf(f, fn.Body)
	blank := slices.ContainsFunc(body, func(line []byte) bool { return len(line) == 0 })
	if n := codeLines(body); n > maxParagraph && !blank {
		out = append(out, t.problem("air", f.Name, fn.Pos(),
			"%s has %d lines without a blank one; part its steps", fn.Name.Name, n))
	}

	clauses := map[ast.Stmt]bool{}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.ForStmt:
			clauses[s.Init] = true
			clauses[s.Post] = true
		case *ast.IfStmt:
			clauses[s.Init] = true
		case *ast.SwitchStmt:
			clauses[s.Init] = true
		case *ast.AssignStmt:
			if !clauses[s] && isHeap(s) {
				out = append(out, t.problem("air", f.Name, s.Pos(), "one assignment a statement"))
			}
		}
		return true
	})
	return out
}

// isHeap tells whether a statement assigns several things that have nothing to do with each other:
// no value depends on what the statement replaces, as in a swap.
func isHeap(s *ast.AssignStmt) bool {
	if len(s.Lhs) < 2 || len(s.Rhs) != len(s.Lhs) {
		return false
	}
	if s.Tok == token.DEFINE {
		return true
	}

	for _, left := range s.Lhs {
		name := types.ExprString(left)
		for _, right := range s.Rhs {
			if holds(right, name) {
				return false
			}
		}
	}
	return true
}

// holds tells whether an expression has another one in it, by its text.
func holds(e ast.Expr, text string) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if part, ok := n.(ast.Expr); ok && types.ExprString(part) == text {
			found = true
		}
		return !found
	})
	return found
}

// linesOf returns the lines of a node, without the blanks at their ends.
func (t *Tree) linesOf(f *File, n ast.Node) [][]byte {
	lines := bytes.Split(f.Source, []byte("\n"))[t.line(n.Pos())-1 : t.line(n.End())]
	for i, line := range lines {
		lines[i] = bytes.TrimSpace(line)
	}
	return lines
}

// codeLines counts the lines that are neither blank nor a comment alone.
func codeLines(lines [][]byte) (n int) {
	for _, line := range lines {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && !bytes.HasPrefix(line, []byte("//")) {
			n++
		}
	}
	return n
}
