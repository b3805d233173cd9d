package command

import (
	"context"
	"errors"
	"flag"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
)

// rawFlags are the flags that describe raw items.
type rawFlags struct {
	dtype, shape string
	fortran      bool
}

func (f *rawFlags) declare(set *flag.FlagSet) {
	set.StringVar(&f.dtype, "dtype", "", "IN has raw items of `DTYPE`, as NumPy writes it, such as '<f4', and needs -shape; "+
		"of a table, that of all columns or of some: id=i4,name=S8")
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

// declareStored declares the flags that say how an array of another format is stored.
func (f *copyFlags) declareStored(set *flag.FlagSet) {
	set.StringVar(&f.chunks, "chunks", "", "chunk `SHAPE`, such as 64,64, or by names of dimensions, such as "+
		"time=24, or auto, the default")
	set.StringVar(&f.blocks, "blocks", "", "block `SHAPE`, such as 16,16, or auto, the default")
	set.StringVar(&f.codec, "codec", "", codecUsage()+"; zstd by default")
	set.IntVar(&f.level, "level", levelKept, "compression level `N` from 1 to 9, or 0 to store uncompressed; 5 by default")
	set.StringVar(&f.filters, "filters", "", filtersUsage+strings.Join(filterNames(), ", ")+"; shuffle by default, none for zfp")
	set.BoolVar(&f.sparse, "sparse", false, "write a directory with one file per chunk instead of a single file")
	set.BoolFunc("zarrblocks", zarrUsage, func(text string) error {
		on, err := strconv.ParseBool(text)
		f.zarrBlocks = &on
		return err
	})

	f.declareHistory(set)
	f.lossFlags.Declare(set)
	set.IntVar(&f.workers, "workers", 0, workersUsage)
	set.BoolVar(&f.force, "force", false, forceUsage)
	set.StringVar(&f.selection, "s", "", selectionUsage)
	set.BoolVar(&f.rawOut, "raw", false, rawOutUsage)
}

func importVerb(set *flag.FlagSet) action {
	var f copyFlags
	var r rawFlags
	f.declareStored(set)
	var t tableFlags
	r.declare(set)
	t.declare(set)

	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "IN", "OUT.b2nd"); err != nil {
			return err
		}

		from := place.Of(operands[0])
		raw, err := t.items(std, &r, from)
		if err != nil {
			return err
		}
		f.items = raw
		o, err := f.options()
		if err != nil {
			return err
		}

		to := targetOf(operands[1])
		if f.sparse && to.One() {
			return notSparse(to)
		}

		chosen, err := parseSelection(f.selection)
		if err != nil {
			return err
		}

		if to.other() != nil {
			return f.convert(ctx, std, from, to)
		}

		how := operand.How{Raw: raw, All: true, Foreign: true, Workers: f.workers}
		if to.is(storeFormat) && raw == nil {
			as := &shaping{chosen: chosen, selection: f.selection, chunks: o.ChunkShape, blocks: o.BlockShape, named: f.named}
			if done, err := f.importWhole(ctx, std, from, to, how, as, o); done || err != nil {
				return err
			}
		}

		if err := to.checkImported(); err != nil {
			return err
		}
		if err := std.checkOutput(ctx, to, frameFormat, f.force, from); err != nil {
			return err
		}

		// A part is selected in any order, as copy does; without -s, a pipe is read as it comes.
		if f.selection != "" {
			how.AnyOrder = true
			how.Frames = true
			how.Foreign = false
			in, err := std.at.Open(ctx, from, how)
			if err != nil {
				return err
			}
			defer in.Close()
			return f.copyOne(ctx, std, in, to, chosen, o)
		}

		o.AutoShapes = true
		o.FS = std.sparseIn(to, f.sparse)
		in, err := std.open(ctx, from, how)
		if err != nil {
			return err
		}
		defer in.Close()

		return importArray(ctx, std, in, to, &f, o)
	}
}

