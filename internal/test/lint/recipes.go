package lint

import (
	"io/fs"
	"strings"
)

// checkRecipes checks that every go block of the documents is part of a test file, so that it
// compiles and runs. checkReadme checks whole programs, and check/formats builds the whole file of
// a format.
func checkRecipes(t *Tree) []Problem {
	_, pages, err := goFiles(t.FS)
	if err != nil {
		return []Problem{{"recipes", ".", 0, err.Error()}}
	}

	var tests []string
	for _, p := range t.Packages {
		for _, f := range p.Files {
			if f.Test {
				tests = append(tests, unindented(string(f.Source)))
			}
		}
	}

	var out []Problem
	for _, page := range pages {
		text, err := fs.ReadFile(t.FS, page)
		if err != nil {
			return append(out, Problem{"recipes", page, 0, err.Error()})
		}

		line := 1
		for i, block := range strings.Split(string(text), "```go\n") {
			code, _, _ := strings.Cut(block, "```")
			whole := strings.HasPrefix(code, "package main") || strings.HasPrefix(code, "package formats")
			if i > 0 && !whole && !containsAny(tests, unindented(code)) {
				out = append(out, Problem{"recipes", page, line, "no test file has this code"})
			}
			line += strings.Count(block, "\n") + 1
		}
	}
	return out
}

// unindented returns the lines of a text without indentation and without empty lines.
func unindented(text string) string {
	b := strings.Builder{}
	b.WriteByte('\n')
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func containsAny(texts []string, part string) bool {
	for _, text := range texts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
