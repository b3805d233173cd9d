package lint

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// Counts are figures about how the code outside of tests reads. Those of several packages can be
// added.
type Counts struct {
	Lines, Blank          int // inside functions of more than five lines
	Assigned, Tuples      int // assignments, and those of several values that are no swap
	Checks, Nested        int // comparisons of an error with nil; those around what succeeds
	Functions, CalledOnce int // all functions, and unexported ones that one place uses
	Long, LongSilent      int // functions of 40 lines or more, and those without a comment

	Once []string // the functions that one place uses: file, line, name, lines
}

// longFunction is from how many lines on a function should say why it does what it does.
const longFunction = 40

// Add adds the figures of another package.
func (c *Counts) Add(d Counts) {
	c.Lines += d.Lines
	c.Blank += d.Blank
	c.Assigned += d.Assigned
	c.Tuples += d.Tuples
	c.Checks += d.Checks
	c.Nested += d.Nested
	c.Functions += d.Functions
	c.CalledOnce += d.CalledOnce
	c.Long += d.Long
	c.LongSilent += d.LongSilent
	c.Once = append(c.Once, d.Once...)
}

// Count returns the figures of a package of the tree.
func (t *Tree) Count(p *Package) Counts {
	var c Counts
	for _, f := range p.Files {
		if f.Test || ast.IsGenerated(f.Syntax) {
			continue
		}
		for _, d := range f.Syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				t.countLines(&c, f, fn)
				countStatements(&c, fn)
			}
		}
	}

	t.countCallers(&c, p)
	return c
}

// countLines looks at the paragraphs and the comments of a function.
func (t *Tree) countLines(c *Counts, f *File, fn *ast.FuncDecl) {
	lines := t.linesOf(f, fn.Body)
	if len(lines) > 5 {
		body := lines[1 : len(lines)-1]
		c.Lines += len(body)
		for _, line := range body {
			if len(line) == 0 {
				c.Blank++
			}
		}
	}

	if codeLines(lines) < longFunction {
		return
	}

	c.Long++
	if !slices.ContainsFunc(lines, func(line []byte) bool { return bytes.Contains(line, []byte("//")) }) {
		c.LongSilent++
	}
}

// countStatements looks at the assignments and the checks of errors in a function.
func countStatements(c *Counts, fn *ast.FuncDecl) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.AssignStmt:
			c.Assigned++
			if len(s.Lhs) > 1 && len(s.Rhs) == len(s.Lhs) && !isSwap(s) {
				c.Tuples++
			}

		case *ast.IfStmt:
			switch {
			case comparesError(s.Cond, token.NEQ):
				c.Checks++
			case comparesError(s.Cond, token.EQL):
				c.Checks++
				if !leaves(s.Body) {
					c.Nested++
				}
			}
		}
		return true
	})
}

// isSwap tells whether a statement assigns the values that it replaces, in another order.
func isSwap(s *ast.AssignStmt) bool {
	if s.Tok == token.DEFINE {
		return false
	}

	for _, left := range s.Lhs {
		name := types.ExprString(left)
		if !slices.ContainsFunc(s.Rhs, func(right ast.Expr) bool { return types.ExprString(right) == name }) {
			return false
		}
	}
	return true
}

// comparesError tells whether a condition is nothing but a comparison of an error with nil.
func comparesError(cond ast.Expr, op token.Token) bool {
	b, ok := cond.(*ast.BinaryExpr)
	if !ok || b.Op != op || types.ExprString(b.Y) != "nil" {
		return false
	}
	x, ok := b.X.(*ast.Ident)
	return ok && (x.Name == "err" || x.Name == "failed")
}

// leaves tells whether a block ends the function or the turn of a loop, so that nothing is nested.
func leaves(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return len(b.List) == 1
	}
	return false
}

// countCallers counts the functions of a package and finds the unexported ones that one place of it
// uses. What other packages define is not looked at: nothing there can call these functions.
func (t *Tree) countCallers(c *Counts, p *Package) {
	var files []*ast.File
	named := map[string]*File{}
	for _, f := range p.Files {
		if !f.Test && !ast.IsGenerated(f.Syntax) {
			files = append(files, f.Syntax)
			named[f.Name] = f
		}
	}

	if len(files) == 0 {
		return
	}

	info := types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{
		Importer: noImports{},
		Error:    func(error) {}, // of every imported name, and of files for other platforms
	}
	_, _ = config.Check(p.Dir, t.fset, files, &info)

	uses := map[types.Object]int{}
	for _, o := range info.Uses {
		if fn, ok := o.(*types.Func); ok {
			o = fn.Origin()
		}
		uses[o]++
	}

	for _, f := range files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}

			c.Functions++
			if fn.Name.IsExported() || uses[info.Defs[fn.Name]] != 1 {
				continue
			}

			c.CalledOnce++
			at := t.fset.Position(fn.Pos())
			c.Once = append(c.Once, sprintOnce(at, fn.Name.Name, codeLines(t.linesOf(named[at.Filename], fn.Body))))
		}
	}
}

// noImports is an importer that has nothing.
type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not needed") }

func sprintOnce(at token.Position, name string, lines int) string {
	return fmt.Sprintf("%s:%d %s %d", at.Filename, at.Line, name, lines)
}
