package operand

import (
	"os"
	"path"
	"path/filepath"

	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/store"
)

// An identity is that of the file and the leaf of a place.
type identity struct {
	file  os.FileInfo // nil if there is none
	store os.FileInfo // that a leaf is in
	key   string
}

func identify(p place.Place, stream any) (id identity) {
	if p.Kind == place.Standard {
		if f, ok := stream.(*os.File); ok {
			if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
				id.file = info
			}
		}
		return id
	}

	if !p.Keyed {
		id.file, _ = os.Stat(p.Name)
		return id
	}

	id.store, _ = os.Stat(p.Name)
	id.key = path.Join("/", p.Key)
	if s, err := store.Open(p.Name, nil); err == nil {
		if place, _, err := s.Place(p.Key); err == nil {
			id.file, _ = os.Stat(place)
		}
		s.Close()
	}
	return id
}

// Clash reports whether an input and an output are the same file or leaf, whatever links and names
// lead there. stdout is what the output stands for if it is standard output.
func (f *Finder) Clash(in, out place.Place, stdout any) bool {
	a := identify(in, f.In)
	b := identify(out, stdout)
	if a.file != nil && b.file != nil && os.SameFile(a.file, b.file) {
		return true
	}
	return a.store != nil && b.store != nil && os.SameFile(a.store, b.store) && a.key == b.key
}

// Inside reports whether a place lies within a directory: a sparse frame or a store of files.
func Inside(p, dir place.Place) bool {
	if p.One() || dir.Keyed {
		return false
	}

	outer, err := os.Stat(dir.Name)
	if err != nil || !outer.IsDir() {
		return false
	}
	name, err := filepath.Abs(p.Name)
	if err != nil {
		return false
	}

	for parent := filepath.Dir(name); parent != name; name, parent = parent, filepath.Dir(parent) {
		if info, err := os.Stat(parent); err == nil && os.SameFile(info, outer) {
			return true
		}
	}
	return false
}
