package frame

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// Open opens a frame: a file, or a directory that holds a sparse one. Errors say "open", the path and what is wrong.
func Open(path string, o *OpenOptions) (*Frame, error) {
	if o == nil {
		o = &OpenOptions{}
	}
	fsys := o.FS
	if fsys == nil {
		fsys = storage.OS()
	}
	f, err := openPath(fsys, path, o)
	if err != nil {
		return nil, openError(path, err)
	}
	return f, nil
}

func openError(name string, err error) error {
	var pe *fs.PathError
	if name == "" || errors.As(err, &pe) && pe.Op == "open" {
		return err // which says as much itself
	}
	return fmt.Errorf("open %s: %w", name, err)
}

// OpenFS opens a frame in a file system of package io/fs, for reading.
func OpenFS(fsys fs.FS, name string, o *OpenOptions) (*Frame, error) {
	options := OpenOptions{}
	if o != nil {
		options = *o
	}
	options.FS = storage.IOFS(fsys)
	return Open(name, &options)
}

// OpenReader opens a contiguous frame of which size bytes can be read from r, for reading. Closing the frame does not close r.
func OpenReader(r io.ReaderAt, size int64, o *OpenOptions) (*Frame, error) {
	if o != nil && o.Mode == ReadWrite {
		return nil, fmt.Errorf("frame: a reader cannot be opened for writing: %w", cairn.ErrReadOnly)
	}
	return openSingle(storage.ReaderFile(r, size), o)
}

// FromBytes opens a contiguous frame in memory. For reading, b must not be changed while the frame is open; opened for writing, the
// frame is a copy: see [Frame.Bytes].
func FromBytes(b []byte, o *OpenOptions) (*Frame, error) {
	if o == nil || o.Mode == ReadOnly {
		return openSingle(storage.BytesFile(b), o)
	}
	m := storage.NewMemory()
	file, err := m.Create(memoryName)
	if err != nil {
		return nil, err
	}
	if _, err := file.WriteAt(b, 0); err != nil {
		return nil, err
	}
	options := *o
	options.FS = m
	f, err := openPath(m, memoryName, &options)
	if err != nil {
		return nil, err
	}
	f.env.name = ""
	return f, nil
}

// memoryName is the file of a frame that has a file system to itself.
const memoryName = "frame"

