package command

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/loss"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/data"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/rounding"
	"github.com/cairn-go/cairn/internal/show/rows"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// exportFlags are the flags of export.
type exportFlags struct {
	copyFlags
	how formats.Options
}

func exportVerb(set *flag.FlagSet) action {
	var f exportFlags
	set.StringVar(&f.selection, "s", "", selectionUsage)
	set.BoolVar(&f.rawOut, "raw", false, rawOutUsage)
	f.declareHistory(set)
	f.lossFlags.Declare(set)
	set.IntVar(&f.workers, "workers", 0, workersUsage)
	set.BoolVar(&f.force, "force", false, forceUsage)
	set.BoolVar(&f.how.Fortran, "fortran", false, "write items in Fortran order, the first index running fastest")
	set.IntVar(&f.how.Zarr, "zarr", 0, "write Zarr of version `N`, 2 or 3 (default 3)")
	set.StringVar(&f.codec, "codec", "", "compress the chunks of a Zarr store with `CODEC`: "+
		"blosclz, lz4, lz4hc, zlib, zstd or, for numbers, pcodec; zstd by default; "+hdf5Usage)
	set.IntVar(&f.level, "level", levelKept, "and at level `N` from 1 to 9, or 0 to store them uncompressed; 5 by default, 4 of zlib in HDF5")
	set.StringVar(&f.filters, "filters", "", "and behind the filter `NAME`: shuffle, the default, bitshuffle or none; for HDF5 see -codec")
	f.declareUnlimited(set)
	set.BoolVar(&f.how.Deflate, "deflate", false, "compress the arrays of an .npz archive")

	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "PATH", "OUT.npy"); err != nil {
			return err
		}

		var err error
		in := place.Of(operands[0])
		to := targetOf(operands[1])
		if f.codec == "pcodec" {
			f.how.Pcodec = true // there is none in Blosc2
			f.codec = ""
		}
		// The name may ask for Blosc2, which has none of the flags of other formats.
		if to.Keyed || to.is(storeFormat) || to.is(frameFormat) {
			f.how.Unlimited = f.grown()
			if err := frameFormat.Check(&f.how); err != nil {
				return usagef("%v", err)
			}
			return f.convert(ctx, std, in, to)
		}

		if f.how.HDF5, err = f.forHDF5(to); err != nil {
			return err
		}
		o, err := f.options()
		if err != nil {
			return err
		}
		f.how.CopyOptions = *o
		f.how.Unlimited = f.grown()
		chosen, err := parseSelection(f.selection)
		if err != nil {
			return err
		}
		if isTableName(to) {
			return f.exportTable(ctx, std, in, to, chosen)
		}

		row, err := exportFormat(to)
		if err != nil {
			return err
		}

		s := &saver{std: std, to: to, how: &f.how}
		return f.export(ctx, s, in, row, &shaping{chosen: chosen, selection: f.selection})
	}
}

// isTableName reports whether an output is named as a table of text.
func isTableName(to target) bool {
	row, _ := formats.Of(to.ext)
	return !to.One() && row.Name == "csv"
}

// exportTable writes a table of text: arrays of one dimension as columns, and another array as a
// line for each item.
func (f *exportFlags) exportTable(ctx context.Context, std *streams, in place.Place, to target,
	chosen coords.Selection) error {
	if loss.BoundOf(f.how.Loss).Rule != rounding.None || f.codec != "" {
		return usagef("%s: tables of text are neither rounded nor compressed", to)
	}
	row, _ := formats.Of(to.ext)
	if err := row.Check(&f.how); err != nil {
		return usagef("%v", err)
	}
	if err := std.checkOutput(ctx, to, &row, f.force, in); err != nil {
		return err
	}

	opened, err := std.at.Open(ctx, in, inAnyOrder(f.workers))
	if err != nil {
		return err
	}
	defer opened.Close()
	t := &tabled{std, opened, chosen, valueFlags{raw: f.rawOut}}
	columns, err := t.columns(ctx)
	if err != nil {
		return err
	}

	comma := ','
	if to.ext == ".tsv" {
		comma = '\t'
	}
	s := &saver{std: std, to: to, how: &f.how}
	return std.onDisk(ctx, to, f.force, func(path string) error {
		return s.writeFile(ctx, path, func(w io.Writer) error {
			if len(columns[0].Array.View.Shape()) == 1 {
				return rows.Table(ctx, w, comma, columns)
			}
			p := &rows.Printer{W: w, Array: columns[0].Array, Name: columns[0].Name}
			return p.Long(ctx, comma)
		})
	})
}

