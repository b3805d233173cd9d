// Command written writes random files with the packages netcdf and hdf5, and has other programs
// read them. Of NetCDF, netCDF4-python, scipy, h5netcdf and xarray compare dimensions, attributes
// and items; ncdump must print the header that [netcdf.File.Header] does; nccopy must accept it,
// and CDO, NCO and GDAL find the values of packed fields. Of HDF5, h5py compares every group, link,
// attribute and item; h5dump must accept it, h5stat find no waste, and Octave load matrices.
//
//	go run ./check/written -python PYTHON -cases 500 -seed 1
//	go run ./check/written -python PYTHON -copies 20 -seed 1
//	go run ./check/written -python PYTHON -files DIR -cairn CAIRN
//
// With -copies h5py and netCDF4 write files whose chunks have filters, which the command copies:
// besides, the copies must have these chunks as they were stored.
//
// With -files it has the command copy files of others, and h5py, netCDF4-python and xarray compare
// the copies with them: names, order, dimensions, datatypes, fill values, attributes, links and
// items. Differences count unless the command told what is left out.
//
// PYTHON has h5py, hdf5plugin, netCDF4, scipy, xarray and numpy. The other programs are those of
// Debian's netcdf-bin, hdf5-tools, cdo, nco, gdal-bin and octave; where one is lacking, the counts
// say so. It prints its counts as JSON, and exits with 1 if there was a difference.
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
	files := flag.String("files", "", "have the program of -cairn copy all files below `DIR`, and compare the copies")
	copied := flag.Int("copies", 0, "instead, have `N` files copied that h5py and netCDF4 write")
	cairn := flag.String("cairn", "cairn", "`PROGRAM` that copies")
	flag.Parse()
	if *files != "" {
		c, err := copies(*cairn, *python, *files)
		harness.Exit(cmp.Or(err, harness.Report("written", c, c.Failed)))
	}

	c.Seed = harness.Seed(*seed)
	if *copied > 0 {
		c, err := made(*python, *copied, c.Seed)
		harness.Exit(cmp.Or(err, harness.Report("written", c, c.Failed)))
	}
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
		err := errors.Join(c.netcdf(root, k), c.field(root, k), c.hdf5(root, k), c.octave(root, k))
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

// netcdf writes a NetCDF file, and has it read.
func (c *counts) netcdf(dir string, k int) error {
	rng := rand.New(rand.NewPCG(c.Seed, uint64(k)))
	o := &netcdf.CreateOptions{Memory: 1 << rng.IntN(20)}
	formats := []netcdf.Format{netcdf.Classic, netcdf.Offset64, netcdf.Data64, netcdf.NetCDF4, netcdf.NetCDF4, netcdf.NetCDF4}
	o.Format = formats[rng.IntN(len(formats))]
	var root *netcdf.Group
	if o.Format == netcdf.NetCDF4 {
		root = drawNetCDF4(rng, "", nil, nil, 0)
		o.Dataset = stored(rng)
	} else {
		root = drawClassic(rng, o.Format)
		if rng.IntN(4) == 0 {
			o.Room = rng.Int64N(1000)
		}
	}

	path := filepath.Join(dir, fmt.Sprintf("f%d.nc", k))
	want, err := c.write(rng, path, root, o)
	if err != nil {
		return err
	}
	if c.one < 0 {
		defer os.Remove(path)
	}

	var answer struct{ Differences []string }
	call := map[string]any{"op": "read", "path": path, "format": o.Format.String(), "want": want}
	if err := c.peer.Call(call, &answer); err != nil {
		return err
	}
	var errs []error
	for _, d := range answer.Differences {
		errs = append(errs, errors.New(d))
	}
	errs = append(errs, c.programs(path, o.Format)...)
	if o.Format == netcdf.NetCDF4 {
		_, _, err := c.run("h5dump", path)
		errs = append(errs, err, c.waste(path))
	}
	return errors.Join(errs...)
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
	kind := "cdf5"
	if format == netcdf.NetCDF4 {
		kind = "nc4"
	}
	if _, _, err := c.run("nccopy", "-k", kind, path, path+".copy"); err != nil {
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
	Name       string
	Dimensions []wantedDimension
	Attributes []wantedAttribute
	Variables  []wantedVariable
	Groups     []*wanted
	Opaque     bool // there are opaque types
}

type wantedDimension struct {
	Name      string
	Len       int64
	Unlimited bool
}

type wantedAttribute struct {
	Name, Type string
	Values     string // little-endian bytes in hexadecimal digits, or those of the text
	Texts      []any  // of strings
}

type wantedVariable struct {
	Name, Type string
	Dims       []string
	Attributes []wantedAttribute
	Items      string // little-endian, in hexadecimal digits; "" if there are none
	Texts      []string
	DType      string  // of NumPy, of an enum or a compound
	Lists      [][]any // of sequences
	User       bool    // the file defines the type
	Written    bool
}

// write writes a file, and returns what it has.
func (c *counts) write(rng *rand.Rand, path string, root *netcdf.Group, o *netcdf.CreateOptions) (*wanted, error) {
	w, err := netcdf.Create(path, root, o)
	if err != nil {
		return nil, err
	}

	c.Files++
	want, err := c.group(rng, w, root, "")
	if err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return want, w.Close()
}

// group writes the items of the variables of a group and those in it.
func (c *counts) group(rng *rand.Rand, w *netcdf.Writer, g *netcdf.Group, key string) (*wanted, error) {
	want := &wanted{Name: g.Name, Attributes: c.attributes(g.Attributes)}
	for _, t := range g.Types {
		want.Opaque = want.Opaque || t.Class == netcdf.Opaque
	}
	for _, d := range g.Dimensions {
		want.Dimensions = append(want.Dimensions, wantedDimension{d.Name, d.Len, d.Unlimited})
	}
	want.Variables = make([]wantedVariable, len(g.Variables))

	for _, i := range rng.Perm(len(g.Variables)) {
		v := g.Variables[i]
		is := wantedVariable{Name: v.Name, Type: v.Type.Name, Attributes: c.attributes(v.Attributes)}
		for _, d := range v.Dimensions {
			is.Dims = append(is.Dims, d.Name)
		}
		c.Variables++
		if rng.IntN(6) > 0 {
			src, little := drawItems(rng, v)
			if v.Type.Name == "string" {
				src, is.Texts = drawTexts(rng, v)
			}
			is.Items = hex.EncodeToString(little)
			if v.Type.Class != netcdf.Atomic {
				src = drawUser(rng, v, &is)
			}
			if err := w.Put(context.Background(), key+"/"+v.Name, src); err != nil {
				return nil, err
			}
			c.Bytes += int64(len(is.Items) / 2)
			is.Written = true
		}
		is.User = v.Type.Class != netcdf.Atomic
		want.Variables[i] = is
	}

	for _, inner := range g.Groups {
		has, err := c.group(rng, w, inner, key+"/"+inner.Name)
		if err != nil {
			return nil, err
		}
		want.Groups = append(want.Groups, has)
	}
	return want, nil
}

func (c *counts) attributes(list []netcdf.Attribute) (wants []wantedAttribute) {
	for _, a := range list {
		c.Attributes++
		want := wantedAttribute{Name: a.Name, Type: a.Type.Name}
		if text, ok := a.Value.(string); ok {
			want.Values = hex.EncodeToString([]byte(text))
		} else if a.Type.Name == "string" {
			want.Texts = a.Value.([]any)
		} else {
			want.Values = hex.EncodeToString(littleValues(a))
		}
		wants = append(wants, want)
	}
	return wants
}
