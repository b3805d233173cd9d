package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/shellwords"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/internal/foreign"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/suggest"
)

// remedy returns advice about a damaged file, or an output that exists.
func remedy(v *verb, err error, args []string) string {
	set, _ := v.flags()

	if errors.Is(err, fs.ErrExist) && !errors.Is(err, errkind.ErrKept) && set.Lookup("force") != nil {
		return "; -force replaces it"
	}
	if errors.Is(err, errkind.ErrStruct) && set.Lookup("field") != nil {
		return "; -field takes one of its fields"
	}

	if other := (*foreign.Error)(nil); errors.As(err, &other) && v.name != "repair" {
		switch other.Is {
		case foreign.GRIB:
			return "; xarray.open_dataset(FILE).to_zarr(OUT) makes a store that cairn reads"
		case foreign.MATLAB:
			return "; save(FILE, '-v7.3') in MATLAB writes HDF5, which cairn reads"
		}
	}

	if errors.Is(err, errkind.ErrEmpty) {
		return "" // there is nothing to save
	}
	if errors.Is(err, operand.ErrSeveral) && slices.Contains([]string{"copy", "import", "export"}, v.name) {
		return "; a store as OUT, such as out.b2z, takes all"
	}

	damaged := errors.Is(err, cairn.ErrCorrupt) || errors.Is(err, cairn.ErrChecksum)
	if corrupt := (*cairn.CorruptError)(nil); errors.As(err, &corrupt) && corrupt.Layer == "archive" {
		damaged = false // repair opens an archive as everybody does
	}

	var failed *operand.ForeignError
	if errors.As(err, &failed) && linkRemedy(failed.Name, err) != "" {
		return linkRemedy(failed.Name, err)
	}
	if errors.Is(err, errkind.ErrNoFrame) && !slices.Contains(frameFormat.Extensions, path.Ext(naming.Of(err))) {
		return "; nor has it a format that cairn reads" // and nothing that repair could save
	}

	// import does not read a frame
	if !damaged || errors.As(err, &failed) || v.name == "repair" || v.name == "import" {
		return ""
	}
	if v.name != "append" && slices.ContainsFunc(args, isForeignName) {
		return ""
	}
	return "; cairn repair can save the intact parts"
}

// isForeignName reports whether an operand is a file of a format that repair does not know, or an
// array in one, by its name.
func isForeignName(operand string) bool {
	_, path, named := strings.Cut(operand, "=")
	if !named {
		path = operand
	}
	_, ok := formats.Named(formats.Extension(place.Of(path).Name))
	return ok
}

// linkRemedy says what to type to follow a link of a file.
func linkRemedy(name string, err error) string {
	var refused *hdf5.LinkError
	if !errors.As(err, &refused) || refused.Allowed != nil {
		return ""
	}
	folder := filepath.Dir(refused.File)
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(filepath.Dir(name), folder)
	}
	return fmt.Sprintf("; -links %s follows it", shellwords.Quote(folder))
}

// nearest returns a question that proposes the file, or the array in a store, that the user may
// have meant, if the error is that an operand was not found.
func (std *streams) nearest(ctx context.Context, args []string, err error) string {
	for _, arg := range args {
		p := place.Of(arg)
		_, missing := os.Lstat(p.Name)

		switch {
		case p.Name == "" || strings.HasPrefix(arg, "-"):
		case errors.Is(missing, fs.ErrNotExist):
			if errors.Is(err, fs.ErrNotExist) && path.Base(naming.Of(err)) == path.Base(p.Name) {
				return nearestFile(p.Name)
			}
		case p.Keyed && errors.Is(err, cairn.ErrNotFound) && missing == nil:
			keys, _ := std.at.Keys(ctx, p) // an error is the one that was met
			if key := path.Join("/", p.Key); !slices.Contains(keys, key) {
				return suggest.Around(key, keys, p.Name+place.Mark, "")
			}
		}
	}
	return ""
}

// nearestFile looks for files with the same extension and nearly the same name, or with the same
// name and another extension.
func nearestFile(name string) string {
	dir, base := filepath.Split(name)
	d, err := os.Open(filepath.Clean(dir + "."))
	if err != nil {
		return ""
	}
	defer d.Close()

	const most = 1000
	names, _ := d.Readdirnames(most) // an error leaves fewer
	slices.Sort(names)

	ext := filepath.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	var stems []string
	same := ""

	for _, other := range names {
		if s, ok := strings.CutSuffix(other, ext); ok && s != "" {
			stems = append(stems, s)
		}
		if same == "" && stem != "" && strings.TrimSuffix(other, filepath.Ext(other)) == stem {
			same = "; did you mean " + dir + other + "?"
		}
	}
	return cmp.Or(suggest.Around(stem, stems, dir, ext), same)
}
