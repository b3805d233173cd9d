package lint

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

func checkComments(t *Tree) []Problem {
	var out []Problem
	for _, p := range t.Packages {
		documented := false
		for _, f := range p.Files {
			if f.Test {
				continue
			}
			documented = documented || f.Syntax.Doc != nil
			for _, d := range f.Syntax.Decls {
				for _, m := range undocumented(d) {
					out = append(out, t.problem("comments", f.Name, m.Pos(), "%s needs a doc comment that starts with its name", m.Name))
				}
			}
		}

		if !documented && p.hasCode() {
			out = append(out, Problem{"comments", p.Dir, 0, "the package has no package comment"})
		}
	}
	return out
}

// checkOverview looks for the public packages in the comment of the module's own package.
func checkOverview(t *Tree) []Problem {
	overview := ""
	for _, p := range t.Packages {
		if p.Dir != "." {
			continue
		}
		for _, f := range p.Files {
			if f.Syntax.Doc != nil && !f.Test {
				overview += f.Syntax.Doc.Text()
			}
		}
	}

	var out []Problem
	for _, p := range t.Packages {
		if p.Dir == "." || !p.hasCode() || !public(p) || strings.Contains(overview, "["+t.Module+"/"+p.Dir+"]") {
			continue
		}
		out = append(out, Problem{"overview", p.Dir, 0, "a public package: name it in doc.go"})
	}
	return out
}

// public tells whether programs outside of this module can import a package.
func public(p *Package) bool {
	elements := strings.Split(p.Dir, "/")
	if elements[0] == "check" || slices.Contains(elements, "internal") {
		return false
	}
	return !slices.ContainsFunc(p.Files, func(f *File) bool { return f.Syntax.Name.Name == "main" })
}

func (p *Package) hasCode() bool {
	for _, f := range p.Files {
		if !f.Test {
			return true
		}
	}
	return false
}

// undocumented returns the exported names of a declaration without a proper comment.
func undocumented(d ast.Decl) []*ast.Ident {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && exportedReceiver(d) && !startsWith(d.Doc, d.Name.Name) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		var out []*ast.Ident
		for _, spec := range d.Specs {
			out = append(out, undocumentedSpec(d, spec)...)
		}
		return out
	}
	return nil
}

func undocumentedSpec(d *ast.GenDecl, spec ast.Spec) []*ast.Ident {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		doc := s.Doc
		if doc == nil && !d.Lparen.IsValid() {
			doc = d.Doc
		}
		if s.Name.IsExported() && !startsWith(doc, s.Name.Name) {
			return []*ast.Ident{s.Name}
		}
	case *ast.ValueSpec:
		// Within a group, a comment above the group or on the name's line suffices.
		grouped := d.Lparen.IsValid() && (d.Doc != nil || s.Doc != nil || s.Comment != nil)
		if grouped {
			return nil
		}

		doc := s.Doc
		if doc == nil && !d.Lparen.IsValid() {
			doc = d.Doc
		}

		for _, name := range s.Names {
			if name.IsExported() && !startsWith(doc, s.Names[0].Name) {
				return []*ast.Ident{name}
			}
		}
	}
	return nil
}

// exportedReceiver reports whether a function is not a method of an unexported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}

	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.IndexListExpr:
			typ = x.X
		case *ast.Ident:
			return token.IsExported(x.Name)
		default:
			return true
		}
	}
}

func startsWith(doc *ast.CommentGroup, name string) bool {
	text := doc.Text()
	for _, article := range []string{"A ", "An ", "The "} {
		text = strings.TrimPrefix(text, article)
	}
	rest, ok := strings.CutPrefix(text, name)
	return ok && (rest == "" || !isNamePart(rest[0]))
}

func isNamePart(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}
