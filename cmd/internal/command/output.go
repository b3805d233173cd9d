package command

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/internal/foreign"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
)

// frameFormat and storeFormat are the formats of outputs of Blosc2.
var (
	frameFormat = new(formats.Frame())
	storeFormat = new(formats.Store())
)

// otherFormats names formats that nothing here reads or writes, by extension.
var otherFormats = map[string]string{
	".csv": "CSV", ".tsv": "TSV", ".txt": "text", ".json": "JSON", ".parquet": "Parquet", ".arrow": "Arrow",
	".feather": "Feather", ".mat": "MATLAB", ".tif": "TIFF", ".tiff": "TIFF", ".png": "PNG",
	".fits": "FITS", ".grib": "GRIB", ".grib2": "GRIB", ".zip": "zip", ".gz": "gzip", ".zst": "zstd",
}

// checkOutput fails, before anything is read, if a verb must not write out: its name promises
// another format, it is one of the inputs, or force would replace a file of another format.
func (std *streams) checkOutput(ctx context.Context, out string, writes *formats.Format, force bool, inputs ...string) error {
	std.job.out = out
	if err := std.willWrite(out); err != nil {
		return err
	}
	if err := checkName(out, writes); err != nil {
		return err
	}
	to := place.Of(out)
	if at, version := std.at.Version(to); version > 0 {
		return usagef("%s is the name of a version of %s", out, at)
	}
	for _, in := range inputs {
		from := place.Of(in)
		if std.at.Clash(from, to, std.Out) || to.Far() && strings.TrimRight(in, "/") == strings.TrimRight(out, "/") {
			return usagef("OUT is the input %s, which would be overwritten while it is read", in)
		}
		if operand.Inside(to, from) {
			return usagef("OUT is inside the input %s", in)
		}
	}
	if to.One() || !force {
		return nil
	}
	return std.replaceable(ctx, to, writes)
}

// checkName fails if the name of an output promises another format than it will have. writes is nil
// for what the name says.
func checkName(out string, writes *formats.Format) error {
	if place.Of(out).One() {
		return nil
	}
	ext := extensionOf(out)
	row := formatNamed(ext)
	other := otherFormats[ext]
	if row != nil && row.Create == nil {
		other = row.Plural
	}
	native := writes != nil && writes.Native
	switch {
	case (row == nil || row.Create == nil) && other != "":
		return usagef("%s: cannot write %s, only %s", out, other, writable())
	case native && row != nil && row.Detect != nil:
		return usagef("%s: this verb writes %s, which cairn copy converts to %s", out, writes.Is, row.Plural)
	case native && !writes.Trees && isStoreName(out):
		return usagef("%s is the name of a store; name an array in it as %s%s/KEY", out, out, place.Mark)
	}
	return nil
}

// writable lists the formats that verbs write.
func writable() string {
	return exportable() + ", and Blosc2 (.b2nd; .b2d, .b2z and .b2e for trees)"
}

// replaceable fails if out exists and is known to have another format than the verb writes.
func (std *streams) replaceable(ctx context.Context, out place.Place, writes *formats.Format) error {
	info, err := os.Stat(out.Name)
	if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return nil
	}
	is := std.formatOf(ctx, out, info)
	if is == "" || is == writes.Is {
		return nil
	}
	if writes.Detect == nil && is != frameFormat.Is && is != storeFormat.Is && !info.IsDir() {
		return nil // raw items may look like anything
	}
	err = fmt.Errorf("%s is %s, which -force does not replace with %s; remove it or choose another name: %w",
		out.Name, is, writes.Is, fs.ErrExist)
	return errkind.Mark(err, errkind.Kept)
}

// formatOf returns the format of a file, or nothing if it is unknown.
func (std *streams) formatOf(ctx context.Context, p place.Place, info os.FileInfo) string {
	if std.at.IsStore(ctx, p) {
		return storeFormat.Is
	}
	in, probe, err := std.at.Look(ctx, p, operand.How{AnyOrder: true})
	if err != nil {
		return ""
	}
	if in.Closer != nil {
		defer in.Closer.Close()
	}
	row, known := probe.Format()
	switch {
	case probe.IsFrame():
		return frameFormat.Is
	case known:
		return row.Is
	case info.IsDir():
		return "a directory"
	}
	return foreign.Name(probe.Head, info.Size())
}

// An outcome is what -json tells about an output.
type outcome struct {
	*described.Array
	NumArrays int     `json:"num_arrays,omitempty"` // of a store or an archive
	Seconds   float64 `json:"seconds"`              // that the verb took
}

// willWrite notes the name of an output, or of an array that will change.
func (std *streams) willWrite(out string) error {
	if out == place.Stream && std.asJSON {
		return usagef("-json prints to standard output, where the output goes; name a file")
	}
	if !slices.Contains(std.job.outs, out) {
		std.job.outs = append(std.job.outs, out)
	}
	return nil
}

// tellOutcomes prints what a verb has written, an object for each output, if -json asks for it.
func (std *streams) tellOutcomes(ctx context.Context) error {
	if !std.asJSON {
		return nil
	}
	seconds := time.Since(std.job.started).Seconds()
	for _, out := range std.job.outs {
		o, err := std.outcome(ctx, out)
		if err != nil {
			return fmt.Errorf("%s is complete, but cannot be described: %w", out, err)
		}
		o.Path, o.Seconds = out, seconds
		if o.Ratio == 0 {
			o.Ratio = described.Ratio(o.NBytes, o.FileBytes)
		}
		if err := std.PrintJSON(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// outcome looks at an output.
func (std *streams) outcome(ctx context.Context, out string) (*outcome, error) {
	o := &outcome{Array: &described.Array{}}
	row := formatNamed(extensionOf(out))
	if row != nil {
		o.Format = row.Name
	}
	p := place.Of(out)
	if !p.Keyed {
		o.FileBytes = operand.SizeOnDisk(out)
		if row != nil && row.Detect == nil { // items without a header
			o.Kind, o.NBytes = described.ArrayKind, o.FileBytes
			return o, nil
		}
	}
	in, err := std.at.Open(ctx, p, operand.How{AnyOrder: true, Frames: true, Workers: 1})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	t, err := in.Several(ctx)
	if err != nil {
		return nil, err
	}
	if t != nil {
		o.Kind, o.NumArrays, o.NBytes = described.TreeKind, len(t.Names), bytesOfTree(ctx, t)
		return o, nil
	}

	if in.Foreign() {
		size := o.FileBytes
		o.Array = described.InTree(ctx, in.Holding, in.Under(in.Key)[0], nil)
		o.Format, o.FileBytes = in.Format.Name, size
		return o, nil
	}
	src, err := in.Array(ctx)
	if err == nil {
		o.Array, err = describeFrame(ctx, in, src)
	}
	return o, err
}
