package frame

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/frame/internal/locking"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/storage"
)

// Create makes a new frame: a file, or a directory for a sparse one. The first Commit or Close
// creates the path; until then, the data is in a temporary file or directory beside it, with the
// name path+".tmp-" and a number. Abort leaves nothing, and does nothing after Close, so defer it
// and return the result of [Frame.Close].
//
// Create fails with fs.ErrExist if the path exists, unless o.Overwrite is set. In that case the
// first Commit or Close replaces it, and the frame gets its permissions. A directory that is
// neither empty nor a sparse frame is never replaced: Create fails with fs.ErrExist.
func Create(path string, o *Options) (*Frame, error) {
	if path == "" {
		return nil, errNoPath
	}
	o = cmp.Or(o, &Options{})
	fsys := cmp.Or(o.FS, storage.OS())
	f, err := create(fsys, path, o)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}

	f.edit.location = &frameLocation{fsys, path, *o.opening()}
	if !o.Locking {
		return f, nil
	}
	if f.edit.lock, err = locking.New(fsys, path, o.Sparse, o.LockTimeout); err != nil {
		return nil, fmt.Errorf("create %s: %w", path, errors.Join(err, f.Abort()))
	}
	return f, nil
}

var errNoPath = errkind.Invalid(fmt.Errorf("create: the path is empty; use New for a frame in memory: %w", fs.ErrInvalid))

// New makes a new frame in memory. [Frame.Bytes] returns its bytes.
func New(o *Options) (*Frame, error) {
	o = cmp.Or(o, &Options{})
	memory := storage.NewMemory()
	f, err := create(memory, memoryName, o)
	if err != nil {
		return nil, err
	}
	f.env.name = ""
	f.env.private = true
	f.edit.memory = memory
	return f, nil
}

func create(fsys storage.FS, path string, o *Options) (*Frame, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	co := o.chunkOptions()
	co.BlockShape = blockShape(o.Meta)
	co.ZarrBlocks = hasZarrBlocks(o.Meta)
	if _, err := chunk.NewEncoder(&co); err != nil {
		return nil, err
	}

	begin := createFile
	switch {
	case inBucket(fsys, path, o.Limits) != nil:
		begin = createBucket
	case o.Sparse:
		begin = createDir
	}

	p := parts{head: o.newHeader(), layers: cloneLayers(o.Meta)}
	p.head.HeaderLen = format.HeaderSize(p.layers)
	src, w, err := begin(fsys, path, o, p.head.HeaderLen)
	if err != nil {
		return nil, err
	}

	v := p.draft(newEnv(path, o.opening()), src)
	v.index = index.New()
	v.live = 0
	v.cover = &cover{full: !o.Deterministic}
	return newFrame(&v.state, w, nil), nil
}

// checkFree fails if a new frame may not get the path.
func checkFree(fsys storage.FS, path string, o *Options) error {
	placing.Restore(fsys, path)
	return free(fsys, path, o.Overwrite)
}

// createFile creates the file of a frame whose data section begins at base.
func createFile(fsys storage.FS, path string, o *Options, base int64) (source, writer, error) {
	if err := checkFree(fsys, path, o); err != nil {
		return nil, nil, err
	}
	temp, file, err := createTemp(fsys, path)
	if err != nil {
		return nil, nil, err
	}
	w := &contiguousWriter{fs: fsys, path: path, file: file, temp: temp, overwrite: o.Overwrite,
		base: base, tail: base, commits: o.Commits, space: newSpace(file, o.Commits)}
	if err := w.claimed.take(file, temp); err != nil { // or a sweep would remove it
		return nil, nil, errors.Join(err, w.close(false))
	}
	return newContiguous(file, base), w, nil
}

// createDir creates the directory of a sparse frame.
func createDir(fsys storage.FS, path string, o *Options, _ int64) (source, writer, error) {
	if err := checkFree(fsys, path, o); err != nil {
		return nil, nil, err
	}
	temp, err := firstFree(path, func(name string) error { return placing.MkdirFor(fsys, name, path) })
	src := newSparse(fsys, temp)
	return src, &sparseWriter{fs: fsys, path: path, src: src, temp: temp, model: modelOf(fsys, path),
		overwrite: o.Overwrite, files: newChunkFiles(), foreign: map[int64]struct{}{},
		former: map[int64]struct{}{}, commits: o.Commits}, err
}
