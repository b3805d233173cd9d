package main

import (
	"path/filepath"
	"slices"
	"sort"

	"github.com/cairn-go/cairn/bench/data"
)

// kind returns a generated data set that is always the same.
func kind(name string, size int) *data.Set { return newSet(data.Kinds(), name, size) }

// newSet returns the data set of a kind.
func newSet(kinds []data.Kind, name string, size int) *data.Set {
	return kinds[slices.IndexFunc(kinds, func(k data.Kind) bool { return k.Name == name })].Make(size)
}

// allKinds returns the kinds drawn from a seed, or those that are always the same if it is 0.
func allKinds(seed uint64) []data.Kind {
	if seed != 0 {
		return data.Drawn(seed)
	}
	return data.Kinds()
}

// kindNames returns the names of all kinds.
func kindNames(seed uint64) []string {
	var out []string
	for _, k := range allKinds(seed) {
		out = append(out, k.Name)
	}
	return out
}

// generated returns the chosen kinds.
func (c *config) generated() []*data.Set {
	var out []*data.Set
	for _, name := range c.kinds {
		out = append(out, newSet(allKinds(c.seed), name, c.size))
	}
	return out
}

// dataSets returns the generated data sets and the .npy files of the data directory.
func (c *config) dataSets() ([]*data.Set, error) {
	out := c.generated()
	if c.data == "" {
		return out, nil
	}
	found, err := readDir(c.data)
	return append(out, found...), err
}

// writeSets writes the generated data sets as .npy files.
func (c *config) writeSets() error {
	for _, s := range c.generated() {
		if err := s.Write(c.write); err != nil {
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
