package command

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/whole"
	"github.com/cairn-go/cairn/compute/regrid"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// regridFlags are the flags of regrid.
type regridFlags struct {
	copyFlags
	to, method, weights, save, form string
	coverage                        float64
}

func regridMethods() (all []string) {
	for _, m := range regrid.Methods() {
		all = append(all, string(m))
	}
	return all
}

func regridVerb(set *flag.FlagSet) action {
	var f regridFlags
	f.declare(set)
	set.StringVar(&f.to, "to", "", "the `GRID` of OUT: a name such as r360x180, n32, global_0.5 or healpix:32, a file with arrays on "+
		"such a grid, or with a grid of SCRIP, or a file with a description as CDO has it")
	set.StringVar(&f.method, "method", string(regrid.Bilinear), "`METHOD` is "+oneOf(regridMethods())+
		", which keeps integrals; bilinear by default")
	set.Float64Var(&f.coverage, "coverage", 0, "items are missing of which less than `PART` is covered by items that are there, "+
		"from 0 to 1; by default any part will do")
	set.StringVar(&f.weights, "weights", "", "take the weights of `FILE`, by CDO, ESMF or xESMF, and do not compute them")
	set.StringVar(&f.save, "save-weights", "", "write the weights to `FILE`, a NetCDF file, for other files on the same grid")
	set.StringVar(&f.form, "form", string(regrid.SCRIPForm), "of -save-weights: `FORM` is scrip, for CDO, or esmf, for xESMF")

	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "IN", "OUT"); err != nil {
			return err
		}
		if err := f.check(); err != nil {
			return err
		}
		return f.run(ctx, std, place.Of(operands[0]), targetOf(operands[1]))
	}
}

func (f *regridFlags) check() error {
	forms := []string{string(regrid.SCRIPForm), string(regrid.ESMFForm)}
	switch {
	case f.to == "":
		return usagef("no -to GRID given, such as %s", strings.Join(regrid.Names(), ", "))
	case !slices.Contains(regridMethods(), f.method):
		return unknownValue("method", "method", f.method, regridMethods())
	case !slices.Contains(forms, f.form):
		return unknownValue("form", "format", f.form, forms)
	case !(f.coverage >= 0 && f.coverage <= 1):
		return usagef("-coverage is %g, must be 0 to 1", f.coverage)
	case f.weights != "" && f.save != "":
		return usagef("-weights and -save-weights cannot be combined")
	}
	return nil
}

func (f *regridFlags) run(ctx context.Context, std *streams, from place.Place, to target) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	row := wholeFormat(to)
	if row == nil {
		row, err = f.outputFormat(ctx, std, to, []place.Place{from}, o)
	} else {
		err = f.checkWhole(ctx, std, to, row, o, from)
	}
	if err != nil {
		return err
	}

	grid, err := f.grid(ctx, std)
	if err != nil {
		return err
	}
	r := &whole.Regridding{To: grid, Method: regrid.Method(f.method), Coverage: f.coverage, Workers: f.workers}
	if f.weights != "" {
		r.Read = func(ctx context.Context, from *regrid.Grid) (*regrid.Weights, error) {
			return regrid.Read(ctx, f.weights, &regrid.ReadOptions{From: from, To: grid})
		}
	}
	defer r.Close()

	w, err := std.openWhole(ctx, from, f.workers)
	if err != nil {
		return err
	}
	if w == nil {
		return f.regridArray(ctx, std, from, to, row, r, o)
	}
	defer w.Close()

	as := &shaping{chunks: o.ChunkShape, blocks: o.BlockShape, named: f.named}
	s := w.saver(ctx, std, to, o, "regridding")
	moved, err := f.regridEach(ctx, w, s, r)
	if err != nil {
		return err
	}
	if err := f.saveWeights(ctx, r); err != nil {
		return err
	}
	if f.history {
		w.Record(std.historyLine())
	}
	if wholeFormat(to) == nil {
		return f.saveOne(ctx, s, row, moved)
	}
	s.source = as.grid(s.source)
	return s.saveParts(ctx, row, s.bytes(), &shaping{}, nil)
}

// regridArray brings a single array of a file to another grid, with the coordinates that it has.
func (f *regridFlags) regridArray(ctx context.Context, std *streams, from place.Place, to target, row *formats.Format,
	r *whole.Regridding, o *ndarray.CopyOptions) error {
	in, err := std.at.Open(ctx, from, inAnyOrder(f.workers))
	if err != nil {
		return err
	}
	defer in.Close()
	src, err := in.Array(ctx)
	if err != nil {
		return err
	}
	if src == nil {
		return fmt.Errorf("%s is a plain frame, without dimensions: %w", from, cairn.ErrUnsupported)
	}

	result, err := r.Of(ctx, in.Key, func(context.Context) (ndarray.Source, func(), error) {
		return src, func() {}, nil
	}, in.Sibling)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	if err := f.saveWeights(ctx, r); err != nil {
		return err
	}

	keep, err := r.To.Coordinates()
	if err != nil {
		return err
	}
	for _, k := range coordinatesToKeep(ctx, coords.New(src, in.Sibling)) {
		if slices.Contains(whole.Dims(result), k.name) && !slices.Contains(r.To.Dims(), k.name) {
			f.keep = append(f.keep, k)
		}
	}
	for _, c := range keep {
		f.keep = append(f.keep, keptCoordinate{c.Name, c.Array})
	}

	bar := std.newBar("regridding", described.Bytes(result))
	defer bar.Close()
	s := &saver{std: std, to: to, keys: []string{in.Own()}, keep: f.keep, progress: bar.Add}
	o.AutoShapes = true
	return s.one(ctx, row, result, o)
}

