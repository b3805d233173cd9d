package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommandsInDocuments parses every command that the documents show, "$ cairn VERB …".
func TestCommandsInDocuments(t *testing.T) {
	pages, err := filepath.Glob("../../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, page := range append(pages, "../../../README.md", "../../../CONTRIBUTING.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			command, ok := strings.CutPrefix(line, "$ cairn ")
			if !ok {
				continue
			}
			shown++
			args := shellWords(command)
			v, err := findVerb(args[0])
			if err != nil {
				t.Errorf("%s: %v in %q", page, err, line)
				continue
			}
			set, _ := v.flags()
			if _, err := parseFlags(set, args[1:], nil); err != nil {
				t.Errorf("%s: %v in %q", page, err, line)
			}
		}
	}
	if shown < 15 {
		t.Errorf("found %d commands", shown)
	}
}

// shellWords splits a command up to a pipe, with single quotes.
func shellWords(command string) []string {
	var words []string
	quoted, open := false, false
	for _, r := range command {
		switch {
		case r == '\'':
			quoted = !quoted
		case r == '|' && !quoted:
			return words
		case (r == ' ' || r == '\n') && !quoted:
			open = false
			continue
		}
		if !open {
			words, open = append(words, ""), true
		}
		if r != '\'' {
			words[len(words)-1] += string(r)
		}
	}
	return words
}

// TestVerbsInManual checks that the manual's first table has a row for every verb.
func TestVerbsInManual(t *testing.T) {
	text, err := os.ReadFile("../../../docs/command.md")
	if err != nil {
		t.Fatal(err)
	}
	table, _, ok := strings.Cut(string(text), "\n## Operands\n")
	if !ok {
		t.Fatal("docs/command.md has no section on operands behind its table")
	}
	for _, v := range verbs() {
		if !strings.Contains(table, "`"+v.name+"`") && !strings.Contains(table, "`"+v.name+" [") {
			t.Errorf("docs/command.md has no row for %s", v.name)
		}
	}
}
