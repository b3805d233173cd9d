package storagetest

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/storage"
)

// Image returns what a file system could contain after a crash that follows ops. Synced changes are
// always there. For other changes keep decides. It is called with the indexes of operations in
// ascending order. Changes of a file's bytes are kept or lost independently. Changes of a
// directory's entries are kept in order: after a lost one, all later ones in that directory are
// lost too. A nil keep keeps everything, as after a killed process. [Log.Image] models crashes in
// more detail.
func Image(ops []Op, keep func(op int) bool) storage.FS {
	im := newImage()
	var lost entryLoss
	for i, op := range ops {
		kept := keep == nil || settledAt(ops, i) <= len(ops) || keep(i)
		switch {
		case op.onData():
			if kept {
				im.change(op)
			}
		case op.Kind == OpSync || op.Kind == OpSyncDir:
		case lost.follows(op) || !kept:
			lost.add(op)
		default:
			im.apply(op)
		}
	}
	return im.memory()
}

// entryLoss records lost entries of directories, and what is lost with them.
type entryLoss struct {
	loose bool            // only changes of the same names are lost
	gone  map[string]bool // directories, or names if loose
}

func (e *entryLoss) keys(op Op) []string {
	if !e.loose {
		return op.dirs()
	}
	if op.To != "" {
		return []string{op.Name, op.To}
	}
	return []string{op.Name}
}

func (e *entryLoss) add(op Op) {
	if e.gone == nil {
		e.gone = map[string]bool{}
	}
	for _, key := range e.keys(op) {
		e.gone[key] = true
	}
}

// follows reports whether op is lost because of an earlier loss.
func (e *entryLoss) follows(op Op) bool {
	for _, key := range e.keys(op) {
		if e.gone[key] {
			return true
		}
		// Everything in a directory that does not exist under that name is lost.
		for name := range e.gone {
			if e.loose && strings.HasPrefix(key, name+"/") {
				return true
			}
		}
	}
	return false
}

// image is a state of a file system.
type image struct {
	names map[string]int // file by name
	dirs  map[string]bool
	data  map[int][]byte
	own   map[int]bool // files whose bytes no other image shares
}

func newImage() image {
	return image{names: map[string]int{}, dirs: map[string]bool{}, data: map[int][]byte{}, own: map[int]bool{}}
}

// clone returns an image that can be changed without changing im.
func (im image) clone() image {
	clear(im.own)
	return image{names: maps.Clone(im.names), dirs: maps.Clone(im.dirs), data: maps.Clone(im.data), own: map[int]bool{}}
}

// run applies an operation.
func (im *image) run(op Op) {
	switch {
	case op.onData():
		im.change(op)
	case op.Kind != OpSync && op.Kind != OpSyncDir:
		im.apply(op)
	}
}

// bytes returns the content of a file, of at least size bytes, for changing.
func (im *image) bytes(file int, size int64) []byte {
	data := im.data[file]
	if !im.own[file] {
		data = slices.Clip(slices.Clone(data))
		im.own[file] = true
	}
	if more := size - int64(len(data)); more > 0 {
		data = append(data, make([]byte, more)...)
	}
	return data
}

func (im *image) change(op Op) {
	end := op.Offset + int64(len(op.Data))
	data := im.bytes(op.File, end)
	if op.Kind == OpTruncate {
		data = data[:end:end]
	}
	copy(data[op.Offset:], op.Data)
	im.data[op.File] = data
}

// grow extends a file by a lost write. Existing bytes stay unchanged.
func (im *image) grow(op Op, fate Fate, fill byte) {
	old := int64(len(im.data[op.File]))
	end := op.Offset + int64(len(op.Data))
	if end <= old {
		return
	}

	data := im.bytes(op.File, end)
	if fate == Garbled {
		for i := max(old, op.Offset); i < end; i++ {
			fill = fill*181 + 59
			data[i] = fill
		}
	}

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
	case OpExchange:
		exchangeNames(im.names, op.Name, op.To)
		exchangeNames(im.dirs, op.Name, op.To)

	case OpLink:
		if file, ok := im.names[op.Name]; ok {
			im.names[op.To] = file
		}

	case OpRemove:
		moveNames(im.names, op.Name, "")
		moveNames(im.dirs, op.Name, "")
	}
}

// exchangeNames exchanges two entries and everything below them.
func exchangeNames[V any](entries map[string]V, a, b string) {
	const free = "\x00" // not a valid name
	moveNames(entries, a, free)
	moveNames(entries, b, a)
	moveNames(entries, free, b)
}

// moveNames renames an entry and everything below it; an empty new name removes them.
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

	maps.Copy(entries, moved)
}

// memory returns the image as a file system. Parents of existing entries exist even if their
// creation was lost, since a file system that keeps an entry keeps its parents.
func (im *image) memory() storage.FS {
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

func mkdirAll(m storage.FS, dir string) {
	if _, err := m.Stat(dir); err == nil {
		return
	}
	mkdirAll(m, path.Dir(dir))
	if err := m.Mkdir(dir); err != nil {
		panic(err)
	}
}
