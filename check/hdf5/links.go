package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/internal/test/dense"
)

// A probe is what h5py finds at a path: nothing, a group or a dataset.
type probe struct {
	Kind       string
	Links      []link
	Address    int64
	Shape      []int64
	Attributes int
	Virtual    []string // the files that have the items
	Misfit     bool     // a source does not have all the items
	Left       int      // items that h5py leaves as they were in memory
	Unread     string
	Columns    []column
	At, Size   int64
}

// elsewhere reports whether the items are in other files, as far as the dataset itself tells.
func (p *probe) elsewhere() bool {
	return slices.ContainsFunc(p.Virtual, func(name string) bool { return name != "." })
}

// linked are the paths of a file that leads to others.
type linked struct {
	Everywhere map[string]probe // with all files
	Without    map[string]probe // without the folder b
	Alone      map[string]probe // without external links and other files
	outside    map[string]bool  // virtual datasets with items in b
}

// links compares what paths lead to: with all folders allowed, with all of them and b missing, with
// a alone, and with none.
func (c *counts) links(root string, k int) error {
	root = filepath.Join(root, fmt.Sprintf("%d.links", k))
	command := map[string]any{"op": "link", "seed": c.Seed, "case": k, "root": root, "out": root + ".items"}
	var made struct {
		Virtual []struct {
			Path    string
			Outside bool
		}
	}
	if err := c.peer.Call(command, &made); err != nil {
		return err
	}

	command["op"] = "probe"
	want := linked{outside: map[string]bool{}}
	if err := c.peer.Call(command, &want); err != nil {
		return err
	}
	for _, v := range made.Virtual {
		want.outside[v.Path] = v.Outside
	}

	main := filepath.Join(root, "a", "main.h5")
	x := &comparison{counts: c, Rand: rand.New(rand.NewPCG(c.Seed, uint64(k))), path: main, writer: "links"}
	var err error
	if x.items, err = os.Open(root + ".items"); err != nil {
		return err
	}
	defer x.items.Close()

	c.Files++
	err = x.probeAll(root, &want)
	if c.one < 0 {
		err = errors.Join(err, os.RemoveAll(root), os.Remove(root+".items"))
	}
	return err
}

// probeAll opens the file in all ways.
func (x *comparison) probeAll(root string, want *linked) error {
	hidden := filepath.Join(root, "hidden")
	b := filepath.Join(root, "b")
	failed := x.probe("all files", []string{root}, want, x.everywhere)
	if err := os.Rename(b, hidden); err != nil {
		return err
	}
	failed = errors.Join(failed, x.probe("without b", []string{root}, want, x.missing))
	if err := os.Rename(hidden, b); err != nil {
		return err
	}
	return errors.Join(failed,
		x.probe("a allowed", []string{filepath.Dir(x.path)}, want, x.inside),
		x.probe("none allowed", nil, want, x.alone))
}

// probe opens the file and compares what is at each path.
func (x *comparison) probe(how string, folders []string, want *linked, compare func(ctx context.Context, path string, w *linked) error) error {
	f, err := hdf5.Open(x.path, &hdf5.OpenOptions{Workers: 1 + x.IntN(3), Links: folders})
	if err != nil {
		return err
	}
	defer f.Close()
	x.file = f

	var failed error
	for path := range want.Everywhere {
		x.Paths++
		err := compare(context.Background(), path, want)
		if err != nil && errors.Is(err, cairn.ErrUnsupported) && strings.Contains(err.Error(), "whose dtype is") {
			x.refuse("virtual: items of another dtype", err)
			continue
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s, %q: %w", how, path, err))
		}
	}
	return failed
}

func (x *comparison) everywhere(ctx context.Context, path string, w *linked) error {
	p := w.Everywhere[path]
	return x.at(ctx, path, &p)
}

func (x *comparison) missing(ctx context.Context, path string, w *linked) error {
	p := w.Without[path]
	return x.at(ctx, path, &p)
}

