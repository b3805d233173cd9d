package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/zarr"
)

// conversions lists conversions and copies, of arrays of any dtype and shape. DATA stands for flags
// that say how results are stored, GRID for their chunks and blocks.
func (f *verbFiles) conversions() []verbCase {
	start, stop := f.half()
	cases := []verbCase{
		{op: "npy to b2nd", args: []string{"import", "a.npy", "out.b2nd", "DATA", "GRID"}},
		{op: "b2nd to npy", args: []string{"export", "a.b2nd", "out.npy"}},
		{op: "Zarr 2 blosc to b2nd", args: []string{"import", "a2.zarr", "out.b2nd", "DATA", "GRID"}},
		{op: "Zarr 3 zstd to b2nd", args: []string{"import", "a3.zarr", "out.b2nd", "DATA", "GRID"}},
		{op: "b2nd to Zarr 2", args: []string{"export", "-zarr", "2", "a.b2nd", "out.zarr"}},
		{op: "b2nd to Zarr 3", args: []string{"export", "-zarr", "3", "a.b2nd", "out.zarr"}},
		{op: "copy a selection", args: []string{"copy", "-s", boxText(start, stop), "a.b2nd", "out.b2nd"}},
		{op: "copy into other chunks", args: []string{"copy", "-chunks", shapeList(f.otherChunks()),
			"-blocks", shapeList(f.otherBlocks()), "a.b2nd", "out.b2nd"}},
		{op: "copy with another codec", args: []string{"copy", "-codec", f.otherCodec(), "a.b2nd", "out.b2nd"}},
	}

	if f.computes() { // files of NetCDF are there too
		c := &cases[slices.IndexFunc(cases, func(c verbCase) bool { return c.op == "copy a selection" })]
		c.nco = []string{"ncks", "-O"}
		c.cdo = []string{fmt.Sprintf("-selindexbox,%d,%d,%d,%d", start[2]+1, stop[2],
			start[1]+1, stop[1]), fmt.Sprintf("-seltimestep,%d/%d", start[0]+1, stop[0])}
		for d, name := range []string{"time", "d1", "d2"} {
			c.nco = append(c.nco, "-d", fmt.Sprintf("%s,%d,%d", name, start[d], stop[d]-1))
		}
	}
	return cases
}

// half returns a box in the middle of the array that has about half of its items.
func (f *verbFiles) half() (start, stop ndarray.Shape) {
	for d, n := range f.set.Shape {
		cut := n / 8
		if len(f.set.Shape) < 3 && d == 0 {
			cut = n / 4
		}
		start = append(start, cut)
		stop = append(stop, n-cut)
	}
	return start, stop
}

// otherChunks returns chunks of as many bytes that are longer along the first axis and shorter
// along the last one; those of one dimension have half the length.
func (f *verbFiles) otherChunks() ndarray.Shape {
	other := slices.Clone(f.chunks)
	last := len(other) - 1
	other[last] = (other[last] + 1) / 2
	if last > 0 {
		other[0] = min(2*other[0], f.set.Shape[0])
	}
	return other
}

// otherBlocks returns the blocks that fit into the other chunks.
func (f *verbFiles) otherBlocks() ndarray.Shape {
	other := slices.Clone(f.blocks)
	for d, n := range f.otherChunks() {
		other[d] = min(other[d], n)
	}
	return other
}

func (f *verbFiles) otherCodec() string {
	if f.codec.String() == "zstd" {
		return "lz4"
	}
	return "zstd"
}

// boxText is a selection as the command takes it.
func boxText(start, stop ndarray.Shape) string {
	var parts []string
	for d := range start {
		parts = append(parts, fmt.Sprintf("%d:%d", start[d], stop[d]))
	}
	return strings.Join(parts, ",")
}

func shapeList(shape ndarray.Shape) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", ",")
}

// writeForeign writes the array as a NumPy file and as Zarr stores.
func (f *verbFiles) writeForeign(ctx context.Context, u *ndarray.Untyped) error {
	if err := npy.Save(ctx, filepath.Join(f.dir, "a.npy"), u, nil); err != nil {
		return err
	}
	byteShuffle := shuffle.Byte
	blosc := &zarr.SaveOptions{Version: 2, Chunks: f.chunks, Codec: f.codec, Level: f.level, Shuffle: &byteShuffle}
	if err := zarr.Save(ctx, filepath.Join(f.dir, "a2.zarr"), u, blosc); err != nil {
		return err
	}
	plain := &zarr.SaveOptions{Version: 3, Chunks: f.chunks, NoShards: true, Compressor: zarr.Zstd, Level: 3}
	return zarr.Save(ctx, filepath.Join(f.dir, "a3.zarr"), u, plain)
}

// fields are those of the requests for a conversion.
func (f *verbFiles) fields() map[string]any {
	start, stop := f.half()
	return map[string]any{"dir": f.dir, "dtype": f.set.DType, "chunks": f.chunks, "blocks": f.blocks,
		"other chunks": f.otherChunks(), "other blocks": f.otherBlocks(), "other codec": f.otherCodec(),
		"start": start, "stop": stop}
}

// compareFiles has Python compare all files that a conversion made with what NumPy makes of the
// source, item by item, and removes them.
func (f *verbFiles) compareFiles(c verbCase) error {
	if f.python == nil {
		return nil
	}

	result := c.args[slices.IndexFunc(c.args, func(arg string) bool { return strings.HasPrefix(arg, "out.") })]
	names := []string{result}
	for _, l := range f.computing(c.op) {
		names = append(names, l+filepath.Ext(result))
	}
	for _, other := range []string{"cdo.nc", "nco.nc"} {
		if _, err := os.Stat(filepath.Join(f.dir, other)); err == nil && (c.cdo != nil || c.nco != nil) {
			names = append(names, other)
		}
	}

	request := f.fields()
	request["do"] = "converted"
	request["op"] = c.op
	request["files"] = names
	var done struct{}
	if err := f.python.request(&done, request); err != nil {
		return err
	}

	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(f.dir, name)); err != nil {
			return err
		}
	}
	return nil
}
