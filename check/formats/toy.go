package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/check/harness"
)

// toyPeer runs the verbs and the server on files of the toy format, and compares with NumPy and
// zarr-python.
//
//go:embed toy.py
var toyPeer string

// The places where the source of the toy format comes from and goes to.
const (
	toyPage  = "docs/architecture.md"
	rowsFile = "internal/formats/formats.go"
	rowsHead = "func Foreign() []Format {\n\treturn []Format{\n"
)

// toy builds the command with a format more, and has Python use it. The format is the one of
// docs/architecture.md: a file, and a row in the table, which are laid over the source.
func toy(python string) error {
	dir, err := os.MkdirTemp("", "cairn-toy-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary, err := buildToy(dir)
	if err != nil {
		return err
	}

	run := exec.Command(python, "-c", toyPeer, binary)
	run.Dir = dir
	run.Stdout = os.Stdout
	run.Stderr = os.Stderr
	return run.Run()
}

// buildToy builds the command with the toy format in a directory.
func buildToy(dir string) (binary string, err error) {
	page, err := os.ReadFile(toyPage)
	if err != nil {
		return "", fmt.Errorf("%w; run this where the folder docs is", err)
	}
	_, source, ok := strings.Cut(string(page), "```go\npackage formats\n")
	source, _, closed := strings.Cut(source, "```")
	if !ok || !closed {
		return "", errors.New(toyPage + " has no file of package formats")
	}

	rows, err := os.ReadFile(rowsFile)
	if err != nil {
		return "", err
	}
	before, after, ok := strings.Cut(string(rows), rowsHead)
	if !ok {
		return "", fmt.Errorf("%s has no table that begins with %q", rowsFile, rowsHead)
	}

	over := map[string]string{}
	for name, text := range map[string]string{
		"internal/formats/toy.go": "package formats\n" + source,
		rowsFile:                  before + rowsHead + "\t\ttoy(),\n" + after,
	} {
		at := filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
			return "", err
		}
		over[name] = at
	}
	list, err := json.Marshal(map[string]any{"Replace": over})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, list, 0o666); err != nil {
		return "", err
	}
	return harness.Build(dir, "-overlay", overlay)
}
