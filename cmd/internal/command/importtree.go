package command

import (
	"context"
	"errors"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
)

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
