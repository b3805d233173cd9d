package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

var link = regexp.MustCompile(`\]\(([^()\s]+)\)`)

// checkLinks checks the relative links of every Markdown file, including anchors of headings. It
// does not check links to other sites.
func checkLinks(t *Tree) []Problem {
	var out []Problem
	err := fs.WalkDir(t.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (path.Base(name)[0] == '.' || path.Base(name) == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || path.Ext(name) != ".md" {
			return nil
		}

		text, err := fs.ReadFile(t.FS, name)
		if err != nil {
			return err
		}

		out = append(out, brokenLinks(t.FS, name, text)...)
		return nil
	})
	if err != nil {
		out = append(out, Problem{"links", ".", 0, err.Error()})
	}
	return out
}

func brokenLinks(fsys fs.FS, name string, text []byte) []Problem {
	var out []Problem
	line := 0
	fenced := false
	for row := range bytes.Lines(text) {
		line++
		if bytes.HasPrefix(bytes.TrimSpace(row), []byte("```")) {
			fenced = !fenced
		}
		if fenced {
			continue
		}

		for _, m := range link.FindAllSubmatch(row, -1) {
			target, heading, _ := strings.Cut(string(m[1]), "#")
			if strings.Contains(target, ":") {
				continue
			}

			page := name
			if target != "" {
				page = path.Join(path.Dir(name), target)
			}

			if _, err := fs.Stat(fsys, page); err != nil {
				out = append(out, Problem{"links", name, line, fmt.Sprintf("link to %s leads nowhere", target)})
			} else if heading != "" && !hasHeading(fsys, page, heading) {
				out = append(out, Problem{"links", name, line, fmt.Sprintf("%s has no heading #%s", page, heading)})
			}
		}
	}
	return out
}

// notInAnchor matches the characters that anchors of headings omit.
var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)

// hasHeading reports whether a page has a heading with the given anchor, formed as by GitHub.
func hasHeading(fsys fs.FS, page, anchor string) bool {
	text, err := fs.ReadFile(fsys, page)
	if err != nil {
		return false
	}

	for row := range strings.Lines(string(text)) {
		title := strings.TrimLeft(row, "#")
		if title == row {
			continue
		}
		title = notInAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
		if strings.ReplaceAll(title, " ", "-") == anchor {
			return true
		}
	}
	return false
}

// readmeExample is the example function whose body is the program in README.md.
const (
	readmeExample     = "Example_readme"
	readmeExampleFile = "readme_test.go"
)

// checkReadme compares the program in README.md, the first go block with a package clause, with the
// body of the example that `go test` runs, so that readers can trust its output.
func checkReadme(t *Tree) []Problem {
	report := func(format string, args ...any) []Problem {
		return []Problem{{"readme", "README.md", 0, fmt.Sprintf(format, args...)}}
	}
	readme, err := fs.ReadFile(t.FS, "README.md")
	if err != nil {
		return report("%v", err)
	}

	program, ok := firstProgram(string(readme))
	if !ok {
		return report("has no go block that is a whole program")
	}

	shown, err := functionBody("README.md", []byte(program), "main")
	if err != nil {
		return report("%v", err)
	}

	source, err := fs.ReadFile(t.FS, readmeExampleFile)
	if err != nil {
		return report("%v", err)
	}

	tested, err := functionBody(readmeExampleFile, source, readmeExample)
	if err != nil {
		return report("%v", err)
	}
	if shown != tested {
		return report("the program's main differs from %s in %s:\n%s\nagainst\n%s", readmeExample, readmeExampleFile, shown, tested)
	}
	return nil
}

func firstProgram(markdown string) (string, bool) {
	for _, block := range strings.Split(markdown, "```go\n")[1:] {
		code, _, ok := strings.Cut(block, "```")
		if ok && strings.HasPrefix(code, "package main") {
			return code, true
		}
	}
	return "", false
}

// functionBody returns a function's statements, formatted and without the output comment of an
// example.
func functionBody(file string, source []byte, name string) (string, error) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, file, source, parser.ParseComments)
	if err != nil {
		return "", err
	}

	for _, d := range syntax.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Name.Name != name {
			continue
		}
		from := fset.Position(fn.Body.Lbrace).Offset + 1
		to := fset.Position(fn.Body.Rbrace).Offset
		body, _, _ := strings.Cut(string(source[from:to]), "// Output:")
		formatted, err := format.Source([]byte(strings.TrimSpace(body)))
		return string(formatted), err
	}
	return "", fmt.Errorf("%s has no function %s", file, name)
}