func openSingle(file storage.File, o *OpenOptions) (*Frame, error) {
	if o == nil {
		o = &OpenOptions{}
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	v, err := readContiguous(file, newEnv("", o.Workers, o.Limits, o), o.Offset)
	if err != nil {
		return nil, err
	}
	return newFrame(v, nil, file.Close), nil
}

func newEnv(name string, workers int, limits cairn.Limits, o *OpenOptions) *env {
	return &env{
		name: name, workers: workers, limits: limits.WithDefaults(), asked: limits.MaxIndex != 0, codecs: o.Codecs, filters: o.FilterSet,
	}
}

func openPath(fsys storage.FS, path string, o *OpenOptions) (*Frame, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	info, err := fsys.Stat(path)
	if err != nil {
		return nil, err
	}
	e := newEnv(path, o.Workers, o.Limits, o)
	if info.Dir {
		return openSparse(fsys, path, e, o)
	}
	open := fsys.Open
	if o.Mode == ReadWrite {
		open = fsys.OpenRW
	}
	file, err := open(path)
	if err != nil {
		return nil, err
	}
	v, err := readContiguous(file, e, o.Offset)
	if err == nil && o.Mode == ReadWrite {
		err = v.writable()
	}
	if err != nil {
		_ = file.Close() // nothing was written: the first error says it all
		return nil, err
	}
	if o.Mode == ReadOnly {
		return newFrame(v, nil, file.Close), nil
	}
	h := &v.head
	w := &contiguousWriter{fs: fsys, path: path, file: file, base: h.headerLen, end: h.frameLen, tail: h.frameLen}
	return newFrame(v, w, nil), nil
}

// writable refuses frames that can only be read.
func (v *View) writable() error {
	if v.head.generation != Current {
		return fmt.Errorf("frame of generation %v for writing: %w: copy it to a new one", v.head.generation, cairn.ErrUnsupported)
	}
	return nil
}

func openSparse(fsys storage.FS, dir string, e *env, o *OpenOptions) (*Frame, error) {
	if o.Offset != 0 {
		return nil, fmt.Errorf("a directory at an Offset: %w", cairn.ErrUnsupported)
	}
	open := fsys.Open
	if o.Mode == ReadWrite {
		open = fsys.OpenRW // although it is going to be replaced as a whole: this tells whether anything can be written
	}
	file, err := open(dir + "/" + sparseIndex)
	if err != nil {
		return nil, err
	}
	src := &sparse{fs: fsys, dir: dir}
	v, err := readSparse(file, e, src)
	if err == nil && o.Mode == ReadWrite {
		err = v.writable()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	if o.Mode == ReadOnly {
		return newFrame(v, nil, nil), nil
	}
	return newFrame(v, &sparseWriter{fs: fsys, path: dir, src: src, used: usedIDs(v.index), foreign: map[int64]struct{}{}}, nil), nil
}

// parts are what is read when a frame is opened, besides the index.
type parts struct {
	head         header
	layers, vl   []meta.Layer
	trailerStart int64 // from the begin of the frame
}

// readParts reads header and trailer of the frame at offset at of a file.
func readParts(file storage.File, at int64, limits cairn.Limits) (parts, error) {
	var p parts
	size, err := file.Size()
	if err != nil {
		return p, err
	}
	if at > size {
		return p, fmt.Errorf("offset %d of %d bytes: %w", at, size, cairn.ErrBounds)
	}
	size -= at
	// Nearly every header fits into the first read.
	b, err := readFull(file, nil, at, min(size, 1024))
	if err != nil {
		return p, missing(err, layerHeader, at)
	}
	if p.head, err = parseHeader(b, size); err != nil {
		return p, moved(err, at)
	}
	if n := p.head.headerLen; n > limits.MaxHeader {
		return p, fmt.Errorf("header of %d bytes: %w: MaxHeader is %d", n, cairn.ErrLimit, limits.MaxHeader)
	} else if n > int64(len(b)) {
		if b, err = readFull(file, b, at, n); err != nil {
			return p, missing(err, layerHeader, at)
		}
	}
	if p.head.layersAt > 0 {
		if p.layers, err = meta.ParseHeaderLayers(b[:p.head.headerLen], p.head.layersAt); err != nil {
			return p, moved(err, at)
		}
	}
	p.layers = cloneLayers(p.layers)
	p.trailerStart, p.vl, err = readTrailer(file, at, &p.head, limits.MaxTrailer)
	return p, err
}

// view makes a state of the parts and a source, without an index yet.
func (p *parts) view(e *env, src source) *View {
	e.typeSize = int(p.head.typeSize)
	e.shape = blockShape(p.layers)
	return &View{env: e, source: src, head: p.head, layers: p.layers, vl: p.vl}
}

// blockShape returns the shape of blocks that a b2nd metalayer states, or nil: some filters need it.
func blockShape(layers []meta.Layer) []int32 {
	for _, name := range []string{meta.LayerB2ND, meta.LayerCaterva} {
		if i := layerNamed(layers, name); i >= 0 {
			if b, err := meta.ParseB2ND(layers[i].Content); err == nil {
				return b.BlockShape
			}
		}
	}
	return nil
}

func readContiguous(file storage.File, e *env, at int64) (*View, error) {
	p, err := readParts(file, at, e.limits)
	if err != nil {
		return nil, err
	}
	h := &p.head
	if h.frameType != typeContiguous && h.generation == Current {
		if h.frameType == typeSparse {
			return nil, fmt.Errorf("this is the index of a sparse frame: open its directory: %w", cairn.ErrUnsupported)
		}
		return nil, cairn.Corruptf(layerHeader, at+atFrameType, "frame type %d does not exist", h.frameType)
	}
	v := p.view(e, &contiguous{file: file, base: at + h.headerLen})
	if h.nbytes == 0 {
		// Whatever cbytes says then is history: there is no index.
		v.head.cbytes = 0
		return v, nil
	}
	if h.cbytes > p.trailerStart-h.headerLen {
		return nil, cairn.Corruptf(layerHeader, at+atCBytes, "%d bytes of chunks do not fit between the header and the trailer", h.cbytes)
	}
	return v, v.readIndex(file, at+h.headerLen+h.cbytes, at+p.trailerStart)
}

func readSparse(file storage.File, e *env, src *sparse) (*View, error) {
	p, err := readParts(file, 0, e.limits)
	if err != nil {
		return nil, err
	}
	h := &p.head
	if h.frameType != typeSparse || h.generation != Current {
		return nil, cairn.Corruptf(layerHeader, atFrameType, "frame type %d in the index of a sparse frame", h.frameType)
	}
	v := p.view(e, src)
	if h.nbytes == 0 {
		v.head.cbytes = 0
		return v, nil
	}
	v.live = h.cbytes
	return v, v.readIndex(file, h.headerLen, p.trailerStart)
}

// readIndex reads the index that begins at from and ends at or before to.
func (v *View) readIndex(file storage.File, from, to int64) error {
	fail := func(err error) error { return moved(err, from) }
	head, err := readFull(file, nil, from, min(chunk.HeaderSize, to-from))
	if err != nil {
		return missing(err, layerIndex, from)
	}
	h, err := parseIndexHeader(head)
	if err != nil {
		return fail(err)
	}
	if int64(h.CBytes) > to-from {
		return fail(cairn.Corruptf(layerIndex, 12, "%d bytes are stated, but the trailer begins after %d", h.CBytes, to-from))
	}
	n := int64(h.NBytes) / entrySize
	if size := int64(v.head.chunkSize); size > 0 && n < (v.head.nbytes-1)/size+1 {
		return fail(cairn.Corruptf(layerIndex, 4, "%d entries, but %d bytes in chunks of %d need more", n, v.head.nbytes, size))
	}
	if n > v.env.limits.MaxIndex/entrySize {
		return fmt.Errorf("index of %d entries: %w: MaxIndex is %d bytes", n, cairn.ErrLimit, v.env.limits.MaxIndex)
	}
	raw, err := readFull(file, head, from, int64(h.CBytes))
	if err != nil {
		return missing(err, layerIndex, from)
	}
	v.index, err = decodeIndex(raw, indexLimits{v.env.limits, v.env.asked}, func(i int, entry int64) error {
		if entry < 0 {
			if _, ok := entryKind(entry); !ok {
				return cairn.Corruptf(layerIndex, -1, "entry %d is %#x, which is no chunk", i, uint64(entry))
			}
			return nil
		}
		return cairn.InChunk(v.source.check(entry, v.head.cbytes), int64(i), -1)
	})
	return fail(err)
}

// parentDir returns the directory that a path's last element is in.
func parentDir(path string) string { return filepath.Dir(filepath.Clean(path)) }

// usedIDs returns the numbers of the chunk files that an index refers to.
func usedIDs(x index) map[int64]struct{} {
	used := map[int64]struct{}{}
	for i := range x.n {
		if e := x.at(i); e >= 0 {
			used[e] = struct{}{}
		}
	}
	return used
}

// cloned returns a copy of v to be changed; nobody else has it yet.
func (v *View) cloned() *View {
	next := *v
	next.layers, next.vl = slices.Clone(v.layers), slices.Clone(v.vl)
	return &next
}
