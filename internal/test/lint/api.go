package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// apiPage lists the module's exported identifiers, so that every change of them shows in a diff.
const apiPage = "internal/test/lint/testdata/api.txt"

const apiHead = `# Exported identifiers

Generated from the code; a test compares the two. To update it after a change or a merge conflict:

    go test ./internal/test/lint -run API -update

Names are functions, types, methods (including those of interfaces), variables and untyped
constants. Typed constants and fields belong to a name; they are listed but not counted.

| package | names | typed constants | fields |
|---|---:|---:|---:|
`

// An exported is a package with its exported identifiers, one line each.
type exported struct {
	dir                       string
	lines                     []string
	names, constants, members int

	shown map[string]bool // unexported types that exported structs embed, with their methods
}

// API returns the content of apiPage: the exported identifiers of each public package with
// their signatures.
func API(t *Tree) []byte {
	var head, body bytes.Buffer
	head.WriteString(apiHead)
	var sum exported
	for _, p := range t.Packages {
		if p.Main() || hidden(p.Dir) {
			continue
		}

		e := t.exported(p)
		if len(e.lines) == 0 {
			continue
		}

		name := "`" + e.dir + "`"
		if e.dir == "." {
			name = "root"
		}

		fmt.Fprintf(&head, "| %s | %d | %d | %d |\n", name, e.names, e.constants, e.members)
		fmt.Fprintf(&body, "\n## %s\n\n```\n%s\n```\n", name, strings.Join(e.lines, "\n"))
		sum.names += e.names
		sum.constants += e.constants
		sum.members += e.members
	}

	fmt.Fprintf(&head, "| all | %d | %d | %d |\n", sum.names, sum.constants, sum.members)
	return append(head.Bytes(), body.Bytes()...)
}

// hidden reports whether users of the module cannot import a package, or have no reason to.
func hidden(dir string) bool {
	parts := strings.Split(dir, "/")
	return parts[0] == "cmd" || parts[0] == checks || slices.Contains(parts, "internal")
}

func (t *Tree) exported(p *Package) exported {
	e := exported{dir: p.Dir, shown: map[string]bool{}}
	for _, f := range p.Files {
		if !f.Test {
			// Note the unexported types of the package that exported structs embed. Their
			// methods are those of the structs.
			ast.Inspect(f.Syntax, func(n ast.Node) bool {
				s, ok := n.(*ast.TypeSpec)
				if !ok || !s.Name.IsExported() {
					return true
				}

				x, ok := s.Type.(*ast.StructType)
				if !ok {
					return true
				}

				for _, m := range x.Fields.List {
					if len(m.Names) == 0 {
						e.shown[types.ExprString(m.Type)] = true
					}
				}
				return true
			})
		}
	}

	for _, f := range p.Files {
		if f.Test {
			continue
		}
		for _, d := range f.Syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				t.exportedFunc(&e, d)
			case *ast.GenDecl:
				var typ ast.Expr // of a constant that repeats the previous line
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						if s.Name.IsExported() {
							t.exportedType(&e, s)
						}
					case *ast.ValueSpec:
						if s.Type != nil || len(s.Values) > 0 {
							typ = s.Type
						}
						t.exportedValues(&e, d.Tok, s, typ)
					}
				}
			}
		}
	}

	slices.Sort(e.lines)
	return e
}

func (t *Tree) exportedFunc(e *exported, d *ast.FuncDecl) {
	if !d.Name.IsExported() {
		return
	}
	if !exportedReceiver(d) && !e.shown[strings.TrimPrefix(t.text(d.Recv.List[0].Type), "*")] {
		return
	}

	e.names++
	kind := "func"
	if d.Recv != nil {
		kind = "method (" + t.text(d.Recv.List[0].Type) + ")"
	}

	e.add("%s %s%s", kind, d.Name.Name, strings.TrimPrefix(t.text(d.Type), "func"))
}

func (t *Tree) exportedValues(e *exported, tok token.Token, s *ast.ValueSpec, typ ast.Expr) {
	for i, name := range s.Names {
		if !name.IsExported() {
			continue
		}

		line := tok.String() + " " + name.Name
		switch {
		case typ != nil:
			line += " " + t.text(typ)
		case tok == token.CONST && i < len(s.Values):
			line += " = " + t.text(s.Values[i])
		}

		e.add("%s", line)
		if tok == token.CONST && typ != nil {
			e.constants++
		} else {
			e.names++
		}
	}
}

func (t *Tree) exportedType(e *exported, s *ast.TypeSpec) {
	e.names++
	head := "type " + s.Name.Name
	if s.TypeParams != nil {
		// As a function type, since the printer cannot print type parameters alone.
		text := t.text(&ast.FuncType{TypeParams: s.TypeParams, Params: &ast.FieldList{}})
		head += strings.TrimSuffix(strings.TrimPrefix(text, "func"), "()")
	}

	if s.Assign.IsValid() {
		head += " ="
	}

	switch x := s.Type.(type) {
	case *ast.StructType:
		e.add("%s struct", head)
		e.members += t.exportedMembers(e, head+" struct", x.Fields, " ")
	case *ast.InterfaceType:
		e.add("%s interface", head)
		e.names += t.exportedMembers(e, head+" interface", x.Methods, "")
	default:
		e.add("%s %s", head, t.text(x))
	}
}

// exportedMembers adds a line for each exported field or method and returns the number of those
// that are named.
func (t *Tree) exportedMembers(e *exported, head string, list *ast.FieldList, gap string) int {
	named := 0
	for _, m := range list.List {
		typ := t.text(m.Type)
		if gap == "" {
			typ = strings.TrimPrefix(typ, "func")
		}
		if len(m.Names) == 0 {
			e.add("%s, embedded %s", head, typ)
		}

		for _, name := range m.Names {
			if name.IsExported() {
				named++
				e.add("%s, %s%s%s", head, name.Name, gap, typ)
			}
		}
	}
	return named
}

func (e *exported) add(format string, args ...any) {
	e.lines = append(e.lines, fmt.Sprintf(format, args...))
}

// text prints part of a declaration on one line.
func (t *Tree) text(node ast.Node) string {
	var b strings.Builder
	if err := printer.Fprint(&b, t.fset, node); err != nil {
		return err.Error() // of the writer, which never fails
	}
	line := strings.Join(strings.Fields(b.String()), " ")
	return strings.NewReplacer("( ", "(", ", )", ")").Replace(line) // join lists that were wrapped
}
