package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A followed is what Python read of a file while it was appended to.
type followed struct {
	Opens   int `json:"opens"`   // of files
	Follows int `json:"follows"` // in handles that stayed open, with SWMR
	Late    int `json:"late"`    // the file had grown between opening it and a dataset
	Rows    int `json:"rows"`
}

// A counting is rows each of whose items is its number.
type counting struct {
	shape ndarray.Shape
	dtype meta.DType
	from  int64
}

func (s *counting) Shape() ndarray.Shape { return append(ndarray.Shape{}, s.shape...) }

func (s *counting) DType() meta.DType { return s.dtype }

func (s *counting) Grid() (chunks, blocks ndarray.Shape) { return nil, nil }

func (s *counting) ReadBytes(_ context.Context, dst []byte, start, stop []int64) error {
	width := int64(1)
	if len(stop) > 1 {
		width = stop[1] - start[1]
	}
	for i := range int64(len(dst)) / 4 {
		binary.LittleEndian.PutUint32(dst[4*i:], uint32(s.from+start[0]+i/width))
	}
	return nil
}

// beside lets Python read files while they are appended to.
func (c *checker) beside(python, script string) error {
	made := exec.Command(python, script, "numbers", c.dir)
	if text, err := made.CombinedOutput(); err != nil {
		return fmt.Errorf("making files: %w: %s", err, text)
	}
	files, err := filepath.Glob(filepath.Join(c.dir, "*"))
	if err != nil {
		return err
	}
	for _, name := range files {
		if err := c.follow(python, script, name, c.reading/time.Duration(len(files))); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(name), err)
		}
	}
	return nil
}

// follow appends to a file while Python reads it.
func (c *checker) follow(python, script, name string, limit time.Duration) error {
	var out bytes.Buffer
	cmd := exec.Command(python, script, "follow", name)
	cmd.Stdout = &out
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	err := appendNumbers(name, limit)
	err = errors.Join(err, os.WriteFile(name+".end", nil, 0o666), cmd.Wait())
	if err != nil {
		return err
	}

	var got followed
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		return fmt.Errorf("%w: %s", err, out.Bytes())
	}
	if got.Opens == 0 || got.Rows < 10 {
		return fmt.Errorf("%+v: it read nothing", got)
	}
	c.Followed[filepath.Base(name)] = got
	return nil
}

// appendNumbers appends to the datasets of a file for a while, a row after the other.
func appendNumbers(name string, limit time.Duration) error {
	ctx := context.Background()
	a, err := hdf5.Append(name, nil)
	if err != nil {
		return err
	}
	for end := time.Now().Add(limit); time.Now().Before(end); {
		err := eachGrowing(ctx, a.File(), func(d *hdf5.Dataset, _ int) error {
			rows, err := a.Shape(ctx, d.Key())
			if err != nil {
				return err
			}

			from := rows[0]
			rows[0] = 1
			return a.AppendRows(ctx, d.Key(), 0, &counting{rows, d.DType(), from})
		})

		if err = errors.Join(err, a.Commit(ctx)); err != nil {
			return errors.Join(err, a.Abort())
		}
		time.Sleep(time.Millisecond)
	}
	return a.Close()
}
