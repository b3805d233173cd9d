package store

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/internal/placing"
)

// In a directory, a bundle becomes as few steps as possible: renames of folders, and of files in
// folders that exist.

// A bundleStep puts a folder, or one file, into a directory.
type bundleStep struct {
	folder   string // key of a new folder or a table; empty for a file
	leaves   []Leaf // staged
	staged   string // the folder, with the files of the leaves in it
	replaces bool   // a leaf or a table
}

// installFolders is install for a directory.
func (b *Bundle) installFolders(ctx context.Context, replaced []string) error {
	if err := b.unembedOld(ctx, replaced); err != nil {
		return err
	}

	steps, err := b.steps(replaced)
	for i := 0; i < len(steps) && err == nil; i++ {
		if steps[i].folder != "" {
			err = b.e.stageFolder(&steps[i])
		}
	}
	if err != nil {
		return err
	}

	b.e.persisted = true
	for i := range steps {
		b.e.visible = false
		err := b.e.takeStep(&steps[i])
		switch {
		case err == nil:
			continue
		case b.e.visible && i == len(steps)-1: // now everything is in place
			return err
		}

		// What was done is taken back, so that nothing of the bundle stays.
		for _, done := range slices.Backward(steps[:i+boolInt(b.e.visible)]) {
			err = errors.Join(err, b.e.takeBack(&done))
		}
		b.e.visible = false
		return err
	}

	for _, table := range replaced {
		b.e.leaves.unsetGroup(table)
	}
	for i := range steps {
		for _, l := range steps[i].leaves {
			l.staged = ""
			b.e.leaves.set(l)
		}
	}
	return b.e.unlist(b.has)
}

// unembedOld moves the embedded leaves of tables that are replaced to their folders, so that none
// stays visible beside the new table.
func (b *Bundle) unembedOld(ctx context.Context, replaced []string) error {
	old := func(key string) bool {
		return slices.ContainsFunc(replaced, func(table string) bool { return isBelow(key, table) })
	}

	embedded := false
	for _, l := range b.e.leaves.snapshot() {
		embedded = embedded || l.Embedded && old(l.Key)
	}
	if !embedded {
		return nil
	}

	if err := b.e.unembed(old); err != nil {
		return err
	}
	if err := b.e.unlist(old); err != nil {
		return err
	}
	return b.e.commitEmbed(ctx)
}

// steps returns the steps, those that replace something last.
func (b *Bundle) steps(replaced []string) ([]bundleStep, error) {
	var files, folders []bundleStep
	for _, key := range slices.Sorted(maps.Keys(b.files)) {
		l, err := b.e.finished(key, b.files[key])
		if err != nil {
			return nil, err
		}
		folder, err := b.newFolder(key, replaced)
		if err != nil {
			return nil, err
		}

		last := len(folders) - 1
		switch {
		case folder == "":
			_, taken := b.e.leaves.get(key)
			files = append(files, bundleStep{leaves: []Leaf{l}, replaces: taken})
		case last >= 0 && folders[last].folder == folder:
			folders[last].leaves = append(folders[last].leaves, l)
		default:
			folders = append(folders, bundleStep{folder: folder, leaves: []Leaf{l},
				replaces: slices.Contains(replaced, folder)})
		}
	}

	steps := append(folders, files...)
	slices.SortStableFunc(steps, func(a, b bundleStep) int { return boolInt(a.replaces) - boolInt(b.replaces) })
	return steps, nil
}

// newFolder returns the outermost folder around a key that is new or that of a replaced table, or
// "".
func (b *Bundle) newFolder(key string, replaced []string) (string, error) {
	var around []string
	for folder := path.Dir(key); folder != "/"; folder = path.Dir(folder) {
		around = append(around, folder)
	}

	for _, folder := range slices.Backward(around) {
		_, err := b.e.fsys.Stat(b.e.at(folder[1:]))
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && slices.Contains(replaced, folder):
			return folder, nil
		case err != nil:
			return "", err
		}
	}
	return "", nil
}

// stageFolder moves the files of a step into a folder in the staging directory. Files and folders
// get the permissions of those that they replace, or of what is around them.
func (e *Editor) stageFolder(step *bundleStep) error {
	dir, err := e.newFile()
	if err != nil {
		return err
	}

	like := e.at(path.Dir(step.folder)[1:])
	if step.replaces {
		if _, err := e.fsys.Stat(e.at(step.folder[1:])); err == nil {
			like = e.at(step.folder[1:])
		}
	}

	if err := placing.MkdirFor(e.fsys, dir, like); err != nil {
		return err
	}
	if err := placing.Inherit(e.fsys, dir, like); err != nil {
		return err
	}

	step.staged = dir
	folders := map[string]bool{dir: true}
	for _, l := range step.leaves {
		name := strings.TrimPrefix(l.File, step.folder[1:]+"/")
		if err := makeFolders(e.fsys, dir, path.Dir(name)); err != nil {
			return err
		}
		if err := takeOver(e.fsys, l.staged, e.at(l.File), e.root); err != nil {
			return err
		}
		if err := e.fsys.Rename(l.staged, dir+"/"+name); err != nil {
			return err
		}
		folders[path.Dir(dir+"/"+name)] = true
	}

	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		if err := e.fsys.SyncDir(folder); err != nil {
			return err
		}
	}

	// the staging directory, from which files were moved
	return e.fsys.SyncDir(path.Dir(dir))
}

// takeStep puts a folder or a file in its place.
func (e *Editor) takeStep(step *bundleStep) error {
	switch {
	case step.folder == "":
		return e.moveIn(&step.leaves[0], step.leaves[0].staged)
	case step.replaces:
		return e.decides(placing.Replace(e.fsys, step.staged, e.at(step.folder[1:]), true))
	}
	return e.decides(e.rename(step.staged, e.at(step.folder[1:])))
}

// takeBack undoes a step, unless it has replaced something.
func (e *Editor) takeBack(step *bundleStep) error {
	switch {
	case step.replaces:
		return nil
	case step.folder == "":
		return e.remove(step.leaves[0].File)
	}
	return e.rename(e.at(step.folder[1:]), step.staged)
}