// importArray stores the array of an operand, with its coordinates if that is in a store.
func importArray(ctx context.Context, std *streams, in *openedSource, to target, f *copyFlags, o *ndarray.CopyOptions) error {
	if err := f.chunksByName(in.src, o); err != nil {
		return err
	}
	keep, err := keepVariable(to, o, in.src, coordinatesToKeep(ctx, coords.New(in.src, in.Sibling)))
	if err != nil {
		return err
	}
	err = std.writeOut(ctx, output{to, f.force, f.sparse, keep}, func(path string) error {
		return importFile(ctx, std, in, path, to, o)
	})
	return std.withLoss(err, o)
}

// importWhole stores the arrays of a file as a store. It reports false if the file is one array by
// nature.
func (f *copyFlags) importWhole(ctx context.Context, std *streams, from place.Place, to target, how operand.How, as *shaping,
	o *ndarray.CopyOptions) (bool, error) {
	in, err := std.at.Open(ctx, from, how)
	if err != nil {
		return false, err
	}
	defer in.Close()
	if !isTree(in) {
		return false, nil
	}
	f.record(std, in, o)
	return true, importTree(ctx, std, in, to, as, o)
}

// importFile stores the array of an operand at a path, where the output of a verb is made. Large
// rows of chunks of a stream go through a file in the folder of the output.
func importFile(ctx context.Context, std *streams, in *openedSource, path string, to target, o *ndarray.CopyOptions) error {
	total := described.Bytes(in.src)
	std.noteSpace(to.Place, total, o.Level)
	bar := std.newBar("importing", total)
	defer bar.Close()

	o.Progress = bar.Follow()
	return importSource(ctx, in.Name, in.src, path, to.folder(), o)
}

// isTree reports whether a file of another format holds several arrays, or could.
func isTree(in *operand.Opened) bool {
	keys := in.Keys()
	return in.Foreign() && in.Format.Trees && (len(keys) != 1 || keys[0] != "")
}

// importTree stores the arrays of a foreign file as the leaves of a new store.
func importTree(ctx context.Context, std *streams, in *operand.Opened, to target, as *shaping,
	o *ndarray.CopyOptions) error {
	if err := std.checkOutput(ctx, to, storeFormat, o.Overwrite, in.Place); err != nil {
		return err
	}

	how := &formats.Options{CopyOptions: *o}
	if err := storeFormat.Check(how); err != nil {
		return usagef("%v", err)
	}

	how.AutoShapes = true
	s := &saver{std: std, to: to, how: how, label: "importing"}
	s.save = func(ctx context.Context, key, path string, src ndarray.Source, o *ndarray.CopyOptions) error {
		if chunks, _ := as.shapes(src); chunks != nil {
			o.ChunkShape = chunks
		}
		return importSource(ctx, in.Name+place.Mark+key, src, path, to.folder(), o)
	}
	s.keys = in.Under(in.Key)
	return s.saveForeign(ctx, in, storeFormat, as)
}

// importSource stores a source as the array out. name is what it is called in errors.
func importSource(ctx context.Context, name string, src ndarray.Source, out, tempDir string, o *ndarray.CopyOptions) error {
	a, ok := src.(*npy.Array)
	if !ok || o.Loss.KeepAuto { // which reads some items twice
		return ndarray.Save(ctx, out, src, o)
	}
	u, err := ndarray.CreateUntyped(out, a.DType().String(), a.Shape(), &ndarray.Options{
		Engine: chunk.Engine{Checked: o.Checked}, ChunkShape: o.ChunkShape, BlockShape: o.BlockShape, Codec: o.Codec, Level: o.Level, Filters: o.Filters, Loss: o.Loss,
		ZarrBlocks: o.ZarrBlocks != nil && *o.ZarrBlocks, Sparse: o.Sparse != nil && *o.Sparse,
		Overwrite: o.Overwrite, FS: o.FS, Workers: o.Workers})
	if err != nil {
		return err
	}

	l := loader{name: name, workers: o.Workers, tempDir: tempDir, progress: o.Progress}
	if err := l.load(ctx, u, make([]int64, len(u.Shape())), a); err != nil {
		return errors.Join(err, u.Abort())
	}
	if err := u.Commit(ctx); err != nil {
		return errors.Join(err, u.Abort())
	}
	return u.Close()
}
