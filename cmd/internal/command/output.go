package command

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
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
	return errkind.Mark(err, errkind.ErrKept)
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

// isStoreName reports whether an output is a whole store by its name.
func isStoreName(out string) bool {
	return !place.Of(out).One() && storeName(out) == nil
}

// isFrameName reports whether an output is an array of Blosc2 by its name.
func isFrameName(out string) bool { return slices.Contains(frameFormat.Extensions, extensionOf(out)) }

// extensionOf returns the extension of a path in lower case.
func extensionOf(path string) string { return formats.Extension(filepath.ToSlash(path)) }

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

// storeName fails for a name that no new store should have.
func storeName(name string) error {
	if slices.Contains(storeFormat.Extensions, filepath.Ext(name)) {
		return nil
	}
	return usagef("%s: the name of a store ends in .b2d (a directory), .b2z (an archive) or .b2e (a single frame)", name)
}

// exportable lists the formats other than Blosc2 that verbs write, with their extensions.
func exportable() string {
	var all []string
	for _, f := range formats.Foreign() {
		if f.Create != nil {
			all = append(all, fmt.Sprintf("%s (%s)", f.Plural, strings.Join(f.Extensions, ", ")))
		}
	}
	return strings.Join(all, ", ")
}

// formatNamed returns the format that an extension stands for, or nil.
func formatNamed(ext string) *formats.Format {
	if f, ok := formats.Named(ext); ok {
		return &f
	}
	return nil
}

// checkImported fails for an output with an extension that no array has.
func checkImported(out string) error {
	ext := extensionOf(out)
	if _, ok := formats.Of(ext); ok || place.Of(out).One() || ext == "" || otherFormats[ext] != "" {
		return nil // what is wrong with some of them is known better elsewhere
	}
	return usagef("%s: the name of an array ends in %s, that of a store in .b2d, .b2z or .b2e", out,
		strings.Join(frameFormat.Extensions, ", "))
}
