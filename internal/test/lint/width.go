package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxColumns is the maximum width of comments and text, with tabs of tabColumns columns.
const (
	maxColumns = 100
	tabColumns = 4
)

// unbroken matches comments that cannot be wrapped: directives and links.
var unbroken = regexp.MustCompile("^//[a-z]+:|https?://")

func checkWidth(t *Tree) []Problem {
	var out []Problem
	for _, p := range t.Packages {
		for _, f := range p.Files {
			out = append(out, wideComments(t.fset, f.Name, f.Source, f.Syntax)...)
		}
	}
	return out
}

// wideComments reports the comments of a Go file that are too wide.
func wideComments(fset *token.FileSet, name string, source []byte, syntax *ast.File) []Problem {
	var out []Problem
	lines := bytes.Split(source, []byte("\n"))
	for _, g := range syntax.Comments {
		for _, c := range g.List {
			line := fset.Position(c.Pos()).Line
			if n := columns(lines[line-1]); n > maxColumns && !unbroken.MatchString(c.Text) {
				report := fmt.Sprintf("%d columns with the comment; wrap it at %d", n, maxColumns)
				out = append(out, Problem{"width", name, line, report})
			}
		}
	}
	return out
}

func columns(line []byte) int {
	return utf8.RuneCount(line) + (tabColumns-1)*bytes.Count(line, []byte("\t"))
}

// unwrapped matches lines of Markdown that cannot be wrapped: rows of tables, indented code, and
// links.
var unwrapped = regexp.MustCompile(`^(\||    |\t)|\]\(|://`)

// checkTextWidth checks the width of lines of Markdown outside of tables and code blocks.
func checkTextWidth(t *Tree) []Problem {
	_, pages, err := goFiles(t.FS)
	if err != nil {
		return []Problem{{"text width", ".", 0, err.Error()}}
	}

	var out []Problem
	for _, page := range pages {
		text, err := fs.ReadFile(t.FS, page)
		if err != nil {
			return append(out, Problem{"text width", page, 0, err.Error()})
		}

		line := 0
		fenced := false
		for row := range bytes.Lines(text) {
			line++
			row = bytes.TrimRight(row, "\n")
			if bytes.HasPrefix(bytes.TrimSpace(row), []byte("```")) {
				fenced = !fenced
			}
			if n := columns(row); n > maxColumns && !fenced && !unwrapped.Match(row) {
				report := fmt.Sprintf("%d columns; wrap the text at %d", n, maxColumns)
				out = append(out, Problem{"text width", page, line, report})
			}
		}
	}
	return out
}

// commentMarks are the signs that begin a comment, by extension. A file without one is a script.
var commentMarks = map[string]string{
	".s": "//", ".h": "//", ".c": "//", ".py": "#", ".sh": "#", ".yml": "#", "": "#",
}

// checkScriptWidth checks the width of comments in assembly, C, Python, shell and YAML, and in the
// Go files of nested modules, which are not among the packages of the tree.
func checkScriptWidth(t *Tree) []Problem {
	var out []Problem
	members := map[string]bool{}
	for _, p := range t.Packages {
		for _, f := range p.Files {
			members[f.Name] = true
		}
	}

	err := fs.WalkDir(t.FS, ".", func(name string, d fs.DirEntry, err error) error {
		base := path.Base(name)
		switch hidden := base[0] == '.' && base != "." && base != ".ci" && base != ".github"; {
		case err != nil:
			return err
		case d.IsDir() && hidden:
			return fs.SkipDir
		case d.IsDir() || hidden:
			return nil
		}

		mark, ok := commentMarks[path.Ext(base)]
		nested := path.Ext(base) == ".go" && !members[name] && !strings.Contains(name, "testdata/")
		if !ok && !nested {
			return nil
		}

		text, err := fs.ReadFile(t.FS, name)
		if err == nil && nested {
			fset := token.NewFileSet()
			syntax, err := parser.ParseFile(fset, name, text, parser.ParseComments)
			if err != nil {
				return err
			}

			out = append(out, wideComments(fset, name, text, syntax)...)
			return nil
		}

		if err != nil || path.Ext(base) == "" && !bytes.HasPrefix(text, []byte("#!")) {
			return err
		}

		line := 0
		comment := regexp.MustCompile(`(^|\s)` + mark + `\s`)
		for row := range bytes.Lines(text) {
			line++
			row = bytes.TrimRight(row, "\n")
			if n := columns(row); n > maxColumns && comment.Match(row) && !unbroken.Match(row) {
				report := fmt.Sprintf("%d columns with the comment; wrap it at %d", n, maxColumns)
				out = append(out, Problem{"script width", name, line, report})
			}
		}
		return nil
	})
	if err != nil {
		out = append(out, Problem{"script width", ".", 0, err.Error()})
	}
	return out
}
