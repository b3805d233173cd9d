package command

import (
	"context"
	"errors"
	"flag"
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
)

// streamBudget is the largest row of chunks that is read from a stream at once. Arrays with larger
// ones go through a temporary file.
const streamBudget = 512 << 20

// rawFlags are the flags that describe raw items.
type rawFlags struct {
	dtype, shape string
	fortran      bool
}

func (f *rawFlags) declare(set *flag.FlagSet) {
	set.StringVar(&f.dtype, "dtype", "", "IN has raw items of `DTYPE`, as NumPy writes it, such as '<f4'; needs -shape")
	set.StringVar(&f.shape, "shape", "", "IN has raw items of an array of `SHAPE`, such as 365,721,1440; needs -dtype")
	set.BoolVar(&f.fortran, "fortran", false, "the raw items are in Fortran order, the first index running fastest")
}

// header returns what the flags say, or nil if they are not given.
func (f *rawFlags) header() (*npy.Header, error) {
	if f.dtype == "" && f.shape == "" && !f.fortran {
		return nil, nil
	}
	if f.dtype == "" || f.shape == "" {
		return nil, usagef("raw items need both -dtype and -shape")
	}
	dtype, err := meta.ParseDType(f.dtype)
	if err != nil {
		return nil, usagef("-dtype: %v", err)
	}
	shape := ndarray.Shape{}
	if f.shape != "()" {
		if shape, err = parseExtents("-shape", f.shape); err != nil {
			return nil, err
		}
	}
	return &npy.Header{DType: dtype, Shape: shape, Fortran: f.fortran}, nil
}

func importVerb(set *flag.FlagSet) action {
	var f storeFlags
	var r rawFlags
	f.declare(set)
	r.declare(set)
	selection := set.String("s", "", selectionUsage)
	rawOut := set.Bool("raw", false, rawOutUsage)
	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "IN", "OUT.b2nd"); err != nil {
			return err
		}
		o, err := f.options()
		if err != nil {
			return err
		}
		if err := notSparse(operands[1], o.Sparse); err != nil {
			return err
		}
		raw, err := r.header()
		if err != nil {
			return err
		}
		chosen, err := parseSelection(*selection)
		if err != nil {
			return err
		}
		if otherFormat(operands[1]) != nil {
			c := f.copied(*selection, raw)
			c.rawOut = *rawOut
			return c.convert(ctx, std, operands)
		}
		how := operand.How{Raw: raw, All: true, Foreign: true, Workers: f.workers}
		if isStoreName(operands[1]) && raw == nil {
			as := &shaping{chosen, *selection, o.ChunkShape, o.BlockShape}
			if done, err := importWhole(ctx, std, operands, how, as, o); done || err != nil {
				return err
			}
		}
		if err := checkImported(operands[1]); err != nil {
			return err
		}
		if err := std.checkOutput(ctx, operands[1], frameFormat, o.Overwrite, operands[0]); err != nil {
			return err
		}
		if *selection != "" {
			c := f.copied(*selection, raw)
			part, err := c.options()
			if err != nil {
				return err
			}
			how.AnyOrder, how.Frames, how.Foreign = true, true, false
			in, err := std.at.Open(ctx, place.Of(operands[0]), how)
			if err != nil {
				return err
			}
			defer in.Close()
			return c.copyOne(ctx, std, in, operands, chosen, part)
		}
		dir := besides(operands[1])
		o.FS = std.sparseIn(operands[1], o.Sparse)
		return std.writeOut(ctx, output{operands[1], o.Overwrite, o.Sparse, nil}, func(path string) error {
			return importFile(ctx, std, place.Of(operands[0]), how, path, dir, o)
		})
	}
}

