package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/hdf5"
)

// foreign compares all HDF5 files below a folder, and prints a line for each.
func (c *counts) foreign(dir string) error {
	items := filepath.Join(os.TempDir(), fmt.Sprintf("cairn-hdf5-%d.items", os.Getpid()))
	defer os.Remove(items)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil || !hdf5.Is(file, info.Size()) {
			return err
		}
		x := comparison{counts: c, Rand: rand.New(rand.NewPCG(c.Seed, 0)), path: path, writer: "?"}
		before := fmt.Sprint(c.Refused)
		err = x.dump(items)
		if err == nil {
			if x.items, err = os.Open(items); err == nil {
				err = errors.Join(x.compare(), x.items.Close())
			}
		} else if errors.Is(err, harness.ErrEnded) {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		switch {
		case err != nil:
			c.Failed++
			fmt.Printf("%s\t%s\n", name, strings.ReplaceAll(err.Error(), "\n", "; "))
		case fmt.Sprint(c.Refused) != before:
			fmt.Printf("%s\tequal, but for what is refused: %v\n", name, c.Refused)
		default:
			fmt.Printf("%s\tequal\n", name)
		}
		return nil
	})
	return errors.Join(err, c.peer.Close())
}
