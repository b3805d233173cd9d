package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/bucketurl"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/shellwords"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/derived"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
)

// changeShape runs a change of the shape of an array, as changeArray does. It fails for a part of a
// table, since the other parts would not have its length.
func (std *streams) changeShape(ctx context.Context, p place.Place, workers int,
	change func(u *ndarray.Untyped) error) error {
	if err := notInTable(p); err != nil {
		return err
	}
	return std.changeArray(ctx, p, workers, change)
}

// notInTable fails for an array that is part of a table.
func notInTable(p place.Place) error {
	table, err := tableAround(p)
	if err == nil && table != "" {
		err = fmt.Errorf("%s is part of the table %s, whose columns have one length: "+
			"add and delete rows with python-blosc2 (extend, delete): %w", p, table, cairn.ErrUnsupported)
	}
	return err
}

// tableAround returns the table that an array is part of, or "".
func tableAround(p place.Place) (string, error) {
	if p.Far() {
		return "", nil // where no table can be changed
	}
	if p.Keyed {
		return tableOfLeaf(p.Name, p.Key)
	}
	file, err := filepath.Abs(p.Name)
	if err != nil {
		return "", nil // opening it says what is wrong
	}
	if file, err = filepath.EvalSymlinks(file); err != nil {
		return "", nil
	}

	for _, p := range derived.Parts(filepath.ToSlash(file)) {
		if _, err := os.Stat(filepath.FromSlash(p.Table + "/" + derived.Manifest + ".b2f")); err == nil {
			return p.Table, nil
		}
	}
	return "", nil
}

// tableOfLeaf is tableAround for a leaf.
func tableOfLeaf(name, key string) (string, error) {
	s, err := store.Open(name, nil)
	if err != nil {
		return "", err
	}
	defer s.Close()
	objects, err := s.Objects()
	if err != nil {
		return "", err
	}

	table, ok := operand.ObjectAround(objects, key)
	if !ok {
		return "", nil
	}
	return name + place.Mark + table, nil
}

// changeArray runs a change of an array in a file or a leaf. If it fails, the array stays as it
// was.
func (std *streams) changeArray(ctx context.Context, p place.Place, workers int,
	change func(u *ndarray.Untyped) error) error {
	if err := checkWorkers(workers); err != nil {
		return err
	}

	if p.Keyed {
		return edit(p, workers, func(e *store.Editor) error { return e.Change(ctx, p.Key, change) })
	}

	files, err := std.changeable(p)
	if err != nil {
		return err
	}
	u, err := ndarray.Open(p.Name, &ndarray.OpenOptions{Mode: ndarray.ReadWrite, Workers: workers, FS: files,
		Commits: frame.Commits{Retry: files != nil}})
	if err != nil && std.at.IsStore(ctx, p) {
		return fmt.Errorf("%s is a store; name an array in it as %s%s/KEY: %w", p, p, place.Mark, cairn.ErrUnsupported)
	}
	if err != nil {
		return err
	}

	run := func() error { return u.Atomically(ctx, func() error { return change(u) }) }
	if files == nil {
		run = func() error {
			if err := change(u); err != nil {
				return err
			}
			return u.Commit(ctx)
		}
	}

	if err := run(); err != nil {
		u.Abort()
		return err
	}
	return u.Close()
}

// edit runs a change of a store.
func edit(p place.Place, workers int, change func(e *store.Editor) error) error {
	if err := checkLocal(p); err != nil {
		return err
	}
	e, err := store.Edit(p.Name, &store.OpenOptions{Workers: workers})
	if err != nil {
		return err
	}
	if err := change(e); err != nil {
		return errors.Join(err, e.Abort())
	}
	return e.Close()
}

// changeFrame changes the metalayers of a file or a leaf, or the attributes of a group, all at once
// or not at all.
func (std *streams) changeFrame(ctx context.Context, p place.Place, change func(f *frame.Frame) error) error {
	if std.at.IsStore(ctx, p) {
		p.Key = "/"
		p.Keyed = true
	}

	if p.Keyed {
		return edit(p, 0, func(e *store.Editor) error { return e.ChangeFrame(ctx, p.Key, change) })
	}

	files, err := std.changeable(p)
	if err != nil {
		return err
	}
	f, err := frame.Open(p.Name, &frame.OpenOptions{Mode: frame.ReadWrite, FS: files,
		Commits: frame.Commits{Retry: files != nil}})
	if err != nil {
		return err
	}

	if files != nil {
		err = f.Atomically(ctx, func() error { return change(f) })
	} else {
		err = change(f)
	}

	if err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Close()
}

// checkLocal fails if a store is somewhere else, where it cannot be changed.
func checkLocal(p place.Place) error {
	if p.Far() {
		return fmt.Errorf("%s is not on this machine, and a store is changed in place; change a copy and copy "+
			"that: %w", p.Name, cairn.ErrUnsupported)
	}
	return nil
}

// changeable returns the file system of a frame that will be changed, nil for that of the operating
// system.
func (std *streams) changeable(p place.Place) (storage.FS, error) {
	name := p.Name
	if p.Kind == place.Web {
		return nil, fmt.Errorf("%s is on a web server, which only reads: %w", name, cairn.ErrReadOnly)
	}
	if p.Kind != place.Bucket {
		return nil, nil
	}

	if at, version := std.at.Version(p); version > 0 {
		return nil, fmt.Errorf("%s is an earlier version of %s, which stays as it is: %w", name, at, cairn.ErrReadOnly)
	}

	mark, err := std.at.Mark(p)
	if err == nil && mark != bucketurl.AFrame {
		err = fmt.Errorf("%s is a file in a bucket, which is only replaced as a whole; 'cairn copy -sparse' makes an "+
			"array there that can be changed: %w", name, cairn.ErrReadOnly)
	}
	return std.at.FS(p), err
}

func deleteVerb(*flag.FlagSet) action {
	return func(ctx context.Context, std *streams, operands []string) error {
		if len(operands) == 0 {
			return usagef("no PATH::/KEY given")
		}

		var stores []place.Place
		keys := map[place.Place][]string{}
		for _, p := range place.All(operands) {
			if !p.Keyed {
				return usagef("%s does not name an array or group of a store: want STORE%s/KEY", p, place.Mark)
			}

			whole := p.Whole()
			if keys[whole] == nil {
				stores = append(stores, whole)
			}
			keys[whole] = append(keys[whole], p.Key)
		}

		for _, p := range stores {
			done, err := std.changeOther(ctx, p, func(c formats.Changer) error {
				for _, key := range keys[p] {
					if err := c.Delete(ctx, key); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return unlessLast(err, p, stores)
			}
			if done {
				continue
			}

			err = std.onlyRead(ctx, p, deleteFrom(ctx, p, keys[p]), func(name string) string {
				return fmt.Sprintf("cairn copy %s OUT.b2z makes a store to delete from", shellwords.Quote(name))
			})
			if err != nil {
				return unlessLast(err, p, stores)
			}
		}
		return nil
	}
}

// deleteFrom deletes keys in one edit, which is one step except in a directory.
func deleteFrom(ctx context.Context, p place.Place, keys []string) error {
	return edit(p, 0, func(e *store.Editor) error {
		for _, key := range keys {
			if err := e.Delete(ctx, key); err != nil {
				return unlessLast(err, key, keys)
			}
		}
		return nil
	})
}

// unlessLast returns an error of one of several commits, so that it says whether all have happened.
func unlessLast[T comparable](err error, done T, of []T) error {
	if done == of[len(of)-1] {
		return err
	}
	return placing.Uncommitted(err)
}