// export writes what an operand names in another format than Blosc2.
func (f *copyFlags) export(ctx context.Context, s *saver, in place.Place, row *formats.Format, as *shaping) error {
	if f.plan || f.verify {
		return usagef("-plan and -verify are for Blosc2, and the output is %s", row.Is)
	}
	if err := s.std.checkOutput(ctx, s.to, row, f.force, in); err != nil {
		return err
	}
	if err := row.Check(s.how); err != nil {
		return usagef("%v", err)
	}
	s.raw = f.rawOut

	o, err := s.std.at.Open(ctx, in, operand.How{Raw: f.items, AnyOrder: true, All: row.Trees, Workers: s.how.Workers})
	if err != nil {
		return err
	}
	defer o.Close()
	f.record(s.std, o, &s.how.CopyOptions)
	if row.Trees && f.items == nil {
		if done, err := s.exportTree(ctx, o, row, as); done || err != nil {
			return err
		}
	}
	return s.exportArray(ctx, o, row, as.chosen)
}

// exportFormat returns the format that the name of an output stands for; without an extension, and
// for standard output, .npy.
func exportFormat(to target) (*formats.Format, error) {
	if to.stream() || to.ext == "" {
		row, _ := formats.Named(".npy")
		return &row, nil
	}
	if row := to.other(); row != nil {
		return row, nil
	}
	if err := to.check(nil); err != nil {
		return nil, err
	}
	return nil, usagef("%s: export writes %s", to, exportable())
}

// exportArray writes one array, which may be items without a header.
func (s *saver) exportArray(ctx context.Context, o *operand.Opened, row *formats.Format, chosen coords.Selection) error {
	src, err := o.Array(ctx)
	if err != nil {
		return err
	}
	if src == nil {
		return fmt.Errorf("%s is a plain frame: %s needs an array", o.Place, row.Is)
	}

	part, err := coords.New(src, o.Sibling).Select(ctx, chosen)
	if err != nil {
		return err
	}

	view := part.View
	if d := view.DType(); d.Kind() == 0 {
		s.std.Complain(fmt.Sprintf("dtype %q does not describe items of %d bytes; exporting raw bytes",
			d, view.TypeSize()))
	}
	bar := s.std.newBar("exporting", view.Len()*int64(view.TypeSize()))
	defer bar.Close()

	s.keys = []string{o.Own()}
	s.origin = o.Holding
	s.progress = bar.Add
	s.keep = coordinatesToKeep(ctx, part)
	s.source = func(string) (ndarray.Source, func() error, error) {
		return view, func() error { return nil }, nil
	}
	return s.deliver(ctx, row)
}

// exportTree writes the arrays of a store, or of a foreign file with several arrays. It reports
// false if the input is neither.
func (s *saver) exportTree(ctx context.Context, o *operand.Opened, row *formats.Format, as *shaping) (bool, error) {
	keys := o.Under(o.Key)
	st := o.Store()

	switch {
	case st != nil && o.Place.Keyed && !o.Chosen(), !o.Format.Trees,
		st == nil && (len(keys) == 0 || len(keys) == 1 && leafKey(keys[0]) == leafKey(o.Key)):
		return false, nil // one array by nature, or by its key
	case as.byPlace() && len(data.Of(ctx, o.Tree, keys)) == 1:
		return false, nil // the one that is meant
	}

	s.named = o.Name
	if st != nil {
		s.from = o.Holding
		return true, s.saveLeaves(ctx, st, keys, row, as)
	}
	s.keys = keys
	return true, s.saveForeign(ctx, o, row, as)
}

