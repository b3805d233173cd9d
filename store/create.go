package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// Options are the options of [Create]. The zero value creates a tree store and replaces nothing.
type Options struct {
	OpenOptions // for the editor; Locking has no effect, since nobody else can see the new store

	Dict bool // create a dict store, which has no attributes; ignored for an embed store
	// Overwrite replaces an existing store or file at the path instead of failing with fs.ErrExist.
	// A directory that is neither empty nor a store is never replaced.
	Overwrite bool
}

// A newStoreInfo describes a store that is being created.
type newStoreInfo struct {
	as      form
	replace bool
	embed   string // path of its embed store, which is complete once closed
}

// Create creates an empty store and opens it for changes: an archive if path ends in .b2z, an embed
// store if it ends in .b2e, otherwise a directory, whose path should end in .b2d. o may be nil. The
// store appears at path when the editor is closed; until then its leaves are in a directory beside
// path. The caller must call Close or Abort; Abort does nothing after Close, so defer it.
func Create(path string, o *Options) (*Editor, error) {
	if o == nil {
		o = &Options{}
	}
	e := &Editor{Store: newStore(path, &o.OpenOptions), form: archive, private: true}
	if err := e.create(path, o); err != nil {
		return nil, errors.Join(e.fail("create", "", err), e.Abort())
	}
	return e, nil
}

func (e *Editor) create(path string, o *Options) error {
	if path == "" {
		return errkind.Invalid(fmt.Errorf("the path is empty: %w", fs.ErrInvalid))
	}

	e.root = path
	e.kind = TreeStore
	e.newInfo = &newStoreInfo{as: formOf(path), replace: o.Overwrite}
	switch {
	case e.newInfo.as == embedForm:
		e.kind = EmbedStore
	case o.Dict:
		e.kind = DictStore
	}

	placing.Restore(e.fsys, path)
	if err := placing.Free(e.fsys, path, o.Overwrite, "store", embedName); err != nil {
		return err
	}

	name, err := e.newFile()
	if err != nil {
		return err
	}
	embed, err := createEmbed(e.fsys, name, e.kind)
	if err != nil {
		return err
	}

	e.newInfo.embed = name
	e.embed.Store(embed)
	return (&embedList{}).write(embed)
}

func formOf(path string) form {
	switch filepath.Ext(path) {
	case ".b2z":
		return archive
	case ".b2e":
		return embedForm
	}
	return directory
}

// createEmbed creates the frame of an embed store.
func createEmbed(fsys storage.FS, name string, kind Kind) (*frame.Frame, error) {
	layer := "b2tree"
	switch kind {
	case DictStore:
		layer = "b2dict"
	case EmbedStore:
		layer = "b2embed"
	}

	mark, err := meta.Pack(meta.Map{{Key: "version", Value: 1}})
	if err != nil {
		return nil, err
	}
	return frame.Create(name, &frame.Options{FS: fsys, TypeSize: 1, ChunkSize: embedChunk, Codec: codecs.Zstd,
		Meta: []meta.Layer{{Name: layer, Content: mark}}})
}

// publish converts a new store to its form and moves it to its path.
func (e *Editor) publish() error {
	leaves := e.leaves.snapshot()
	if e.newInfo.as == embedForm {
		// Embed the files of all leaves, in the order of their keys.
		embed := e.embed.Load()
		list, err := readList(embed)
		for i := 0; i < len(leaves) && err == nil; i++ {
			if l := &leaves[i]; l.staged != "" {
				if err = embedFile(context.Background(), e.fsys, l.staged, l.Key, embed, list); err != nil {
					err = fmt.Errorf("leaf %q: %w", l.Key, err)
				}
			}
		}
		if err != nil {
			return err
		}
		if err := list.write(embed); err != nil {
			return err
		}
	}

	if err := e.embed.Swap(nil).Close(); err != nil {
		return placing.Uncommitted(err)
	}

	name := e.newInfo.embed
	err := error(nil)
	switch e.newInfo.as {
	case archive:
		members := append(appendStaged(nil, leaves), packedMember{name: embedName, file: name})
		// the order in which a walk over their folders would list them
		slices.SortFunc(members, func(a, b packedMember) int {
			return slices.Compare(strings.Split(a.name, "/"), strings.Split(b.name, "/"))
		})
		name, err = e.pack(members, "")
	case directory:
		name, err = e.tree(leaves)
	}

	if err == nil && e.newInfo.replace && e.newInfo.as != directory {
		err = takeOver(e.fsys, name, e.root, e.root)
	}
	if err != nil {
		return placing.Uncommitted(err)
	}

	// It may have appeared meanwhile.
	if err = placing.Free(e.fsys, e.root, e.newInfo.replace, "store", embedName); err != nil {
		return placing.Uncommitted(err)
	}

	if e.newInfo.replace || e.newInfo.as == directory {
		return placing.Replace(e.fsys, name, e.root, true)
	}

	// Rename a file durably without replacing anything. Where hard links exist, this
	// holds even if another process creates the target meanwhile.
	fsys := e.fsys
	to := e.root
	l, ok := fsys.(linker)
	if !ok {
		return placing.Replace(fsys, name, to, true)
	}

	if err := l.Link(name, to); err != nil {
		return err
	}
	if err := fsys.Remove(name); err != nil {
		return placing.Committed(err)
	}
	return placing.Committed(errors.Join(fsys.SyncDir(filepath.Dir(name)), fsys.SyncDir(filepath.Dir(to))))
}

// appendStaged appends the staged files of leaves.
func appendStaged(members []packedMember, leaves []Leaf) []packedMember {
	for i := range leaves {
		if l := &leaves[i]; l.staged != "" {
			members = append(members, packedMember{name: l.File, size: l.Size, file: l.staged})
		}
	}
	return members
}

// pack writes an archive and returns its path.
func (e *Editor) pack(members []packedMember, comment string) (string, error) {
	// Sort members in the order that python-blosc2 uses: by descending size, with the
	// embed store last.
	slices.SortStableFunc(members, func(a, b packedMember) int {
		switch {
		case a.name == embedName:
			return 1
		case b.name == embedName:
			return -1
		}
		return int(min(max(b.size-a.size, -1), 1))
	})

	name, err := e.newFile()
	if err != nil {
		return name, err
	}

	err = writeArchive(e.fsys, name, comment, members)
	return name, err
}

// linker is a file system with hard links.
type linker interface {
	Link(oldName, newName string) error // fails with fs.ErrExist if newName is taken
}
