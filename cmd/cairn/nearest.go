package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/cairn/internal/suggest"
)

// nearest returns a question that proposes the file, or the array in a store, that the user may
// have meant, if the error is that an operand was not found.
func (std *streams) nearest(ctx context.Context, args []string, err error) string {
	for _, arg := range args {
		name, key, leaf := splitLeaf(arg)
		_, missing := os.Lstat(name)
		switch {
		case name == "" || strings.HasPrefix(arg, "-") || !strings.Contains(err.Error(), path.Base(name)):
		case errors.Is(err, fs.ErrNotExist) && errors.Is(missing, fs.ErrNotExist):
			return nearestFile(name)
		case leaf && errors.Is(err, cairn.ErrNotFound) && missing == nil:
			return std.nearestKey(ctx, name, key)
		}
	}
	return ""
}

// nearestFile looks for files with the same extension and nearly the same name, or with the same
// name and another extension.
func nearestFile(name string) string {
	dir, base := filepath.Split(name)
	d, err := os.Open(filepath.Clean(dir + "."))
	if err != nil {
		return ""
	}
	defer d.Close()
	names, _ := d.Readdirnames(mostEntries) // an error leaves fewer
	slices.Sort(names)
	ext := filepath.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	var stems []string
	same := ""
	for _, other := range names {
		if s, ok := strings.CutSuffix(other, ext); ok && s != "" {
			stems = append(stems, s)
		}
		if same == "" && stem != "" && strings.TrimSuffix(other, filepath.Ext(other)) == stem {
			same = "; did you mean " + dir + other + "?"
		}
	}
	question := suggest.Question(stem, stems)
	if before, found := strings.CutSuffix(question, "?"); found {
		return strings.Replace(before, "mean ", "mean "+dir, 1) + ext + "?"
	}
	return same
}

// nearestKey looks for an array in a store.
func (std *streams) nearestKey(ctx context.Context, name, key string) string {
	f, err := std.openForest(ctx, name, 1)
	if err != nil || f == nil {
		return ""
	}
	defer f.close()
	question := suggest.Question(path.Join("/", key), f.arrays())
	return strings.Replace(question, "mean ", "mean "+name+leafMark, 1)
}
