package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/store"
	"github.com/cairn-go/cairn/zarr"
)

// A served array is at a path of the server, and in a group.
type served struct {
	*spec
	form   string
	path   string // of the array
	group  string // path of the folder or tree that it is in
	member string // its name there
	file   string // path of the file that has only this array, as Blosc2, or ""
	tree   string // path of the archive that has it as a leaf, or ""
}

// A maker writes arrays into a folder.
type maker struct {
	drawer
	peer *harness.Peer
	root string // folder that is served as data
	form string // of the current case
	all  []*served
}

// forms are the ways in which arrays are stored, and who writes them.
var forms = []struct {
	name  string
	count int // arrays
	make  func(m *maker, dir string, specs []*spec) error
}{
	{"b2nd", 1, (*maker).cairnFile},
	{"python", 1, (*maker).pythonFile},
	{"b2nd", 1, (*maker).cairnFile},
	{"python", 1, (*maker).pythonFile},
	{"sparse", 1, (*maker).sparse},
	{"npy", 1, (*maker).numpy},
	{"npz", 2, (*maker).archive},
	{"b2z", 3, (*maker).tree},
	{"b2d", 2, (*maker).tree},
	{"b2e", 2, (*maker).tree},
	{"zarr", 2, (*maker).zarr},
	{"zarrpython", 1, (*maker).zarrPython},
}

// place writes the arrays of case k.
func (m *maker) place(k int) (err error) {
	f := forms[k%len(forms)]
	m.form = f.name
	dir := fmt.Sprintf("p%03d", k)

	var specs []*spec
	for i := range f.count {
		name := fmt.Sprintf("a%d", i)
		if f.count > 1 && i > 0 {
			name = "g/" + name
		}
		s := m.array(name)
		s.Want = filepath.Join(m.root, "..", fmt.Sprintf("want-%s-%d", dir, i))
		specs = append(specs, s)
		err = errors.Join(err, os.WriteFile(s.Want, s.model.Data, 0o600))
	}
	if err := errors.Join(err, os.MkdirAll(filepath.Join(m.root, dir), 0o777)); err != nil {
		return err
	}

	before := len(m.all)
	if err := f.make(m, dir, specs); err != nil {
		return fmt.Errorf("%s of %+v: %w", f.name, *specs[0], err)
	}
	for _, s := range m.all[before:] {
		s.form = f.name
	}
	return nil
}

func (m *maker) add(s *served) { m.all = append(m.all, s) }

// options returns how cairn is to write an array.
func (s *spec) options() *ndarray.Options {
	o := &ndarray.Options{ChunkShape: s.Chunks, BlockShape: s.Blocks, Level: s.Level, Codec: codecs.ByID(uint8(s.Codec), 0),
		Split: []chunk.SplitMode{chunk.SplitAlways, chunk.SplitNever, chunk.SplitAuto}[s.Split-1], Filters: []shuffle.Spec{}}
	if s.Level == 0 {
		o.Level = chunk.Stored
	}
	for _, id := range s.Filter {
		f := shuffle.Spec{ID: shuffle.ID(id)}
		o.Filters = append(o.Filters, f)
	}
	return o
}

// fill writes the items and the labels of an array.
func (s *spec) fill(u *ndarray.Untyped) error {
	err := u.WriteBox(context.Background(), s.model.Data, make([]int64, len(s.Shape)), s.Shape)
	if err != nil {
		return err
	}

	return u.SetLabels(s.labels())
}

func (s *spec) labels() ndarray.Labels {
	l := ndarray.Labels{Dims: s.Dims}
	for _, name := range slices.Sorted(maps.Keys(s.Attrs)) {
		v := s.Attrs[name]
		if m, ok := v.(map[string]any); ok {
			v = meta.Map{{Key: "in", Value: m["in"]}}
		}
		l.Attributes = append(l.Attributes, meta.Pair{Key: name, Value: v})
	}
	return l
}

// inMemory returns the array in memory.
func (s *spec) inMemory() (*ndarray.Untyped, error) {
	u, err := ndarray.NewUntyped(s.DType, s.Shape, s.options())
	if err != nil {
		return u, err
	}

	err = s.fill(u)
	return u, err
}

func (m *maker) cairnFile(dir string, specs []*spec) error {
	return m.file(dir, specs[0], specs[0].options())
}