// saveForeign writes those of the arrays of a foreign file that have the keys.
func (s *saver) saveForeign(ctx context.Context, o *operand.Opened, row *formats.Format, as *shaping) (err error) {
	var total int64
	s.named = o.Name
	s.from = o.Holding
	s.origin = o.Holding
	s.base = o.Key

	if !row.Links || o.Key != "" {
		if s.keys, err = withLinked(ctx, s.std, o, s.keys, &s.omitted); err != nil {
			return err
		}
	}
	if len(s.keys) == 0 {
		return o.Choose(ctx, s.keys)
	}
	if s.keys, total, err = supported(ctx, s.std, o, s.keys, &s.omitted); err != nil {
		return err
	}

	s.source = func(key string) (ndarray.Source, func() error, error) {
		src, err := o.Open(ctx, key)
		if err != nil {
			return nil, nil, &operand.ForeignError{Name: o.Name, Err: err}
		}
		return src, func() error { return operand.CloseSource(src) }, nil
	}
	return s.saveParts(ctx, row, total, as, o.Near)
}

// saveLeaves writes the arrays of a store. Leaves that are not arrays are left out, with a note.
func (s *saver) saveLeaves(ctx context.Context, st *store.Store, keys []string, row *formats.Format, as *shaping) error {
	total := int64(0)
	for _, key := range keys {
		u, err := openItems(ctx, st, key)
		if errors.Is(err, cairn.ErrNotFound) || errors.Is(err, cairn.ErrUnsupported) || isDamaged(err) {
			if errors.Is(err, cairn.ErrNotFound) {
				err = errors.New("not an array")
			}
			s.omitted.note(s.std, key, err)
			continue
		}
		if err != nil {
			return err
		}

		total += described.Bytes(u)
		s.keys = append(s.keys, key)
		if err := u.Close(); err != nil {
			return err
		}
	}

	s.source = func(key string) (ndarray.Source, func() error, error) {
		u, err := st.Array(ctx, key)
		if err != nil {
			return nil, nil, err
		}
		return u, u.Close, nil
	}
	return s.saveParts(ctx, row, total, as, st.Open)
}

// saveParts writes the parts of arrays that -s takes. open opens an array of the tree.
func (s *saver) saveParts(ctx context.Context, row *formats.Format, total int64, as *shaping, open coords.Opener) error {
	if as.isSet() {
		var err error
		if total, err = as.check(ctx, s.std, s.named, s.keys, open); err != nil {
			return err
		}
		s.source = as.grid(as.wrap(ctx, s.source, open))
	}

	// Write the arrays, whose items have total bytes.
	if s.keys = s.omitted.holdable(s.std, s.named, s.keys, row); len(s.keys) == 0 && s.omitted.count() > 0 {
		return noArrays(s.named)
	}

	bar := s.std.newBar(cmp.Or(s.label, "exporting"), total)
	defer bar.Close()
	s.tree = true
	s.progress = func(n int64) {
		s.moved += n
		bar.Add(n)
	}

	if err := s.deliver(ctx, row); err != nil {
		return err
	}
	return s.omitted.code()
}

// openItems opens an array of a store. It fails for a reference to an array that is elsewhere.
func openItems(ctx context.Context, st *store.Store, key string) (*ndarray.Untyped, error) {
	u, err := st.Array(ctx, key)
	if err != nil {
		return nil, err
	}

	origin := make([]int64, len(u.Shape()))
	var none []byte
	if len(origin) == 0 { // no box of it is empty
		none = make([]byte, u.TypeSize())
	}
	if err := u.ReadBytes(ctx, none, origin, origin); err != nil {
		u.Close()
		return nil, err
	}
	return u, nil
}
