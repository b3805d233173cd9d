package zarr

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// A Writer makes a store. The store appears at its path when the writer is closed. The methods may
// be called concurrently, but Put reads and encodes in parallel anyway.
type Writer struct {
	fsys    storage.FS
	path    string
	temp    string
	o       SaveOptions
	version int
	sink    sink

	mu    sync.Mutex
	nodes map[string]*written // by key, "" for the root
	ended bool
	// failed is why an array is incomplete.
	failed error
}

// written is a node of a new store: the documents by name.
type written struct {
	array bool
	docs  meta.Map
}

// Create begins a store: a zip archive if path ends in .zip, otherwise a directory, whose name
// should end in .zarr. o may be nil; only Version, FS, Overwrite and Durability matter. The caller
// must call Close or Abort.
func Create(path string, o *SaveOptions) (*Writer, error) {
	w := &Writer{path: path, version: 3, nodes: map[string]*written{}}
	if o != nil {
		w.o = *o
	}
	w.fsys = w.o.FS
	if w.fsys == nil {
		w.fsys = storage.OS()
	}
	if w.o.Version != 0 {
		w.version = w.o.Version
	}

	err := w.o.validate()
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}

	placing.Restore(w.fsys, path)
	if err = w.free(); err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}

	dir, base := filepath.Split(filepath.Clean(path))
	w.temp = filepath.Join(dir, "."+base+"-"+rand.Text()[:8]+".tmp")
	durable := w.o.Durability != frame.None
	if strings.HasSuffix(path, ".zip") {
		w.sink, err = newArchive(w.fsys, w.temp, path, durable)
	} else {
		w.sink, err = newFolder(w.fsys, w.temp, path, durable)
	}
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	return w, nil
}

// free fails if something exists at the path that must not be replaced.
func (w *Writer) free() error {
	if w.path == "" {
		return fmt.Errorf("the path is empty: %w", fs.ErrInvalid)
	}
	return placing.Free(w.fsys, w.path, w.o.Overwrite, "Zarr store", nameV3, nameArrayV2, nameGroupV2)
}

// Group makes a group with attributes, or sets the attributes of an existing one. Groups above
// nodes are made when they are needed. "/" is the root.
func (w *Writer) Group(key string, attributes meta.Map) error {
	clean, err := cleanKey(key)
	if err != nil {
		return fmt.Errorf("group %q: %w", key, err)
	}

	_, err = appendJSON(nil, attributes, "")
	if err != nil {
		return fmt.Errorf("group %q: %w", key, err)
	}

	err = w.add(clean, &written{docs: w.groupDocs(attributes)})
	if err != nil {
		return fmt.Errorf("group %q: %w", key, err)
	}
	return nil
}

func (w *Writer) groupDocs(attributes meta.Map) meta.Map {
	if w.version == 3 {
		return jsonObject(nameV3, jsonObject("zarr_format", 3, "node_type", "group", "attributes",
			append(meta.Map{}, attributes...)))
	}
	return jsonObject(nameGroupV2, jsonObject("zarr_format", 2), nameAttributesV2, append(meta.Map{}, attributes...))
}

// add adds a node, and the groups above it.
func (w *Writer) add(key string, n *written) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if old := w.nodes[key]; old != nil && (old.array || n.array) {
		return fs.ErrExist
	}

	for above := key; above != ""; {
		above = strings.TrimPrefix(path.Dir(above), ".")
		group := w.nodes[above]
		if group != nil && group.array {
			return fmt.Errorf("within the array %q: %w", "/"+above, fs.ErrExist)
		}
		if group == nil {
			w.nodes[above] = &written{docs: w.groupDocs(nil)}
		}
	}
	w.nodes[key] = n
	return nil
}

// Put writes a copy of a source under a key. An array at "/" is the only node of a store. o may be
// nil; Version, FS, Overwrite and Durability are those of [Create]. If the dtype, the key or the
// options are refused, nothing has been written. After an error about reading, encoding or writing
// items, the store can only be aborted, and Close fails with the same error.
func (w *Writer) Put(ctx context.Context, key string, src ndarray.Source, o *SaveOptions) error {
	clean, err := cleanKey(key)
	if err != nil {
		return inArray(clean, err)
	}

	err = w.put(ctx, clean, src, o)
	return inArray(clean, err)
}

func (w *Writer) put(ctx context.Context, key string, src ndarray.Source, given *SaveOptions) error {
	var o SaveOptions
	if given != nil {
		o = *given
	}

	if o.Version != 0 && o.Version != w.version {
		return fmt.Errorf("an array of version %d in a store of version %d: %w", o.Version, w.version,
			cairn.ErrUnsupported)
	}
	if err := o.validate(); err != nil {
		return err
	}
	if v := ndarray.ViewOf(src); v.Err() != nil {
		return v.Err()
	}

	l, err := layoutOf(src, &o, w.version)
	if err != nil {
		return err
	}
	p, err := o.packing(l.dtype)
	if err != nil {
		return err
	}

	if p.kind == Zlib && w.version == 3 {
		return unsupported("zlib in version 3, where only some readers know it; Gzip is the same with another header")
	}
	m, docs, err := l.documents(p, w.version)
	if err != nil {
		return err
	}

	// Added before its chunks are written, no other array can get the key meanwhile.
	if err := w.add(key, &written{array: true, docs: docs}); err != nil {
		return err
	}

	job := writing{metadata: m, src: src, sink: w.sink, key: key, memory: o.Memory, shards: map[string]*newShard{},
		encoder: p.encoder, checked: o.Checked, all: w.version == 2 && l.fill == nil,
		report: progress(o.Progress, m.part.ItemCount*m.part.ItemSize)}
	if job.memory == 0 {
		job.memory = defaultMemory
	}

	if err := job.run(ctx, o.Workers); err != nil {
		// The store has a part of the array, and cannot be completed.
		w.mu.Lock()
		defer w.mu.Unlock()
		w.failed = errors.Join(w.failed, inArray(key, err))
		return err
	}
	return nil
}

