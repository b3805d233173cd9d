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

// foreign compares all HDF5 and NetCDF files below a folder, and prints a line for each.
func (c *counts) foreign(dir string) error {
	items := filepath.Join(os.TempDir(), fmt.Sprintf("cairn-hdf5-%d.items", os.Getpid()))
	defer os.Remove(items)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		isHDF5, isNetCDF, err := kindOf(path)
		if err != nil || !isHDF5 && !isNetCDF {
			return err
		}

		x := comparison{counts: c, Rand: rand.New(rand.NewPCG(c.Seed, 0)), path: path, writer: "?"}
		c.Files++
		if isHDF5 {
			if err = x.dump(items); err == nil {
				if x.items, err = os.Open(items); err == nil {
					err = errors.Join(x.compare(), x.items.Close())
				}
			}
		}
		if err == nil && isNetCDF {
			err = x.netcdf(items)
		}
		if errors.Is(err, harness.ErrEnded) {
			return err
		}

		name, _ := filepath.Rel(dir, path)
		result := "equal"
		switch {
		case err != nil:
			c.Failed++
			result = strings.ReplaceAll(err.Error(), "\n", "; ")
		case len(x.words) > 0:
			result = "equal, but for what is refused: " + strings.Join(x.words, "; ")
		}
		fmt.Printf("%s\t%s\n", name, result)
		return nil
	})

	return errors.Join(err, c.peer.Close())
}

// kindOf tells what a file is, by its first bytes and its extension.
func kindOf(path string) (isHDF5, isNetCDF bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return false, false, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return false, false, err
	}
	head := make([]byte, 4)
	n, _ := file.ReadAt(head, 0)
	isHDF5 = hdf5.Is(file, info.Size())
	classic := n == 4 && string(head[:3]) == "CDF" && head[3] <= 5
	return isHDF5, classic || isHDF5 && strings.HasPrefix(filepath.Ext(path), ".nc"), nil
}
