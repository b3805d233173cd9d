package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/netcdf"
)

//go:embed copies.py
var copiesSource string

// copied counts copies of files that others wrote.
type copied struct {
	Versions string
	Copies   int
	Equal    int
	Named    int      // differ only in what cairn tells
	Chunks   int      // that were filtered, of files that were made
	Taken    int      // of these, that copies have as they were stored
	Refused  []string // files of which no copy is made, with the reason
	Failed   int
	Failures harness.Failures[string]

	cairn string
	peer  *harness.Peer
	root  string
}

// made has cairn copy files that h5py and netCDF4 write, whose chunks have filters.
func made(python string, n int, seed uint64) (*copied, error) {
	c := &copied{}
	err := c.start(python)
	if err != nil {
		return c, err
	}
	defer os.RemoveAll(c.root)
	if c.cairn, err = harness.Build(c.root); err != nil {
		return c, err
	}

	for k := range n {
		name := fmt.Sprintf("made%d%s", k, []string{".h5", ".nc"}[k%2])
		path := filepath.Join(c.root, name)
		if err := c.peer.Call(map[string]any{"op": "make", "path": path, "seed": seed, "case": k}, &struct{}{}); err != nil {
			return c, err
		}
		if err := c.one(path, name, filepath.Ext(name)); errors.Is(err, harness.ErrEnded) {
			return c, err
		} else if err != nil {
			c.Failed++
			c.Failures.Add(fmt.Sprintf("%s: %v", name, err))
		}
		if err := os.Remove(path); err != nil {
			return c, err
		}
	}
	if c.Taken < c.Chunks {
		c.Failed++
		c.Failures.Add(fmt.Sprintf("of %d chunks, %d were taken over", c.Chunks, c.Taken))
	}
	return c, c.peer.Close()
}

// copies has cairn copy all NetCDF and HDF5 files below a folder, as files of either format, and
// compares the copies.
func copies(cairn, python, dir string) (*copied, error) {
	c := &copied{cairn: cairn}
	err := c.start(python)
	if err != nil {
		return c, err
	}
	defer os.RemoveAll(c.root)

	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		for _, ext := range outputsOf(path) {
			name, _ := filepath.Rel(dir, path)
			if err := c.one(path, name, ext); errors.Is(err, harness.ErrEnded) {
				return err
			} else if err != nil {
				c.Failed++
				c.Failures.Add(fmt.Sprintf("%s as %s: %v", name, ext, err))
			}
		}
		return nil
	})
	return c, errors.Join(err, c.peer.Close())
}

// start starts the other side, and makes the folder of the copies.
func (c *copied) start(python string) (err error) {
	if c.peer, c.Versions, err = harness.Python(python, copiesSource); err != nil {
		return err
	}
	c.root, err = os.MkdirTemp("", "cairn-copies-")
	return err
}

// outputsOf returns the extensions of what a file is copied to: those of its format.
func outputsOf(path string) []string {
	f, err := netcdf.Open(path, nil)
	if err != nil {
		return nil
	}
	defer f.Close()

	isName := slices.Contains([]string{".nc", ".nc4", ".cdf"}, filepath.Ext(path))
	switch {
	case f.Format() != netcdf.NetCDF4:
		return []string{".nc3", ".nc"}
	case isName:
		return []string{".nc", ".h5"}
	}
	return []string{".h5"}
}

// one copies a file.
func (c *copied) one(path, name, ext string) error {
	c.Copies++
	to := filepath.Join(c.root, "copy"+ext)
	defer os.Remove(to)
	cmd := exec.Command(c.cairn, "copy", "-history=false", path, to)
	var told bytes.Buffer
	cmd.Stderr = &told
	ran := cmd.Run()
	if strings.Contains(told.String(), "panic") {
		return fmt.Errorf("%s", &told)
	}
	if _, err := os.Stat(to); err != nil {
		if ran == nil || told.Len() == 0 {
			return errors.New("no copy, and no reason")
		}
		c.Refused = append(c.Refused, fmt.Sprintf("%s as %s: %.200s", name, ext, strings.TrimSpace(told.String())))
		return nil
	}

	call := map[string]any{"op": "netcdf", "path": path, "copy": to}
	if ext == ".h5" {
		var has struct{ Scales bool }
		if err := c.peer.Call(map[string]any{"op": "scales", "path": path}, &has); err != nil {
			return err
		}
		call["op"] = "hdf5"
		call["scales"] = has.Scales || filepath.Ext(path) != ".h5" && filepath.Ext(path) != ".mat"
	}
	var answer struct{ Differences [][2]string }
	if err := c.peer.Call(call, &answer); err != nil {
		return err
	}

	if strings.HasPrefix(name, "made") {
		var stored struct{ Chunks, Same int }
		if err := c.peer.Call(map[string]any{"op": "stored", "path": path, "copy": to}, &stored); err != nil {
			return err
		}
		c.Chunks += stored.Chunks
		c.Taken += stored.Same
	}

	var errs []error
	for _, d := range answer.Differences {
		if !tells(told.String(), d[0]) {
			errs = append(errs, fmt.Errorf("%s: %s", d[0], d[1]))
		}
	}
	switch {
	case len(errs) > 0:
	case len(answer.Differences) > 0:
		c.Named++
	default:
		c.Equal++
	}
	return errors.Join(errs...)
}

// tells reports whether messages name what is at a path, or an attribute there.
func tells(told, path string) bool {
	key, attribute, is := strings.Cut(path, "@")
	if is && strings.Contains(told, "attribute "+attribute+" of "+strings.TrimPrefix(key, "/")) {
		return true
	}
	return key != "/" && strings.Contains(told, key[1:])
}