// documents returns the documents of an array, and what they say to a reader.
func (l *layout) documents(p *packing, version int) (*metadata, meta.Map, error) {
	limits := cairn.Limits{}.WithDefaults()
	if version == 2 {
		doc, attributes, err := l.documentV2(p)
		if err != nil {
			return nil, nil, err
		}

		var m *metadata
		docs := jsonObject(nameArrayV2, doc, nameAttributesV2, attributes)
		if docs, err = plain(docs); err != nil {
			return m, docs, err
		}

		m, err = parseV2(field(docs, nameArrayV2).(meta.Map), nil, limits)
		return m, docs, err
	}

	doc, err := l.documentV3(p)
	if err != nil {
		return nil, nil, err
	}

	var m *metadata
	docs := jsonObject(nameV3, doc)
	if docs, err = plain(docs); err != nil {
		return m, docs, err
	}

	m, err = parseV3(field(docs, nameV3).(meta.Map), limits)
	return m, docs, err
}

// plain returns a value as a reader of its JSON would see it.
func plain(docs meta.Map) (meta.Map, error) {
	text, err := appendJSON(nil, docs, "")
	if err != nil {
		return nil, err
	}
	v, err := parseJSON(text, cairn.Limits{}.WithDefaults().MaxMeta)
	if err != nil {
		return nil, err
	}
	return v.(meta.Map), nil
}

// Close writes the metadata and gives the store its path. After an error nothing is left, unless it
// matches [cairn.ErrCommitted].
func (w *Writer) Close() error {
	if !w.end() {
		return cairn.ErrClosed
	}
	err := w.failed
	if err == nil {
		err = w.metadata()
	}
	if err == nil {
		err = w.sink.finish()
	}
	if err == nil {
		err = w.free() // it may have appeared meanwhile
	}
	if err == nil && w.o.Overwrite {
		err = placing.Inherit(w.fsys, w.temp, w.path)
	}

	if err != nil {
		return fmt.Errorf("create %s: %w", w.path, errors.Join(err, w.sink.abort()))
	}

	err = placing.Replace(w.fsys, w.temp, w.path, w.o.Durability != frame.None)
	if err != nil && !errors.Is(err, cairn.ErrCommitted) {
		err = errors.Join(err, w.sink.abort())
	}
	if err != nil {
		return fmt.Errorf("create %s: %w", w.path, err)
	}
	return nil
}

// Abort discards the store. It does nothing after Close.
func (w *Writer) Abort() error {
	if !w.end() {
		return nil
	}
	return w.sink.abort()
}

// end marks the writer as ended, and reports whether it was not.
func (w *Writer) end() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	was := w.ended
	w.ended = true
	return !was
}

// metadata writes the documents of all nodes, and all of them together in the root, if that is a
// group.
func (w *Writer) metadata() error {
	root := w.nodes[""]
	if root == nil {
		root = &written{docs: w.groupDocs(nil)}
		w.nodes[""] = root
	}

	var keys []string
	for key := range w.nodes {
		keys = append(keys, key)
	}
	slices.Sort(keys)

	all := meta.Map{}
	for _, key := range keys {
		for _, p := range w.nodes[key].docs {
			name := p.Key.(string)
			if w.version == 2 {
				all = append(all, meta.Pair{Key: path.Join(key, name), Value: p.Value})
			} else if key != "" {
				all = append(all, meta.Pair{Key: key, Value: p.Value})
			}

			if key != "" || w.version == 2 || root.array {
				if err := w.document(path.Join(key, name), p.Value); err != nil {
					return err
				}
			}
		}
	}

	switch {
	case root.array:
		return nil
	case w.version == 2:
		return w.document(nameConsolidated, jsonObject("zarr_consolidated_format", 1, "metadata", all))
	}

	doc := append(field(root.docs, nameV3).(meta.Map), meta.Pair{Key: "consolidated_metadata",
		Value: jsonObject("kind", "inline", "must_understand", false, "metadata", all)})
	return w.document(nameV3, doc)
}

// document writes a document, unless it has no members: attributes are optional.
func (w *Writer) document(key string, v any) error {
	if m, ok := v.(meta.Map); ok && len(m) == 0 {
		return nil
	}
	text, err := appendJSON(nil, v, "")
	if err != nil {
		return err
	}
	return w.sink.put(key, append(text, '\n'))
}
