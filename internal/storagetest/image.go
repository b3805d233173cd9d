package storagetest

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/storage"
)

// Image returns what a file system could hold after a crash that came when ops had been done.
// Changes that were synced are there. For any other change keep decides, called with its number in
// ops in rising order: changes of a file's bytes are kept or lost one by one; changes of a
// directory's entries are kept in order, so that the first one lost takes the later ones in that
// directory with it. A nil keep keeps everything, which is what a killed process leaves.
// [Log.Image] knows finer crashes.
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

// entryLoss is what was lost of directories' entries, and what has to go with it.
type entryLoss struct {
	loose bool            // only what concerns the same names has to go
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

// follows reports whether op cannot have survived because of something before it that did not.
func (e *entryLoss) follows(op Op) bool {
	for _, key := range e.keys(op) {
		if e.gone[key] {
			return true
		}
		// What is in a directory that is not there under that name.
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

// clone returns an image that may be changed without changing im.
func (im image) clone() image {
	clear(im.own)
	return image{names: maps.Clone(im.names), dirs: maps.Clone(im.dirs), data: maps.Clone(im.data), own: map[int]bool{}}
}

// run does what an operation says.
func (im *image) run(op Op) {
	switch {
	case op.onData():
		im.change(op)
	case op.Kind != OpSync && op.Kind != OpSyncDir:
		im.apply(op)
	}
}

// bytes returns the content of a file for changing, at least so long.
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

// grow makes a file as long as a lost write would have made it. What it had stays.
func (im *image) grow(op Op, fate Fate, fill byte) {
	old, end := int64(len(im.data[op.File])), op.Offset+int64(len(op.Data))
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

// exchangeNames gives two entries, and what is below them, each other's name.
func exchangeNames[V any](entries map[string]V, a, b string) {
	const free = "\x00" // which no entry is called
	moveNames(entries, a, free)
	moveNames(entries, b, a)
	moveNames(entries, free, b)
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
	maps.Copy(entries, moved)
}

// memory returns the image as a file system. Directories that hold something exist even if their
// own creation was lost: a file system that kept an entry has kept the way to it.
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
