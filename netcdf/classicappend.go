package netcdf

// Records are appended behind the last one, and made durable. Then the number of records, which one
// sector has, is changed. So a reader finds either number, and the records that it counts.

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/inplace"
	"github.com/cairn-go/cairn/ndarray"
)

// A classicGrowth is a file of a classic format to which records are appended.
type classicGrowth struct {
	*classicHeader
	file    *inplace.File
	records int64   // that are committed
	ends    []int64 // of the items of variables with records, with those that are not committed
	first   int64   // where the first record is
	clean   bool    // nothing is behind the last record
}

// offRecords is where the number of records is.
const offRecords = 4

func growClassic(file *inplace.File, l cairn.Limits) (*classicGrowth, error) {
	size, err := file.Size()
	if err != nil {
		return nil, err
	}
	b := &classicBytes{r: file, size: size, limit: l.WithDefaults().MaxHeader}
	g := &classicGrowth{file: file}
	if g.classicHeader, err = b.readClassic(); err != nil {
		return nil, err
	}
	if g.short != nil {
		return nil, g.short
	}

	d := g.unlimited()
	if d == nil {
		return nil, unsupported("a file without an unlimited dimension has no place for more; cairn concat joins to a " +
			"new file")
	}
	g.records = d.Len
	g.ends = slices.Repeat([]int64{d.Len}, len(g.vars))
	if err := g.apart(); err != nil {
		return nil, err
	}
	return g, g.count(b)
}

// apart returns an error unless the records are behind everything else, and the parts of variables
// are apart in them.
func (g *classicGrowth) apart() error {
	var parts []classicVariable
	behind := g.end
	for _, p := range g.vars {
		if p.records {
			parts = append(parts, p)
		} else {
			behind = max(behind, p.begin+p.slice)
		}
	}
	if len(parts) == 0 {
		return unsupported("no variable has the unlimited dimension %q", g.unlimited().Name)
	}

	slices.SortFunc(parts, func(a, b classicVariable) int { return cmp.Compare(a.begin, b.begin) })
	g.first = parts[0].begin
	for _, p := range parts {
		if p.begin < behind {
			return unsupported("the records at byte %d have other variables in or behind them", p.begin)
		}
		behind = p.begin + p.slice
	}
	if behind > g.first+g.record {
		return cairn.Corruptf(layerClassic, int64(parts[0].at), "records of %d bytes, whose parts have %d", g.record,
			behind-g.first)
	}
	return nil
}

// count writes the number of records of a file that does not have it, for which those that are
// there count.
func (g *classicGrowth) count(b *classicBytes) error {
	stored := b.have[offRecords:][:len(g.encodeRecords(0))]
	if slices.ContainsFunc(stored, func(c byte) bool { return c != 0xff }) {
		return nil
	}
	if g.truncated(b.size, g.records) != nil {
		return unsupported("a file whose number of records is open, and whose last record lacks its end; cairn copy " +
			"makes one of what it has")
	}
	return g.setCount(g.records)
}

// encodeRecords returns a number of records as the file has it.
func (g *classicGrowth) encodeRecords(n int64) []byte {
	if g.version == 5 {
		return binary.BigEndian.AppendUint64(nil, uint64(n))
	}
	return binary.BigEndian.AppendUint32(nil, uint32(n))
}

func (g *classicGrowth) setCount(n int64) error {
	if _, err := g.file.WriteAt(g.encodeRecords(n), offRecords); err != nil {
		return err
	}
	return g.file.Sync()
}

func (g *classicGrowth) appendRows(ctx context.Context, key string, src ndarray.Source, o *CreateOptions) error {
	i := slices.IndexFunc(g.root.Variables, func(v *Variable) bool { return path.Join("/", v.Name) == key })
	if i < 0 {
		return cairn.ErrNotFound
	}
	v := g.root.Variables[i]
	if !g.vars[i].records {
		return unsupported("it does not have the unlimited dimension %q", g.unlimited().Name)
	}
	shape := src.Shape()
	if len(shape) == 0 {
		return fmt.Errorf("items of shape %v for a variable of shape %v: %w", shape, v.Shape(), cairn.ErrBounds)
	}

	rows := *v
	rows.Dimensions = slices.Clone(v.Dimensions)
	rows.Dimensions[0] = &Dimension{Name: v.Dimensions[0].Name, Len: shape[0]}
	in, err := inputOf(&rows, src, true)
	if err != nil {
		return err
	}
	end := g.ends[i] + shape[0]
	most := (&newClassic{format: Format(g.version)}).mostItems()
	if end > most || end > (math.MaxInt64/16-g.first)/max(1, g.record) {
		return unsupported("%d records in the format %v", end, Format(g.version))
	}

	if err := g.grow(end); err != nil {
		return &partlyError{err}
	}
	place := g.vars[i]
	place.begin += g.ends[i] * g.record
	if err := in.copy(ctx, &recordWriter{classicVariable: &place, record: g.record, file: g.file}, o); err != nil {
		return &partlyError{err}
	}
	g.ends[i] = end
	return nil
}

// grow makes the file as large as a number of records needs. What a crash has left behind the last
// one goes first, so that there are zeros.
func (g *classicGrowth) grow(records int64) error {
	size, err := g.file.Size()
	if err != nil {
		return err
	}
	if end := g.first + g.records*g.record; !g.clean && size > end {
		if err := g.file.Truncate(end); err != nil {
			return err
		}
		size = end
	}
	g.clean = true

	if end := g.first + records*g.record; end > size {
		return g.file.Truncate(end)
	}
	return nil
}

func (g *classicGrowth) commit(ctx context.Context) error {
	records := slices.Max(g.ends)
	if err := g.grow(records); err != nil {
		return err
	}
	for i, v := range g.root.Variables {
		p := g.vars[i]
		if !p.records || g.ends[i] == records {
			continue
		}
		p.begin += g.ends[i] * g.record
		to := &recordWriter{classicVariable: &p, record: g.record, file: g.file}
		if err := to.fill(v, p.slice*(records-g.ends[i])); err != nil {
			return err
		}
	}

	if err := errors.Join(ctx.Err(), g.file.Sync()); err != nil {
		return err
	}
	if err := g.setCount(records); err != nil {
		return err
	}
	g.records = records
	g.unlimited().Len = records
	for i := range g.ends {
		g.ends[i] = records
	}
	return nil
}

func (g *classicGrowth) close() error { return g.file.Close() }
