package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// limitsPage is the document with the bounds that users can meet.
const limitsPage = "docs/limits.md"

const limitsHead = `# Limits

Whoever gives cairn a file, a request or an expression can meet these bounds. Errors about those
that keep what untrusted input costs in proportion match ` + "`cairn.ErrLimit`" + `; errors about bounds of
the formats have the kind that fits.

Programs set those of ` + "`cairn.Limits`" + `, where zero means the default: the bytes of headers,
trailers, chunks, indexes and metalayers of frames, of a single allocation in any format, and the
arrays and groups of a tree. The others are constants; these are all beyond which functions fail.
` + "`go test ./internal/test/lint -run Limits -update`" + ` writes the list from the code.

| constant | value | bounds |
|---|---|---|
`

var boundName = regexp.MustCompile(`^(default)?[mM](ax|ost)[A-Z]`)

// A bound is a constant beyond which something is refused.
type bound struct {
	dir, name, value, text string
	file                   string
	pos                    token.Pos
}

// Limits returns the page with all bounds that users can meet.
func Limits(t *Tree) []byte {
	var b strings.Builder
	b.WriteString(limitsHead)
	for _, l := range t.bounds() {
		fmt.Fprintf(&b, "| `%s.%s` | `%s` | %s |\n", shownPackage(l.dir), l.name, l.value, l.text)
	}
	return []byte(b.String())
}

// shownPackage returns how the page names the package of a folder.
func shownPackage(dir string) string {
	if dir == "." {
		return "cairn"
	}
	return dir
}

// checkLimits reports bounds that users can meet without a comment that says what they bound.
func checkLimits(t *Tree) []Problem {
	var out []Problem
	for _, l := range t.bounds() {
		if l.text == "" {
			out = append(out, t.problem("limits", l.file, l.pos, "%s needs a comment that says what it bounds, for %s",
				l.name, limitsPage))
		}
	}
	return out
}

// bounds returns the constants named after a maximum beyond which functions fail.
func (t *Tree) bounds() (all []bound) {
	for _, p := range t.Packages {
		if matchAny([]string{"check/...", "internal/test/..."}, p.Dir) {
			continue
		}

		refused := map[string]bool{}
		for _, f := range p.Files {
			for _, d := range f.Syntax.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && !f.Test {
					noteRefused(fn, refused)
				}
			}
		}

		for _, f := range p.Files {
			if f.Test {
				continue
			}
			for _, l := range t.constants(f.Syntax) {
				if refused[l.name] || strings.HasPrefix(l.name, "defaultMax") {
					l.dir = p.Dir
					l.file = f.Name
					all = append(all, l)
				}
			}
		}
	}

	slices.SortStableFunc(all, func(a, b bound) int { return strings.Compare(a.dir, b.dir) })
	return all
}

// failing are the functions that make errors.
var failing = []string{"Errorf", "Corruptf", "Failf", "Failed", "usagef", "outside"}

// noteRefused notes the names of bounds that a function uses if it also uses ErrLimit, and those in
// conditions behind which it makes another error.
func noteRefused(fn *ast.FuncDecl, refused map[string]bool) {
	names := identifiers(fn)
	if slices.Contains(names, "ErrLimit") {
		noteBounds(names, refused)
	}

	ast.Inspect(fn, func(n ast.Node) bool {
		var behind []string
		var conditions []ast.Expr
		switch n := n.(type) {
		case *ast.IfStmt:
			conditions = []ast.Expr{n.Cond}
			behind = identifiers(n.Body)
		case *ast.CaseClause:
			conditions = n.List
			for _, s := range n.Body {
				behind = append(behind, identifiers(s)...)
			}
		}

		if slices.ContainsFunc(behind, func(name string) bool { return slices.Contains(failing, name) }) {
			for _, c := range conditions {
				noteBounds(identifiers(c), refused)
			}
		}
		return true
	})
}

func noteBounds(names []string, refused map[string]bool) {
	for _, name := range names {
		if boundName.MatchString(name) {
			refused[name] = true
		}
	}
}

func identifiers(n ast.Node) (names []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names = append(names, id.Name)
		}
		return true
	})
	return names
}

// constants returns the constants of a file that are named after a maximum.
func (t *Tree) constants(f *ast.File) (all []bound) {
	for _, d := range f.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}

		for _, spec := range group.Specs {
			v := spec.(*ast.ValueSpec)
			comment := v.Comment.Text()
			if comment == "" {
				comment = v.Doc.Text()
			}
			if comment == "" && len(group.Specs) == 1 {
				comment = group.Doc.Text()
			}

			for i, name := range v.Names {
				if boundName.MatchString(name.Name) && i < len(v.Values) {
					// The first sentence of a comment without the name of the constant.
					text := strings.Join(strings.Fields(comment), " ")
					if i := strings.Index(text, ". "); i >= 0 {
						text = text[:i]
					}
					text = strings.TrimSuffix(text, ".")
					for _, before := range []string{name.Name + " ", "is ", "bounds "} {
						text = strings.TrimPrefix(text, before)
					}

					all = append(all, bound{name: name.Name, value: t.text(v.Values[i]), text: text, pos: name.Pos()})
				}
			}
		}
	}
	return all
}
