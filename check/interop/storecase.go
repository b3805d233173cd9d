package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/cairn-go/cairn/internal/test/dense"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
)

// A storeCase exchanges one tree of arrays: one side writes it and the other reads it.
type storeCase struct {
	rng  *rand.Rand
	path string
	tree bool
	// one-dimensional arrays of <i4; leaves with keys that end in "bytes" are frames of bytes
	leaves     map[string][]byte
	attributes map[string]map[string]string // per group
}

type storeCommand struct {
	Op         string                       `json:"op"`
	Path       string                       `json:"path"`
	Tree       bool                         `json:"tree"`
	Threshold  int                          `json:"threshold"`
	Leaves     map[string][]byte            `json:"leaves"`
	Attributes map[string]map[string]string `json:"attributes"`
}

type storeAnswer struct {
	Leaves     map[string][]byte            `json:"leaves"`
	Attributes map[string]map[string]string `json:"attributes"`
}

// runStore runs case number index of a seed.
func runStore(p *peer, seed uint64, index int) error {
	dir, err := os.MkdirTemp("", "cairn-interop-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	c := newStoreCase(seed, index, dir)
	if err := c.write(p); err != nil {
		return err
	}
	for range c.rng.IntN(3) {
		if err := c.edit(p); err != nil {
			return err
		}
	}

	if c.rng.IntN(3) == 0 && !c.embedded() {
		if err := c.copyTree(filepath.Join(dir, []string{"copy.b2d", "copy.b2z"}[c.rng.IntN(2)])); err != nil {
			return fmt.Errorf("cairn copies: %w", err)
		}
	}
	return errors.Join(c.readOurs(), c.readTheirs(p))
}

// embedded reports whether the tree is a single frame.
func (c *storeCase) embedded() bool { return filepath.Ext(c.path) == ".b2e" }

// write lets one of the two sides write the tree.
func (c *storeCase) write(p *peer) error {
	if c.rng.IntN(2) == 0 {
		if err := c.writeOurs(); err != nil {
			return fmt.Errorf("cairn writes: %w", err)
		}
		return nil
	}
	command := storeCommand{Op: "write_store", Path: c.path, Tree: c.tree, Threshold: []int{0, 0, 200, 1 << 20}[c.rng.IntN(4)], Leaves: c.leaves, Attributes: c.attributes}
	if err := p.Call(command, &struct{}{}); err != nil {
		return fmt.Errorf("the real library writes: %w", err)
	}
	return nil
}

func newStoreCase(seed uint64, index int, dir string) *storeCase {
	c := &storeCase{rng: rand.New(rand.NewPCG(seed+7, uint64(index))), leaves: map[string][]byte{}, attributes: map[string]map[string]string{}}
	c.tree = c.rng.IntN(3) > 0
	c.path = filepath.Join(dir, []string{"s.b2d", "s.b2z", "s.b2e"}[c.rng.IntN(3)])
	c.tree = c.tree && !c.embedded()

	groups := []string{"/", "/g", "/g/h", "/é"}
	for i := range 1 + c.rng.IntN(8) {
		key := filepath.ToSlash(filepath.Join(groups[c.rng.IntN(len(groups))], fmt.Sprint("leaf", i)))
		data := c.drawData()
		if c.rng.IntN(4) == 0 {
			key += "bytes"
		}
		c.leaves[key] = data
	}

	for range c.rng.IntN(4) {
		group := groups[c.rng.IntN(len(groups))]
		inUse := slices.ContainsFunc(slices.Collect(maps.Keys(c.leaves)), func(key string) bool { return len(key) > len(group) && key[:len(group)+1] == group+"/" })
		if c.tree && (group == "/" || inUse) {
			c.attributes[group] = map[string]string{"units": "K", "note": fmt.Sprint("n", c.rng.IntN(100))}
		}
	}
	return c
}

// drawData draws the items of a leaf.
func (c *storeCase) drawData() []byte {
	data := make([]byte, 4*(1+c.rng.IntN(400)))
	for j := range data {
		data[j] = byte(c.rng.IntN(5))
	}
	return data
}

func (c *storeCase) writeOurs() error {
	ctx := context.Background()
	w, err := store.Create(c.path, &store.Options{Dict: !c.tree})
	if err != nil {
		return err
	}
	defer w.Abort()

	for _, key := range slices.Sorted(maps.Keys(c.leaves)) {
		if err := c.putOurs(ctx, w, key); err != nil {
			return err
		}
	}

	for group, values := range c.attributes {
		for name, value := range values {
			if err := w.SetAttribute(ctx, group, name, value); err != nil {
				return err
			}
		}
	}
	return w.Close()
}

func (c *storeCase) putOurs(ctx context.Context, w *store.Editor, key string) error {
	data := c.leaves[key]
	if isBytes(key) {
		return putBytes(ctx, w, key, data)
	}
	return w.PutFunc(ctx, key, func(fsys storage.FS, path string) error {
		u, err := ndarray.CreateUntyped(path, "<i4", ndarray.Shape{int64(len(data) / 4)}, &ndarray.Options{FS: fsys})
		if err != nil {
			return err
		}
		if err := u.Write(ctx, data); err != nil {
			return errors.Join(err, u.Abort())
		}
		return u.Close()
	})
}

func isBytes(key string) bool { return len(key) > 5 && key[len(key)-5:] == "bytes" }

func (c *storeCase) readTheirs(p *peer) error {
	var a storeAnswer
	if err := p.Call(storeCommand{Op: "read_store", Path: c.path, Tree: c.tree, Attributes: c.attributes}, &a); err != nil {
		return fmt.Errorf("the real library reads: %w", err)
	}
	if !maps.EqualFunc(a.Leaves, c.leaves, slices.Equal) {
		return fmt.Errorf("the real library reads leaves %q, want %q, or other items", slices.Sorted(maps.Keys(a.Leaves)), slices.Sorted(maps.Keys(c.leaves)))
	}
	if !maps.EqualFunc(a.Attributes, c.attributes, maps.Equal) {
		return fmt.Errorf("the real library reads attributes %v, want %v", a.Attributes, c.attributes)
	}
	return nil
}

func (c *storeCase) readOurs() error {
	s, err := store.Open(c.path, nil)
	if err != nil {
		return err
	}
	defer s.Close()

	var keys []string
	for l := range s.Leaves() {
		keys = append(keys, l.Key)
		data, err := readLeaf(s, l.Key)
		if err != nil {
			return err
		}
		if d := dense.Differ(data, c.leaves[l.Key]); d != "" {
			return fmt.Errorf("cairn reads %s: %s", l.Key, d)
		}
	}

	if want := slices.Sorted(maps.Keys(c.leaves)); !slices.Equal(keys, want) {
		return fmt.Errorf("cairn reads leaves %q, want %q", keys, want)
	}
	for group, want := range c.attributes {
		got, err := s.Attributes(context.Background(), group)
		if err != nil {
			return err
		}
		if !sameAttributes(got, want) {
			return fmt.Errorf("cairn reads attributes %v of %s, want %v", got, group, want)
		}
	}
	return nil
}

func sameAttributes(got meta.Map, want map[string]string) bool {
	for name, value := range want {
		if v, _ := got.Get(name); v != value {
			return false
		}
	}
	return len(got) == len(want)
}

func readLeaf(s *store.Store, key string) ([]byte, error) {
	ctx := context.Background()
	if !isBytes(key) {
		u, err := s.Array(ctx, key)
		if err != nil {
			return nil, err
		}
		defer u.Close()
		return u.Read(ctx)
	}
	f, err := s.Frame(key)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, f.NBytes())
	_, err = f.ReadChunk(ctx, data, 0)
	return data, err
}
