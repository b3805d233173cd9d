package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// crash makes changes in memory, and opens what crashes leave.
func (c *checker) crash(base string, before []byte, list []change, most int) error {
	if len(list) == 0 {
		return nil
	}
	r := storagetest.NewRecorder()
	if err := put(r, base, before); err != nil {
		return err
	}
	settled := r.Len()
	old, err := c.stateOf(r, base)
	if err != nil {
		return err
	}
	f, err := hdf5.Change(base, &hdf5.AppendOptions{FS: c.fs(r)})
	if err != nil {
		return err
	}
	for i := range list {
		if err := list[i].make(f); err != nil {
			return errors.Join(err, f.Abort())
		}
	}
	if err := f.Commit(context.Background()); err != nil {
		return err
	}
	committed := r.Len()
	if err := f.Close(); err != nil {
		return err
	}
	made, err := c.stateOf(r, base)
	if err != nil {
		return err
	}

	log := storagetest.NewLog(r.Ops())
	sweep := storagetest.Sweep{Seed: c.rng.Uint64(), Subsets: 5, Samples: 24, Durable: settled}
	var all []storagetest.Crash
	for crash := range log.Crashes(sweep, settled, len(log.Ops)) {
		all = append(all, crash)
	}
	for range most {
		crash := all[c.rng.IntN(len(all))]
		is, err := c.stateOf(log.Image(crash), base)
		if err != nil {
			return err
		}
		c.States[base]++
		acknowledged := crash.At > committed || crash.At == committed && crash.Model != storagetest.Torn
		switch {
		case is == made:
			c.News++
		case is == old && !acknowledged:
			c.Olds++
		case is.our == "" || is.their == "" || acknowledged || len(list) < 3:
			c.Failed++
			c.Failures.Add(failure{base, list, fmt.Sprintf("%v\n%v\n%s", is, crash, log.Describe(crash))})
		default:
			c.Partly++
			if err := c.completes(log.Image(crash), base, made, old); err != nil {
				c.Failed++
				c.Failures.Add(failure{base, list, fmt.Sprintf("%v\n%v\n%s", err, crash, log.Describe(crash))})
			}
		}
	}
	return nil
}

// completes opens a file for changes, which must complete a commit that was begun.
func (c *checker) completes(fsys storage.FS, base string, made, old state) error {
	f, err := hdf5.Change(base, &hdf5.AppendOptions{FS: fsys})
	if err != nil {
		return err
	}
	if err := f.Abort(); err != nil {
		return err
	}
	is, err := c.stateOf(fsys, base)
	if err == nil && is != made && is != old {
		err = errors.New("the commit is not completed")
	}
	return err
}

// A state is what a file has.
type state struct{ their, our, why string }

// stateOf opens a file of a file system, with h5py and with cairn.
func (c *checker) stateOf(fsys storage.FS, base string) (s state, err error) {
	left := filepath.Join(c.dir, "left-"+base)
	if err := save(fsys, base, left); err != nil {
		return s, err
	}
	// Counts of links are the last that a commit writes, and may be too high before that.
	a, err := c.ask(map[string]any{"digest": left, "counts": false})
	if err != nil {
		return s, err
	}
	s.their = a.Digest
	s.why = a.Wrong
	s.our, err = ourState(left)
	if err != nil {
		s.why += err.Error()
	}
	return s, nil
}

// ourState tells the groups and datasets that cairn finds, and their attributes.
func ourState(name string) (text string, err error) {
	ctx := context.Background()
	f, err := hdf5.Open(name, nil)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var visit func(key string) error
	visit = func(key string) error {
		nodes, err := f.Children(ctx, key)
		if err != nil {
			return err
		}

		for _, n := range nodes {
			text += fmt.Sprintln(n.Key, n.Kind, n.Target)
			if n.Kind == ndarray.LinkNode || n.Kind == ndarray.OtherNode {
				continue
			}
			list, err := f.AllAttributes(ctx, n.Key)
			if err != nil {
				return err
			}

			for _, a := range list {
				text += fmt.Sprintln(a.Name, a.Shape, len(a.Data))
			}
			if n.Kind == ndarray.GroupNode {
				if err := visit(n.Key); err != nil {
					return err
				}
			}
		}

		return nil
	}
	err = visit("/")
	if err != nil {
		return "", err
	}
	return text, nil
}

// put puts a file into a file system, durably.
func put(fsys storage.FS, name string, content []byte) error {
	f, err := fsys.Create(name)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(content, 0)
	return errors.Join(err, f.Sync(), f.Close(), fsys.SyncDir("."))
}

// save copies a file to the disk.
func save(fsys storage.FS, name, to string) error {
	f, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return err
	}
	b := make([]byte, size)
	if _, err := f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return os.WriteFile(to, b, 0o666)
}
