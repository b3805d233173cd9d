package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/osfile"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// move puts the directory in its place. What has that place goes only when the change is durable.
func (w *Writer) move() error {
	if err := takeOverTree(w.dir, w.path); err != nil {
		return err
	}
	if err := replaceable(w.path, w.replace); err != nil {
		return err
	}
	moved, err := storage.Replace(storage.OS(), w.dir, w.path, true)
	if moved {
		w.dir = ""
	}
	return err
}

// pack makes a file of the directory, an archive or an embed store, and puts it in its place.
func (w *Writer) pack() error {
	files, err := w.files()
	if err != nil {
		return err
	}
	name := filepath.Join(w.dir, ".packed") // which no leaf is called
	if w.kind == EmbedStore {
		err = w.embedAll(name, files)
	} else {
		err = writeArchive(storage.OS(), name, "", files)
	}
	if err == nil && w.replace {
		err = takeOver(storage.OS(), name, w.path, w.path)
	}
	if err == nil {
		err = w.publish(name)
	}
	return err
}

// replaceable fails if something has a path that is not to be replaced: with leave to do so a directory must be a store still, lest everything that somebody
// keeps in a folder goes.
func replaceable(path string, leave bool) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !leave:
		return fs.ErrExist
	case !info.IsDir():
		return nil
	}
	if _, err := os.Lstat(filepath.Join(path, embedName)); err != nil {
		return fmt.Errorf("a directory that is no store is not replaced: %w", fs.ErrExist)
	}
	return nil
}

// publish gives a file its name, durably: what has moved is an entry of both directories. Without
// leave to replace something it must not replace what came there meanwhile.
func (w *Writer) publish(name string) error {
	if w.replace {
		if err := replaceable(w.path, true); err != nil {
			return err
		}
		_, err := storage.Replace(storage.OS(), name, w.path, true)
		return err
	}
	err := os.Link(name, w.path)
	if err == nil {
		err = os.Remove(name)
	}
	if err == nil {
		err = osfile.SyncDir(w.dir)
	}
	if err == nil {
		err = osfile.SyncDir(filepath.Dir(w.path))
	}
	return err
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// files lists what becomes members, in their order.
func (w *Writer) files() ([]packed, error) {
	var files []packed
	err := filepath.WalkDir(w.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(w.dir, name)
		files = append(files, packed{name: filepath.ToSlash(relative), size: info.Size(), file: name})
		return err
	})
	sortPacked(files)
	return files, err
}

// createEmbed makes the frame of an embed store.
func (w *Writer) createEmbed(name string) (*frame.Frame, error) {
	layer := "b2tree"
	switch w.kind {
	case DictStore:
		layer = "b2dict"
	case EmbedStore:
		layer = "b2embed"
	}
	mark, err := meta.Pack(meta.Map{{Key: "version", Value: 1}})
	if err != nil {
		return nil, err
	}
	return frame.Create(name, &frame.Options{TypeSize: 1, ChunkSize: embedChunk, Codec: codecs.Zstd, Meta: []meta.Layer{{Name: layer, Content: mark}}})
}

// writeEmbed writes the embed store of a directory or an archive, which lists what is no file.
func (w *Writer) writeEmbed() error {
	return w.writeList(filepath.Join(w.dir, embedName), func(*frame.Frame, *embedList) error { return nil })
}

// embedAll writes an embed store of all leaves, in the order of their keys.
func (w *Writer) embedAll(name string, files []packed) error {
	slices.SortFunc(files, func(a, b packed) int { return strings.Compare(keyOf(a.name), keyOf(b.name)) })
	return w.writeList(name, func(f *frame.Frame, list *embedList) error {
		for _, p := range files {
			if err := embedFile(context.Background(), storage.OS(), p.file, keyOf(p.name), f, list); err != nil {
				return fmt.Errorf("leaf %q: %w", keyOf(p.name), err)
			}
		}
		return nil
	})
}

// writeList writes an embed store that fill puts leaves into.
func (w *Writer) writeList(name string, fill func(f *frame.Frame, list *embedList) error) error {
	f, err := w.createEmbed(name)
	if err != nil {
		return err
	}
	list := &embedList{entries: slices.Clone(w.remote)}
	if err = fill(f, list); err == nil {
		err = list.write(f)
	}
	if err == nil && w.registry != nil {
		err = f.SetVL(registryName, w.registry)
	}
	if err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Close()
}

// embedFile puts a file into an embed store.
func embedFile(ctx context.Context, fsys storage.FS, name, key string, f *frame.Frame, list *embedList) error {
	in, err := fsys.Open(name)
	if err != nil {
		return err
	}
	size, err := in.Size()
	var at int64
	if err == nil {
		at, err = embed(ctx, f, in, size)
	}
	if err == nil {
		list.put(key, at, size)
		list.end = at + size
	}
	return errors.Join(err, in.Close())
}
