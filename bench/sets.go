package main

import (
	"errors"
	"path/filepath"
	"slices"
	"sort"

	"github.com/cairn-go/cairn/bench/data"
)

// kind returns a generated data set.
func kind(name string, size int) *data.Set {
	kinds := data.Kinds()
	return kinds[slices.IndexFunc(kinds, func(k data.Kind) bool { return k.Name == name })].Make(size)
}

// kindNames returns the names of the generated kinds that are held out, or of the others.
func kindNames(heldOut bool) []string {
	var out []string
	for _, k := range data.Kinds() {
		if k.HeldOut == heldOut {
			out = append(out, k.Name)
		}
	}
	return out
}

// dataSets returns the generated data sets and the .npy files of the data directory.
func (c *config) dataSets() ([]*data.Set, error) {
	var out []*data.Set
	for _, name := range c.kinds {
		out = append(out, kind(name, c.size))
	}
	if c.data == "" {
		return out, nil
	}
	found, err := readDir(c.data)
	return append(out, found...), err
}

// writeSets writes the generated data sets as .npy files.
func (c *config) writeSets() error {
	if c.heldOut {
		return errors.New("the held-out kinds are not written: whoever had the files might tune for them")
	}
	for _, name := range c.kinds {
		if err := kind(name, c.size).Write(c.write); err != nil {
			return err
		}
	}
	return nil
}

func readDir(dir string) ([]*data.Set, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.npy"))
	if err != nil {
		return nil, err
	}
	sort.Strings(paths)
	var out []*data.Set
	for _, p := range paths {
		s, err := readNPY(p)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, errNoData
	}
	return out, nil
}