// saveWeights writes the weights, if that is asked for.
func (f *regridFlags) saveWeights(ctx context.Context, r *whole.Regridding) error {
	if f.save == "" {
		return nil
	}
	made, err := r.Weights()
	if err != nil {
		return err
	}
	return made.Write(ctx, f.save, regrid.Form(f.form), &netcdf.CreateOptions{Overwrite: f.force, Workers: f.workers})
}

// saveOne writes a single array, without the others of its file.
func (f *regridFlags) saveOne(ctx context.Context, s *saver, row *formats.Format, moved []string) error {
	if len(moved) != 1 {
		return usagef("%s holds one array, and %d have been brought to the grid; name one as %s%sKEY, or a file such as out.nc",
			s.to, len(moved), s.named, place.Mark)
	}
	bar := s.std.newBar("regridding", s.bytes())
	defer bar.Close()
	src, done, err := s.source(moved[0])
	if err != nil {
		return err
	}
	defer done()
	s.keys = moved
	s.progress = bar.Add
	o := s.how.CopyOptions
	return s.one(ctx, row, src, &o)
}

// grid returns the grid that -to names.
func (f *regridFlags) grid(ctx context.Context, std *streams) (*regrid.Grid, error) {
	g, err := regrid.Named(f.to)
	if !errors.Is(err, regrid.ErrName) {
		return g, err
	}
	if text, err := whole.Description(f.to); text != "" || err != nil {
		if err != nil {
			return nil, err
		}
		return regrid.Parse(text)
	}

	o, err := std.at.Open(ctx, place.Of(f.to), inAnyOrder(f.workers))
	if errors.Is(err, cairn.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("-to %s: there is no such file, and %v", f.to, regrid.ErrName)
	}
	if err != nil {
		return nil, err
	}
	defer o.Close()
	return whole.GridOf(ctx, o.Name, o.Under(o.Key), o.Near)
}

// regridEach makes the source of a saver that of the arrays on the other grid, and of the others.
// It returns the keys of the former.
func (f *regridFlags) regridEach(ctx context.Context, w *wholeFile, s *saver, r *whole.Regridding) (moved []string, err error) {
	open := s.source
	results := map[string]ndarray.Source{}
	for _, a := range w.arrays {
		if !r.Moves(&a) && len(w.arrays) > 1 {
			continue
		}
		near, done := coordinatesNear(a.Key, w.Near)
		src, err := r.Of(ctx, a.Key, func(context.Context) (ndarray.Source, func(), error) {
			src, end, err := open(a.Key)
			return src, func() { _ = end() }, err
		}, near)
		done()
		switch {
		case errors.Is(err, regrid.ErrNone):
		case errors.Is(err, cairn.ErrType):
			s.omitted.note(s.std, w.Name+place.Mark+strings.Trim(a.Key, "/"), err)
		case err != nil:
			return nil, fmt.Errorf("%s: %w", w.Name+place.Mark+strings.Trim(a.Key, "/"), err)
		default:
			results[a.Key] = src
			moved = append(moved, a.Key)
		}
	}
	if moved == nil {
		return nil, fmt.Errorf("%s: no array has latitudes and longitudes: %w", w.Name, cmp.Or(s.omitted.code(), cairn.ErrNotFound))
	}

	s.keys = moved
	gone, err := f.keepOthers(w, s, r, results)
	if err != nil {
		return nil, err
	}
	s.source = resultOr(results, open, gone)
	return moved, nil
}

// keepOthers adds the coordinates of the grid to what is written, and the arrays without a
// horizontal grid. It returns the names of those that are gone.
func (f *regridFlags) keepOthers(w *wholeFile, s *saver, r *whole.Regridding,
	results map[string]ndarray.Source) (gone map[string]bool, err error) {
	gone = map[string]bool{}
	for _, a := range w.arrays {
		if results[a.Key] != nil {
			continue
		}
		switch r.PlaceOf(&a) {
		case whole.Copied:
			s.keys = append(s.keys, a.Key)
		case whole.Left:
			s.omitted.note(s.std, w.Name+place.Mark+strings.Trim(a.Key, "/"),
				fmt.Errorf("it is of the grid, without latitudes and longitudes: %w", cairn.ErrUnsupported))
			gone[a.Name] = true
		default:
			gone[a.Name] = true
		}
	}

	all, err := r.To.Coordinates()
	if err != nil {
		return nil, err
	}
	for _, group := range r.Groups() {
		for _, c := range all {
			key := strings.Trim(path.Join(group, c.Name), "/")
			if slices.ContainsFunc(s.keys, func(k string) bool { return strings.Trim(k, "/") == key }) {
				return nil, fmt.Errorf("%s%s%s is no coordinate of a grid, and the new ones have its name: %w", w.Name, place.Mark, key,
					cairn.ErrConflict)
			}
			results[key] = c.Array
			s.keys = append(s.keys, key)
			delete(gone, c.Name)
		}
	}
	return gone, nil
}
