package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// embedMap is the metalayer of variable length in which an embed store lists its leaves.
const embedMap = "estore_metadata"

// embedList is the content of that metalayer.
type embedList struct {
	entries meta.Map // per key, unchanged
	end     int64    // offset of the next leaf in the decoded bytes
}

// readList reads the list of an embed store. An embed store that never had a leaf may have no list.
func readList(f *frame.Frame) (*embedList, error) {
	list := &embedList{}
	v, err := unpackVL(f, embedMap)
	if errors.Is(err, cairn.ErrNotFound) {
		return list, nil
	}
	if err != nil {
		return nil, err
	}

	var ok bool
	if list.entries, ok = get[meta.Map](v, "embed_map"); !ok {
		return nil, cairn.Corruptf("embed store", -1, "metalayer %q has no embed_map", embedMap)
	}
	list.end, _ = get[int64](v, "current_offset")
	return list, nil
}

// write stages the list.
func (list *embedList) write(f *frame.Frame) error {
	entries := list.entries
	if entries == nil {
		entries = meta.Map{}
	}
	raw, err := meta.Pack(meta.Map{{Key: "embed_map", Value: entries}, {Key: "current_offset", Value: list.end}})
	if err != nil {
		return err
	}
	return f.SetVL(embedMap, raw)
}

// drop removes the matching keys and reports whether there were any.
func (list *embedList) drop(match func(key string) bool) bool {
	before := len(list.entries)
	list.entries = slices.DeleteFunc(list.entries, func(p meta.Pair) bool {
		key, ok := p.Key.(string)
		return ok && match(key)
	})
	return len(list.entries) < before
}

// put adds a leaf or replaces the one of the same key.
func (list *embedList) put(key string, offset, length int64) {
	value := meta.Map{{Key: "offset", Value: offset}, {Key: "length", Value: length}}
	for i := range list.entries {
		if list.entries[i].Key == key {
			list.entries[i].Value = value
			return
		}
	}
	list.entries = append(list.entries, meta.Pair{Key: key, Value: value})
}

// embeddedLeaves returns the leaves that an embed store lists, in its order. It fails if one of
// them does not lie within the decoded bytes.
func embeddedLeaves(f *frame.Frame) ([]Leaf, error) {
	list, err := readList(f)
	if err != nil {
		return nil, err
	}

	leaves := make([]Leaf, 0, len(list.entries))
	for _, p := range list.entries {
		key, ok := p.Key.(string)
		if !ok {
			return nil, cairn.Corruptf("embed store", -1, "a key is %T, no text", p.Key)
		}

		l, err := embeddedLeaf(key, p.Value, f.NBytes())
		if err != nil {
			return nil, err
		}
		leaves = append(leaves, l)
	}
	return leaves, nil
}

// embeddedLeaf reads one entry of the map.
func embeddedLeaf(key string, v any, nbytes int64) (Leaf, error) {
	l := Leaf{Key: key, Embedded: true}
	if base, ok := get[string](v, "urlbase"); ok {
		where, _ := get[string](v, "path")
		l.URL = base + where
		return l, nil
	}

	var ok [2]bool
	l.Offset, ok[0] = get[int64](v, "offset")
	l.Size, ok[1] = get[int64](v, "length")
	if !ok[0] || !ok[1] {
		return l, cairn.Corruptf("embed store", -1, "the entry of %q has no offset and length", key)
	}
	if l.Offset < 0 || l.Size < 0 || l.Offset > nbytes || l.Size > nbytes-l.Offset {
		return l, cairn.Corruptf("embed store", -1, "%q has %d bytes at %d, but there are %d", key, l.Size,
			l.Offset, nbytes)
	}
	return l, nil
}

// get returns the value of a key if v is a map and the value has type T.
func get[T any](v any, key string) (T, bool) {
	var none T
	m, ok := v.(meta.Map)
	if !ok {
		return none, false
	}
	value, ok := m.Get(key)
	if !ok {
		return none, false
	}
	t, ok := value.(T)
	return t, ok
}

// embedChunk is the chunk size of python-blosc2's embed stores.
const embedChunk = 8192

// embed appends size bytes of r to an embed store and returns their offset. The caller adds them to
// the list.
func embed(ctx context.Context, f *frame.Frame, r io.ReaderAt, size int64) (offset int64, err error) {
	if f.NumChunks() > 0 && f.ChunkSize() <= 0 {
		return 0, cairn.Corruptf("embed store", -1, "chunks of no common size")
	}

	chunk := int64(f.ChunkSize())
	if chunk <= 0 {
		chunk = embedChunk
	}
	if limit := (cairn.Limits{}).WithDefaults().MaxAlloc; chunk > limit {
		return 0, fmt.Errorf("chunks of %d bytes, at most %d are held at once: %w", chunk, limit, cairn.ErrLimit)
	}

	offset = f.NBytes()
	buf := make([]byte, 0, min(chunk, offset%chunk+size)) // the header may state a huge chunk size
	if offset%chunk > 0 {                                 // fill the last chunk first
		last := buf[:offset%chunk]
		if _, err := f.ReadChunk(ctx, last, f.NumChunks()-1); err != nil {
			return 0, err
		}
		buf = last
	}

	for at := int64(0); at < size; {
		had := len(buf)
		n := min(chunk-int64(had), size-at)
		buf = buf[:had+int(n)]
		if _, err := r.ReadAt(buf[had:], at); err != nil && (at+n < size || !errors.Is(err, io.EOF)) {
			return 0, err
		}

		if had > 0 {
			err = f.Update(ctx, f.NumChunks()-1, buf)
		} else {
			_, err = f.Append(ctx, buf)
		}
		if err != nil {
			return 0, err
		}

		at += n
		buf = buf[:0]
	}
	return offset, nil
}

// embedFile embeds a file and adds it to the list.
func embedFile(ctx context.Context, fsys storage.FS, name, key string, f *frame.Frame, list *embedList) error {
	in, err := fsys.Open(name)
	if err != nil {
		return err
	}

	size, err := in.Size()
	var at int64
	if err != nil {
		return errors.Join(err, in.Close())
	}

	at, err = embed(ctx, f, in, size)
	if err != nil {
		return errors.Join(err, in.Close())
	}

	list.put(key, at, size)
	list.end = at + size
	return errors.Join(err, in.Close())
}
