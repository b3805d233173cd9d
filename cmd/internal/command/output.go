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
	".txt": "text", ".json": "JSON", ".parquet": "Parquet", ".arrow": "Arrow",
	".feather": "Feather", ".mat": "MATLAB", ".tif": "TIFF", ".tiff": "TIFF", ".png": "PNG",
	".fits": "FITS", ".grib": "GRIB", ".grib2": "GRIB", ".zip": "zip", ".gz": "gzip", ".zst": "zstd",
}

// A target is what an output names: where it goes, and the format that its name stands for.
type target struct {
	place.Place
	ext string          // of the name, in lower case
	row *formats.Format // nil for a leaf, for standard output, and for what no format is called
}

// targetOf returns the target of an operand.
func targetOf(operand string) target {
	to := target{Place: place.Of(operand)}
	to.ext = formats.Extension(filepath.ToSlash(to.Name))
	row, ok := formats.Of(to.ext)
	switch {
	case !ok || to.One() || !slices.Contains(row.Extensions, to.ext):
	case row.Name == storeFormat.Name && to.checkStore() != nil:
	default:
		to.row = &row
	}
	return to
}

// is reports whether the name stands for a format.
func (to target) is(f *formats.Format) bool { return to.row != nil && to.row.Name == f.Name }

// other returns the format that the name stands for, or nil for Blosc2 and for what is only read.
func (to target) other() *formats.Format {
	if to.row == nil || to.row.Native || to.row.Create == nil {
		return nil
	}
	return to.row
}

// none reports whether no output was named.
func (to target) none() bool { return to.Place == place.Place{} }

// stream reports whether everything goes to standard output.
func (to target) stream() bool { return to.Kind == place.Standard && !to.Keyed }

// folder returns the directory of the file, or one for temporary files if it is somewhere else.
func (to target) folder() string {
	if to.Kind != place.Local {
		return os.TempDir()
	}
	return filepath.Dir(to.Name)
}

// checkOutput fails, before anything is read, if a verb must not write an output: its name promises
// another format, it is one of the inputs, or force would replace a file of another format.
func (std *streams) checkOutput(ctx context.Context, to target, writes *formats.Format, force bool, inputs ...place.Place) error {
	std.job.out = to
	if err := std.willWrite(to); err != nil {
		return err
	}
	if err := to.check(writes); err != nil {
		return err
	}
	if at, version := std.at.Version(to.Place); version > 0 {
		return usagef("%s is the name of a version of %s", to, at)
	}

	for _, in := range inputs {
		same := to.Far() && strings.TrimRight(in.String(), "/") == strings.TrimRight(to.String(), "/")
		if same || std.at.Clash(in, to.Place, std.Out) {
			return usagef("OUT is the input %s, which would be overwritten while it is read", in)
		}
		if operand.Inside(to.Place, in) {
			return usagef("OUT is inside the input %s", in)
		}
	}
	if to.One() || !force {
		return nil
	}
	return std.replaceable(ctx, to.Place, writes)
}

// check fails if the name promises another format than the output will have. writes is nil for what
// the name says.
func (to target) check(writes *formats.Format) error {
	if to.One() {
		return nil
	}

	other := otherFormats[to.ext]
	if to.row != nil && to.row.Create == nil {
		other = to.row.Plural
	}
	native := writes != nil && writes.Native

	switch {
	case writes != nil && writes.Create == nil && !native: // a table of text
		return nil
	case isTableName(to):
		return usagef("%s: cairn export writes tables of text", to)
	case (to.row == nil || to.row.Create == nil) && other != "":
		return usagef("%s: cannot write %s, only %s, and Blosc2 (.b2nd; .b2d, .b2z and .b2e for trees)", to, other,
			exportable())
	case native && to.other() != nil && to.row.Detect != nil:
		return usagef("%s: this verb writes %s, which cairn copy converts to %s", to, writes.Is, to.row.Plural)
	case native && !writes.Trees && to.is(storeFormat):
		return usagef("%s is the name of a store; name an array in it as %s%s/KEY", to, to, place.Mark)
	}
	return nil
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

// willWrite notes an output, or an array that will change.
func (std *streams) willWrite(to target) error {
	if to.stream() && std.asJSON {
		return usagef("-json prints to standard output, where the output goes; name a file")
	}
	if !slices.ContainsFunc(std.job.outs, func(other target) bool { return other.Place == to.Place }) {
		std.job.outs = append(std.job.outs, to)
	}
	return nil
}

// checkStore fails for a name that no new store should have, also for that around a leaf.
func (to target) checkStore() error {
	if slices.Contains(storeFormat.Extensions, filepath.Ext(to.Name)) { // in lower case
		return nil
	}
	return usagef("%s: the name of a store ends in .b2d (a directory), .b2z (an archive) or .b2e (a single frame)", to.Name)
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

// checkImported fails for an output with an extension that no array has.
func (to target) checkImported() error {
	if _, ok := formats.Of(to.ext); ok || to.One() || to.ext == "" || otherFormats[to.ext] != "" {
		return nil // what is wrong with some of them is known better elsewhere
	}
	return usagef("%s: the name of an array ends in %s, that of a store in .b2d, .b2z or .b2e", to,
		strings.Join(frameFormat.Extensions, ", "))
}
