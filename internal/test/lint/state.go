package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
)

// mayChange lists the folders whose package variables may change: tests switch the CPU tier to
// reach every kernel.
var mayChange = []string{"internal/asm/cpu"}

// pools lists the only package variables that retain memory between calls: caches that the garbage
// collector empties (docs/decisions/0006-pooled-workspaces.md).
var pools = []string{"chunk.workspaces", "frame.buffers", "ndarray.boxMemories", "ndarray.chunkMemories",
	"storage.idle"}

func checkState(t *Tree) []Problem {
	var out []Problem
	for _, p := range t.Packages {
		// Resolve the identifiers of a package. Imported packages are replaced by empty
		// ones, since their contents do not matter here.
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		conf := types.Config{Importer: standIns{}, Error: func(error) {}, FakeImportC: true}
		var files []*ast.File
		for _, f := range p.Files {
			if !f.Test {
				files = append(files, f.Syntax)
			}
		}

		// The error is expected, since the empty packages lack all names.
		_, _ = conf.Check(path.Join(t.Module, p.Dir), t.fset, files, info)
		uses := info.Uses

		for _, f := range p.Files {
			if f.Test {
				continue
			}
			s := stateCheck{tree: t, dir: p.Dir, file: f, uses: uses, quiet: matchAny(mayChange, p.Dir)}
			for _, d := range f.Syntax.Decls {
				s.decl(d)
			}
			out = append(out, s.found...)
		}
	}
	return out
}

type standIns struct{}

// Import returns an empty package of the given path.
func (standIns) Import(importPath string) (*types.Package, error) {
	p := types.NewPackage(importPath, path.Base(importPath))
	p.MarkComplete()
	return p, nil
}

type stateCheck struct {
	tree  *Tree
	dir   string
	file  *File
	uses  map[*ast.Ident]types.Object
	quiet bool // changes are allowed here
	found []Problem
}

func (s *stateCheck) report(pos token.Pos, format string, args ...any) {
	s.found = append(s.found, s.tree.problem("state", s.file.Name, pos, format, args...))
}

func (s *stateCheck) decl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.Name == "init" && d.Recv == nil {
			s.report(d.Pos(), "init functions are not used; compute it in a variable's initialiser or on first use")
		}
		if d.Body != nil && !s.quiet {
			ast.Inspect(d.Body, s.statement)
		}

	case *ast.GenDecl:
		if d.Tok != token.VAR {
			return
		}
		for _, spec := range d.Specs {
			v := spec.(*ast.ValueSpec)
			s.typed(v, v.Type)
			for _, e := range v.Values {
				s.value(v, e)
			}
		}
	}
}

// value checks the initial value of a package variable: for a literal of a lock, or for a function
// that may change other variables.
func (s *stateCheck) value(v *ast.ValueSpec, e ast.Expr) {
	switch e := e.(type) {
	case *ast.CompositeLit:
		s.typed(v, e.Type)
	case *ast.UnaryExpr:
		s.value(v, e.X)
	}
	if !s.quiet {
		ast.Inspect(e, s.statement)
	}
}

// typed reports package variables of types whose purpose is to be changed.
func (s *stateCheck) typed(v *ast.ValueSpec, typ ast.Expr) {
	if array, ok := typ.(*ast.ArrayType); ok {
		typ = array.Elt
	}
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if index, ok := typ.(*ast.IndexExpr); ok { // atomic.Pointer[T]
		typ = index.X
	}

	sel, ok := typ.(*ast.SelectorExpr)
	if !ok {
		return
	}

	pkg, ok := sel.X.(*ast.Ident)
	if ok && pkg.Name == "sync" && sel.Sel.Name == "Pool" && len(v.Names) == 1 && slices.Contains(pools, s.dir+"."+v.Names[0].Name) {
		return
	}
	if ok && (pkg.Name == "sync" || pkg.Name == "atomic") {
		s.report(v.Pos(), "package variable of type %s.%s: state belongs in a value that the caller holds", pkg.Name, sel.Sel.Name)
	}
}

func (s *stateCheck) statement(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			for _, e := range n.Lhs {
				s.changed(e)
			}
		}

	case *ast.IncDecStmt:
		s.changed(n.X)

	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			s.changed(n.Key)
			s.changed(n.Value)
		}

	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok && len(n.Args) > 0 && (f.Name == "delete" || f.Name == "clear" || f.Name == "copy") {
			s.changed(n.Args[0])
		}
	}
	return true
}

// changed reports an assignment to an expression whose root is a package variable.
func (s *stateCheck) changed(e ast.Expr) {
	root := rootIdent(e)
	if root == nil {
		return
	}
	if v, ok := s.uses[root].(*types.Var); ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
		s.report(root.Pos(), "package variable %s is changed at run time: state belongs in a value that the caller holds", root.Name)
	}
}

func rootIdent(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

func checkEnvironment(t *Tree) []Problem {
	var out []Problem
	for _, p := range t.Packages {
		// The tests of kernels read an environment variable with the required tiers, and whether
		// memory has huge pages concerns the process as a whole.
		if p.Main() || match("cmd/internal/command", p.Dir) || p.Dir == "internal/test/asmtest" ||
			p.Dir == "internal/osfile/fresh" {
			continue
		}
		for _, f := range p.Files {
			if f.Test {
				continue
			}
			ast.Inspect(f.Syntax, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}

				pkg, ok := sel.X.(*ast.Ident)
				if ok && pkg.Name == "os" &&
					(sel.Sel.Name == "Getenv" || sel.Sel.Name == "LookupEnv" || sel.Sel.Name == "Environ" ||
						sel.Sel.Name == "ExpandEnv") {
					out = append(out, t.problem("environment", f.Name, sel.Pos(),
						"os.%s: what a caller may choose belongs in options", sel.Sel.Name))
				}
				return true
			})
		}
	}
	return out
}