func (m *maker) sparse(dir string, specs []*spec) error {
	o := specs[0].options()
	o.Sparse = true
	err := m.file(dir, specs[0], o)
	m.all[len(m.all)-1].file = ""
	return err
}

func (m *maker) file(dir string, s *spec, o *ndarray.Options) error {
	name := path.Join(dir, s.Name+".b2nd")
	m.add(&served{spec: s, path: name, group: dir, member: s.Name, file: name})
	u, err := ndarray.CreateUntyped(filepath.Join(m.root, name), s.DType, s.Shape, o)
	if err != nil {
		return err
	}
	return errors.Join(s.fill(u), u.Close())
}

func (m *maker) pythonFile(dir string, specs []*spec) error {
	s := specs[0]
	name := path.Join(dir, s.Name+".b2nd")
	m.add(&served{spec: s, path: name, group: dir, member: s.Name, file: name})
	var done bool
	return m.peer.Call(map[string]any{"op": "blosc2", "spec": s, "path": filepath.Join(m.root, name)}, &done)
}

func (m *maker) numpy(dir string, specs []*spec) error {
	s := specs[0]
	name := path.Join(dir, s.Name+".npy")
	m.add(&served{spec: s, path: name, group: dir, member: s.Name})
	s.Dims = nil
	s.Attrs = nil
	u, err := s.inMemory()
	if err != nil {
		return err
	}
	return npy.Save(context.Background(), filepath.Join(m.root, name), u, &npy.SaveOptions{Fortran: m.IntN(2) == 0})
}

func (m *maker) archive(dir string, specs []*spec) error {
	name := path.Join(dir, "run.npz")
	return npy.SaveArchive(context.Background(), filepath.Join(m.root, name), func(put npy.PutFunc) error {
		for _, s := range specs {
			s.Dims = nil
			s.Attrs = nil
			m.add(&served{spec: s, path: path.Join(name, s.Name), group: name, member: s.Name})
			u, err := s.inMemory()
			if err != nil {
				return err
			}

			if err = put(s.Name, u); err != nil {
				return err
			}
		}
		return nil
	}, &npy.SaveOptions{Deflate: m.IntN(2) == 0})
}

func (m *maker) tree(dir string, specs []*spec) error {
	form := m.form
	name := path.Join(dir, "run."+form)
	e, err := store.Create(filepath.Join(m.root, name), &store.Options{})
	if err != nil {
		return err
	}

	for _, s := range specs {
		at := &served{spec: s, path: path.Join(name, s.Name), group: name, member: s.Name}
		if form == "b2z" {
			at.tree = name
		}
		m.add(at)

		u, err := s.inMemory()
		if err != nil {
			return errors.Join(err, e.Abort())
		}

		if err = e.Put(context.Background(), "/"+s.Name, u, nil); err != nil {
			return errors.Join(err, e.Abort())
		}
	}
	return e.Close()
}

func (m *maker) zarr(dir string, specs []*spec) error {
	name := path.Join(dir, "run.zarr")
	version := 2 + m.IntN(2)
	w, err := zarr.Create(filepath.Join(m.root, name), &zarr.SaveOptions{Version: version, Durability: frame.None})
	if err != nil {
		return err
	}
	for _, s := range specs {
		m.add(&served{spec: s, path: path.Join(name, s.Name), group: name, member: s.Name})
		u, err := s.inMemory()
		if err != nil {
			return errors.Join(err, w.Abort())
		}

		if err = w.Put(context.Background(), "/"+s.Name, u, nil); err != nil {
			return errors.Join(err, w.Abort())
		}
	}
	return w.Close()
}

func (m *maker) zarrPython(dir string, specs []*spec) error {
	s := specs[0]
	s.Dims = nil
	s.Attrs = nil
	if s.dtype.IsStruct() && len(s.Shape) == 0 { // zarr-python 3.1.6 fails at these
		return m.cairnFile(dir, specs)
	}
	name := path.Join(dir, s.Name+".zarr")
	m.add(&served{spec: s, path: name, group: dir, member: s.Name + ".zarr"})
	var done bool
	return m.peer.Call(map[string]any{"op": "zarr", "spec": s, "path": filepath.Join(m.root, name),
		"version": 2 + m.IntN(2)}, &done)
}
