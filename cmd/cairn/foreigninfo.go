package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/cmd/cairn/internal/progress"
	"github.com/cairn-go/cairn/npy"
)

// foreignInfo is the description of a foreign file; its fields are those of the JSON output.
type foreignInfo struct {
	Path    string         `json:"path"`
	Format  string         `json:"format"`
	Arrays  []foreignArray `json:"arrays"`
	Convert string         `json:"convert"` // the command that makes it an array or a store
	is      string
	single  bool
}

type foreignArray struct {
	Key     string  `json:"key,omitempty"`
	Shape   []int64 `json:"shape,omitempty"`
	DType   string  `json:"dtype,omitempty"`
	Bytes   int64   `json:"bytes"`
	Fortran bool    `json:"fortran,omitempty"`
	Fault   string  `json:"fault,omitempty"`
}

// describeForeign describes a file of another format, or one array in it.
func describeForeign(ctx context.Context, operand string, f *foreignFile) (*foreignInfo, error) {
	keys := f.under(f.key)
	if len(keys) == 0 && f.key != "" || !f.format.trees && f.key != "" {
		return nil, f.choose(ctx, keys)
	}
	d := &foreignInfo{Path: operand, Format: f.format.name, Arrays: []foreignArray{}, is: f.format.is,
		single: !f.format.trees || len(keys) == 1 && f.key != ""}
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d.Arrays = append(d.Arrays, describeForeignArray(ctx, f, key))
	}
	to := strings.TrimSuffix(filepath.Base(f.in.name), filepath.Ext(f.in.name))
	if key := strings.Trim(f.key, "/"); key != "" {
		to = key[strings.LastIndexByte(key, '/')+1:]
	}
	to += ".b2z"
	if d.single {
		to = strings.TrimSuffix(to, "z") + "nd"
	}
	d.Convert = fmt.Sprintf("cairn import %s %s", shellWord(operand), shellWord(to))
	return d, nil
}

func describeForeignArray(ctx context.Context, f *foreignFile, key string) foreignArray {
	a := foreignArray{Key: key}
	src, err := f.open(ctx, key)
	if err != nil {
		a.Fault = oneLine(err.Error())
		return a
	}
	defer closeSource(src)
	a.Shape, a.DType, a.Bytes = src.Shape(), src.DType().String(), bytesOf(src)
	if n, ok := src.(*npy.Array); ok {
		a.Fortran = n.Fortran()
	}
	return a
}

// text returns the description for people.
func (d *foreignInfo) text() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-8s  %s\n", name, oneLine(fmt.Sprintf(format, args...)))
	}
	fmt.Fprintf(&b, "%s\n", oneLine(d.Path))
	line("kind", "%s", d.is)
	if !d.single {
		line("arrays", "%d", len(d.Arrays))
	}
	for _, a := range d.Arrays {
		switch {
		case !d.single && a.Fault != "":
			line("", "%s: %s", a.Key, a.Fault)
		case !d.single:
			line("", "%s  %s  %s%s", a.Key, shapeText(a.Shape), a.DType, a.orderText())
		case a.Fault != "":
			line("fault", "%s", a.Fault)
		default:
			line("shape", "%s%s", shapeText(a.Shape), a.orderText())
			line("dtype", "%s", a.DType)
			line("items", "%s", progress.Size(a.Bytes))
		}
	}
	line("convert", "%s", d.Convert)
	return b.String()
}

func (a *foreignArray) orderText() string {
	if a.Fortran {
		return ", in Fortran order"
	}
	return ""
}

// shellWord quotes a word for a shell if it has to be.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("/._-:+,@%", r) || r > 0x7f
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