// inside compares if only a is allowed. What is not below is refused, also if a virtual dataset has
// some of its items there.
func (x *comparison) inside(ctx context.Context, path string, w *linked) error {
	p := w.Everywhere[path]
	without := w.Without[path]
	err := x.at(ctx, path, &p)
	refused := errors.Is(err, cairn.ErrUnsupported)
	switch {
	case p.Kind != "" && without.Kind == "" || w.outside[path]:
		if !refused && p.Unread == "" && !p.Misfit {
			return fmt.Errorf("needs a file that is not allowed: %w", or(err))
		}
		return nil
	case refused && len(p.Virtual) > 0: // of a source that is not allowed
		return nil
	}
	return err
}

// alone compares if no other file is allowed.
func (x *comparison) alone(ctx context.Context, path string, w *linked) error {
	p := w.Alone[path]
	all := w.Everywhere[path]
	switch {
	case p.Kind == "" && all.Kind == "":
		return x.at(ctx, path, &p)
	case p.Kind == "" || p.elsewhere():
		// It needs other files, so opening it must be refused as unsupported.
		if _, err := x.file.Dataset(ctx, path); !errors.Is(err, cairn.ErrUnsupported) {
			return fmt.Errorf("needs other files: %w", or(err))
		}
		if x.isGroup(ctx, path) {
			return errors.New("is a group, but needs other files")
		}
		return nil
	case p.Kind == "group":
		p.Links = all.Links // those of the copy are cut
	}
	p.Address = all.Address
	return x.at(ctx, path, &p)
}

func (x *comparison) isGroup(ctx context.Context, path string) bool {
	_, err := x.file.Links(ctx, path)
	return err == nil
}

func or(err error) error {
	if err == nil {
		return errors.New("no error")
	}
	return err
}

// at compares what is at a path.
func (x *comparison) at(ctx context.Context, path string, p *probe) error {
	switch p.Kind {
	case "":
		if d, err := x.file.Dataset(ctx, path); err == nil {
			return fmt.Errorf("is a dataset of shape %v, want none", d.Shape())
		}
		if x.isGroup(ctx, path) {
			return errors.New("is a group, want none")
		}
		return nil
	case "group":
		return x.groupAt(ctx, path, p)
	}

	d, err := x.file.Dataset(ctx, path)
	x.Undefined += p.Left
	if p.Unread != "" || p.Misfit {
		// Read what h5py does not read as it should, and count what happens.
		x.UnreadByH5py++
		if err == nil {
			all := make([]byte, dense.Volume(d.Shape())*int64(d.DType().Size()))
			err = d.ReadBytes(ctx, all, make([]int64, len(d.Shape())), d.Shape())
		}
		switch {
		case err == nil && p.Misfit:
			return errors.New("is read, but the source does not have all the items")
		case err == nil:
			x.Refused["virtual: not read by h5py, but read"]++
		case p.Misfit:
			x.refuse("virtual: a source without all the items", err)
		default:
			x.refuse("virtual: not read by h5py either", err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if !slices.Equal(d.Shape(), p.Shape) {
		return fmt.Errorf("shape %v, want %v", d.Shape(), p.Shape)
	}
	if got := d.Info().Address; got != p.Address {
		return fmt.Errorf("address %d, want %d", got, p.Address)
	}
	if list, err := x.file.AllAttributes(ctx, path); err != nil || len(list) != p.Attributes {
		return fmt.Errorf("%d attributes, want %d: %w", len(list), p.Attributes, or(err))
	}

	if err := x.whole(ctx, d, p.Columns, p.At, p.Size); err != nil {
		return err
	}
	x.Datasets++
	return nil
}

func (x *comparison) groupAt(ctx context.Context, path string, p *probe) error {
	links, err := x.file.Links(ctx, path)
	if err != nil {
		return err
	}
	var got []link
	for _, l := range links {
		got = append(got, link{l.Name, l.Kind.String(), l.Target, l.File})
	}
	if !slices.Equal(got, p.Links) {
		return fmt.Errorf("links %v, want %v", got, p.Links)
	}
	return nil
}
