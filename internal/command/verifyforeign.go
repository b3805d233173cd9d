package command

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/command/internal/progress"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// verifyForeign reads and decodes every item of a foreign file, or of the array or group in it that
// the operand names.
func (std *streams) verifyForeign(ctx context.Context, operand string, f *foreignFile, say func(verdict) error) error {
	keys := f.under(f.key)
	if len(keys) == 0 && f.key != "" || !f.format.Trees && f.key != "" {
		return f.choose(ctx, keys)
	}
	if f.format.Trees && f.key == "" && (len(keys) != 1 || keys[0] != "") {
		v := foreignVerdict(operand, f, nil)
		v.Kind, v.leaves = f.format.Name, len(keys)
		if err := say(v); err != nil {
			return err
		}
	}
	total := int64(0)
	for _, key := range keys {
		if src, err := f.OpenKey(ctx, key); err == nil {
			total += bytesOf(src)
			closeSource(src)
		}
	}
	bar := std.newBar("verifying", total)
	defer bar.Close()
	for _, key := range keys {
		name := f.in.Name
		if key != "" {
			name += leafMark + strings.Trim(key, "/")
		}
		v, err := f.verify(ctx, name, key, bar)
		if err == nil {
			err = say(v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// foreignVerdict returns a verdict without a report: err is the only fault.
func foreignVerdict(name string, f *foreignFile, err error) verdict {
	v := newVerdict(name, &ndarray.Report{}, err)
	v.Format, v.is, v.remarks = f.format.Name, f.format.Is, ""
	v.Unsupported = errors.Is(err, cairn.ErrUnsupported)
	return v
}

// verify reads one array, box by box.
func (f *foreignFile) verify(ctx context.Context, name, key string, bar *progress.Bar) (verdict, error) {
	src, err := f.OpenKey(ctx, key)
	if err != nil {
		return foreignVerdict(name, f, err), nil
	}
	err = readAll(ctx, src, bar)
	v := foreignVerdict(name, f, err)
	v.Kind, v.Shape, v.DType = "array", src.Shape(), src.DType().String()
	v.remarks = "; every item decoded"
	return v, errors.Join(ctx.Err(), closeSource(src))
}

// readAll reads all items of a source.
func readAll(ctx context.Context, src ndarray.Source, bar *progress.Bar) error {
	shape, item := src.Shape(), int64(src.DType().Size())
	chunks, _ := src.Grid()
	if chunks == nil {
		chunks = slices.Repeat([]int64{1}, len(shape))
	}
	origin := make([]int64, len(shape))
	edge := slab.Chunked(shape, chunks, item, transferBudget(src, 0))
	if one := (slab.Box{Start: origin, Stop: edge}); one.Items() > maxBudget/max(item, 1) {
		edge = slab.Runs(origin, shape, chunks, chunks, item, maxBudget)
	}
	var buf []byte
	for box := range slab.Walk(origin, shape, edge) {
		size := box.Items() * item
		if int64(cap(buf)) < size {
			buf = make([]byte, size)
		}
		if err := src.ReadBytes(ctx, buf[:size], box.Start, box.Stop); err != nil {
			return err
		}
		bar.Add(size)
	}
	return nil
}