// importWhole stores the arrays of a file as a store. It reports false if the file is one array by
// nature, or of Blosc2.
func importWhole(ctx context.Context, std *streams, operands []string, how operand.How, as *shaping,
	o *ndarray.Options) (bool, error) {
	in, err := std.at.Open(ctx, place.Of(operands[0]), how)
	if errors.As(err, new(*operand.NotForeignError)) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer in.Close()
	if !isTree(in) {
		return false, nil
	}
	return true, importTree(ctx, std, in, operands[0], operands[1], as, o)
}

// copied returns the flags as those of a copy, which has the same defaults.
func (f *storeFlags) copied(selection string, items *npy.Header) *copyFlags {
	c := &copyFlags{chunks: f.chunks, blocks: f.blocks, codec: f.codec, level: f.level, filters: f.filters, sparse: f.sparse,
		workers: f.workers, force: f.force, selection: selection, items: items}
	if f.codec == "zstd" {
		c.codec = ""
	}
	if f.level == chunk.DefaultLevel {
		c.level = levelKept
	}
	if f.zarrBlocks {
		c.zarrBlocks = new(true)
	}
	return c
}

// importFile stores the array of an operand as the array out, which appears only when it is
// complete. Large rows of chunks of a stream go through a file in tempDir.
func importFile(
	ctx context.Context, std *streams, p place.Place, how operand.How, out, tempDir string, o *ndarray.Options,
) error {
	in, err := std.open(ctx, p, how)
	if err != nil {
		return err
	}
	defer in.Close()
	src := in.src
	std.noteSpace(out, bytesOf(src), o.Level)
	bar := std.newBar("importing", bytesOf(src))
	defer bar.Close()
	return importSource(ctx, in.Name, src, out, tempDir, o, bar)
}

// importSource stores a source as the array out. name is what it is called in errors.
func importSource(
	ctx context.Context, name string, src ndarray.Source, out, tempDir string, o *ndarray.Options, bar *progress.Bar,
) error {
	a, ok := src.(*npy.Array)
	if !ok {
		return ndarray.Save(ctx, out, src, copyOptions(o, bar))
	}
	u, err := ndarray.CreateUntyped(out, a.DType().String(), a.Shape(), o)
	if err != nil {
		return err
	}
	l := loading{name: name, workers: o.Workers, tempDir: tempDir, bar: bar}
	err = l.load(ctx, u, make([]int64, len(u.Shape())), a)
	bar.Close()
	if err == nil {
		err = u.Commit(ctx)
	}
	if err != nil {
		return errors.Join(err, u.Abort())
	}
	return u.Close()
}

// copyOptions returns the options of a copy that stores an array as o says.
func copyOptions(o *ndarray.Options, bar *progress.Bar) *ndarray.CopyOptions {
	return &ndarray.CopyOptions{ChunkShape: o.ChunkShape, BlockShape: o.BlockShape, AutoShapes: true,
		Codec: o.Codec, Level: o.Level, Filters: o.Filters, ZarrBlocks: &o.ZarrBlocks, Sparse: &o.Sparse,
		Overwrite: o.Overwrite, FS: o.FS, Workers: o.Workers, Progress: follow(bar)}
}

// checkImported fails for an output with an extension that no array has.
func checkImported(out string) error {
	ext := extensionOf(out)
	if place.Of(out).One() || ext == "" || slices.Contains(frameExtensions(), ext) || isStoreName(out) ||
		formatNamed(ext) != nil || otherFormats[ext] != "" {
		return nil // what is wrong with some of them is known better elsewhere
	}
	return usagef("%s: the name of an array ends in %s, that of a store in .b2d, .b2z or .b2e", out,
		strings.Join(frameExtensions(), ", "))
}

// bytesOf returns the number of bytes of the items of a source.
func bytesOf(src ndarray.Source) int64 {
	n := int64(src.DType().Size())
	for _, extent := range src.Shape() {
		if extent > 0 && n > math.MaxInt64/extent {
			return math.MaxInt64 // or nothing, if another extent is 0
		}
		n *= extent
	}
	return n
}
