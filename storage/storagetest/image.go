package storagetest

import (
	"path"
	"strings"

	"github.com/cairn-go/cairn/storage"
)

// Image returns what a file system could hold after a crash that came when ops had been done. Changes that were synced are there. For any
// other change keep decides, called with its number in ops in rising order: changes of a file's bytes are kept or lost one by one;
// changes of a directory's entries are kept in order, so that the first one lost takes the later ones in that directory with it.
// A nil keep keeps everything, which is what a killed process leaves.
func Image(ops []Op, keep func(op int) bool) *storage.Memory {
	im := image{names: map[string]int{}, dirs: map[string]bool{}, data: map[int][]byte{}}
	lost := map[string]bool{} // directories from which a change was lost
	for i, op := range ops {
		kept := keep == nil || durable(ops, i) || keep(i)
		switch op.Kind {
		case OpWrite, OpTruncate:
			if kept {
				im.change(op)
			}
		case OpSync, OpSyncDir:
		default:
			dir := path.Dir(op.Name)
			if !kept {
				lost[dir] = true
			}
			if !lost[dir] {
				im.apply(op)
			}
		}
	}
	return im.memory()
}

// durable reports whether the change of ops[i] was synced later on.
func durable(ops []Op, i int) bool {
	op := ops[i]
	for _, later := range ops[i+1:] {
		switch {
		case later.Kind == OpSync && (op.Kind == OpWrite || op.Kind == OpTruncate) && later.File == op.File:
			return true
		case later.Kind == OpSyncDir && op.Kind != OpWrite && op.Kind != OpTruncate && path.Dir(op.Name) == path.Clean(later.Name):
			return true
		case later.Kind == OpRename && op.Kind != OpWrite && op.Kind != OpTruncate && strings.HasPrefix(op.Name, later.Name+"/"):
			// From here on a sync of the directory would be under another name. Directories must be synced before they are moved.
			return false
		}
	}
	return false
}

type image struct {
	names map[string]int // file by name
	dirs  map[string]bool
	data  map[int][]byte
}

func (im *image) change(op Op) {
	end := op.Offset + int64(len(op.Data))
	data := im.data[op.File]
	if int64(len(data)) < end {
		data = append(data, make([]byte, end-int64(len(data)))...)
	}
	if op.Kind == OpTruncate {
		data = data[:end:end]
	}
	copy(data[op.Offset:], op.Data)
	im.data[op.File] = data
}

func (im *image) apply(op Op) {
	switch op.Kind {
	case OpCreate:
		im.names[op.Name] = op.File
	case OpMkdir:
		im.dirs[op.Name] = true
	case OpRename:
		moveNames(im.names, op.Name, op.To)
		moveNames(im.dirs, op.Name, op.To)
	case OpRemove, OpRemoveAll:
		moveNames(im.names, op.Name, "")
		moveNames(im.dirs, op.Name, "")
	}
}

// moveNames renames an entry and what is below it; an empty new name removes them.
func moveNames[V any](entries map[string]V, from, to string) {
	moved := map[string]V{}
	for name, v := range entries {
		if rest, ok := strings.CutPrefix(name, from); ok && (rest == "" || rest[0] == '/') {
			delete(entries, name)
			if to != "" {
				moved[to+rest] = v
			}
		}
	}
	for name, v := range moved {
		entries[name] = v
	}
}

// memory returns the image as a file system. Directories that hold something exist even if their own creation was lost: a file system
// that kept an entry has kept the way to it.
func (im *image) memory() *storage.Memory {
	m := storage.NewMemory()
	for dir := range im.dirs {
		mkdirAll(m, dir)
	}
	for name, file := range im.names {
		mkdirAll(m, path.Dir(name))
		f, err := m.Create(name)
		if err != nil {
			panic("storagetest: a log that no file system could have allowed: " + err.Error())
		}
		if _, err := f.WriteAt(im.data[file], 0); err != nil {
			panic(err)
		}
	}
	return m
}

func mkdirAll(m *storage.Memory, dir string) {
	if _, err := m.Stat(dir); err == nil {
		return
	}
	mkdirAll(m, path.Dir(dir))
	if err := m.Mkdir(dir); err != nil {
		panic(err)
	}
}
