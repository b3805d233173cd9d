package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestBoundsAreDocumented compares the table in docs/command.md with the bounds.
func TestBoundsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/command.md")
	if err != nil {
		t.Fatal(err)
	}
	const head = "| verb | MiB |\n|---|---:|\n"
	_, table, found := strings.Cut(string(text), head)
	table, _, _ = strings.Cut(table, "\n\n")
	var want []string
	for _, b := range bounds {
		want = append(want, fmt.Sprintf("| %s | %d |", b.what, b.mebibytes))
	}
	if got := strings.Split(table, "\n"); !found || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("docs/command.md has\n%s\nwant\n%s", table, strings.Join(want, "\n"))
	}
}
