// Command written writes random files with the packages netcdf and hdf5, and has other programs
// read them. Of NetCDF, netCDF4-python, scipy and xarray compare every dimension, attribute and
// item; ncdump must print the header that [netcdf.File.Header] does; nccopy must accept it, and CDO
// find the values of packed fields. Of HDF5, h5py compares every group, link, attribute and item;
// h5dump must accept it, and h5stat find no waste.
//
//	go run ./check/written -python PYTHON -cases 500 -seed 1
//
// PYTHON has h5py, hdf5plugin, netCDF4, scipy, xarray and numpy. The other programs are those of
// Debian's netcdf-bin, hdf5-tools and cdo; where one is lacking, the counts say so. It prints its
// counts as JSON, and exits with 1 if there was a difference.
package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/netcdf"
)

//go:embed peer.py
var peerSource string

type counts struct {
	Seed       uint64
	Versions   string
	Files      int
	Variables  int
	Datasets   int
	Attributes int
	Bytes      int64 // of items
	Unused     int64 // bytes of HDF5 files that nothing uses
	Lacking    map[string]int
	Failed     int
	Failures   harness.Failures[string]

	peer  *harness.Peer
	cases int
	one   int
}

func main() {
	c := counts{Lacking: map[string]int{}}
	python := flag.String("python", "python3", "`PROGRAM` with netCDF4 and what else reads the files")
	flag.IntVar(&c.cases, "cases", 100, "write `N` files")
	seed := flag.Uint64("seed", 0, "`SEED` of all choices; 0 takes one from the clock")
	flag.IntVar(&c.one, "case", -1, "write only case `K`, and keep its file")
	flag.Parse()

	c.Seed = harness.Seed(*seed)
	var err error
	if c.peer, c.Versions, err = harness.Python(*python, peerSource); err == nil {
		err = c.random()
	}
	harness.Exit(cmp.Or(err, harness.Report("written", &c, c.Failed)))
}

func (c *counts) random() error {
	root, err := os.MkdirTemp("", "cairn-written-")
	if err != nil {
		return err
	}
	if c.one < 0 {
		defer os.RemoveAll(root)
	} else {
		fmt.Fprintln(os.Stderr, "files are in", root)
	}

	for k := range c.cases {
		if c.one >= 0 && k != c.one {
			continue
		}
		err := errors.Join(c.classic(root, k), c.field(root, k), c.hdf5(root, k))
		if errors.Is(err, harness.ErrEnded) {
			return err
		}
		if err != nil {
			c.Failed++
			c.Failures.Add(fmt.Sprintf("case %d: %v", k, err))
		}
	}
	return c.peer.Close()
}

// classic writes a file of a classic format, and has it read.
func (c *counts) classic(dir string, k int) error {
	rng := rand.New(rand.NewPCG(c.Seed, uint64(k)))
	format := []netcdf.Format{netcdf.Classic, netcdf.Offset64, netcdf.Data64}[rng.IntN(3)]
	root := drawClassic(rng, format)
	path := filepath.Join(dir, fmt.Sprintf("f%d.nc", k))
	o := &netcdf.CreateOptions{Format: format, Memory: 1 << rng.IntN(20)}
	if rng.IntN(4) == 0 {
		o.Room = rng.Int64N(1000)
	}

	want, err := c.write(rng, path, root, o)
	if err != nil {
		return err
	}
	if c.one < 0 {
		defer os.Remove(path)
	}

	var answer struct{ Differences []string }
	call := map[string]any{"op": "read", "path": path, "format": format.String(), "want": want}
	if err := c.peer.Call(call, &answer); err != nil {
		return err
	}
	var errs []error
	for _, d := range answer.Differences {
		errs = append(errs, errors.New(d))
	}
	return errors.Join(append(errs, c.programs(path, format)...)...)
}

// programs has other programs read a file.
func (c *counts) programs(path string, format netcdf.Format) (errs []error) {
	f, err := netcdf.Open(path, nil)
	if err != nil {
		return []error{err}
	}
	defer f.Close()
	var own bytes.Buffer
	if err := f.Header(&own, path); err != nil {
		return []error{err}
	}

	out, ran, err := c.run("ncdump", "-h", path)
	if err != nil || ran && !bytes.Equal(out, own.Bytes()) {
		errs = append(errs, fmt.Errorf("ncdump: %w\n%s\nwant\n%s", err, out, own.Bytes()))
	}
	if _, _, err := c.run("nccopy", "-k", "cdf5", path, path+".copy"); err != nil {
		errs = append(errs, err)
	}
	os.Remove(path + ".copy")
	return errs
}

// run runs a program, and reports whether there is one.
func (c *counts) run(name string, args ...string) (out []byte, ran bool, err error) {
	cmd := exec.Command(name, args...)
	if errors.Is(cmd.Err, exec.ErrNotFound) {
		c.Lacking[name]++
		return nil, false, nil
	}

	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	if out, err = cmd.Output(); err != nil {
		err = fmt.Errorf("%s: %w: %s", name, err, &complaint)
	}
	return out, true, err
}

// A wanted is what a file has.
type wanted struct {
	Dimensions []wantedDimension
	Attributes []wantedAttribute
	Variables  []wantedVariable
}

type wantedDimension struct {
	Name      string
	Len       int64
	Unlimited bool
}

type wantedAttribute struct {
	Name, Type string
	Values     string // little-endian bytes in hexadecimal digits, or those of the text
}

type wantedVariable struct {
	Name, Type string
	Dims       []string
	Attributes []wantedAttribute
	Items      string // little-endian, in hexadecimal digits; "" if there are none
	Written    bool
}

// write writes a file, and returns what it has.
func (c *counts) write(rng *rand.Rand, path string, root *netcdf.Group, o *netcdf.CreateOptions) (*wanted, error) {
	w, err := netcdf.Create(path, root, o)
	if err != nil {
		return nil, err
	}

	c.Files++
	want := &wanted{Attributes: c.attributes(root.Attributes)}
	for _, d := range root.Dimensions {
		want.Dimensions = append(want.Dimensions, wantedDimension{d.Name, d.Len, d.Unlimited})
	}
	for _, i := range rng.Perm(len(root.Variables)) {
		v := root.Variables[i]
		is := wantedVariable{Name: v.Name, Type: v.Type.Name, Attributes: c.attributes(v.Attributes)}
		for _, d := range v.Dimensions {
			is.Dims = append(is.Dims, d.Name)
		}
		c.Variables++
		if rng.IntN(6) > 0 {
			src, little := drawItems(rng, v)
			if err := w.Put(context.Background(), v.Name, src); err != nil {
				return nil, errors.Join(err, w.Abort())
			}
			c.Bytes += int64(len(little))
			is.Items = hex.EncodeToString(little)
			is.Written = true
		}
		want.Variables = append(want.Variables, is)
	}
	return want, w.Close()
}

func (c *counts) attributes(list []netcdf.Attribute) (wants []wantedAttribute) {
	for _, a := range list {
		c.Attributes++
		want := wantedAttribute{Name: a.Name, Type: a.Type.Name}
		if text, ok := a.Value.(string); ok {
			want.Values = hex.EncodeToString([]byte(text))
		} else {
			want.Values = hex.EncodeToString(littleValues(a))
		}
		wants = append(wants, want)
	}
	return wants
}
