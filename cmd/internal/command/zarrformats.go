package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/names"
	"github.com/cairn-go/cairn/internal/cf/labels"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
	"github.com/cairn-go/cairn/zarr"
)

// zarrLevel is the level of compression of Zarr chunks unless another is given.
const zarrLevel = 5

// zarrOptions returns what the flags say about a Zarr store. Other formats have nothing that these
// flags could be about.
func (f *copyFlags) zarrOptions(row *fileFormat) (o zarr.SaveOptions, err error) {
	chunks, err := shapeOrAuto("chunks", f.chunks)
	if err != nil {
		return o, err
	}
	blocks, err := shapeOrAuto("blocks", f.blocks)
	switch isZarr := row.Name == "zarr"; {
	case err != nil:
		return o, err
	case !isZarr && (f.codec != "" || f.level != levelKept || f.filters != ""):
		return o, usagef("-codec, -level and -filters are for Zarr stores, and the output is %s", row.Is)
	case !isZarr && (chunks != nil || blocks != nil), f.sparse || f.contiguous || f.zarrBlocks != nil || f.recode:
		return o, usagef("-chunks, -blocks, -sparse, -contiguous, -zarrblocks and -recode are for Blosc2, and "+
			"the first two for Zarr; the output is %s", row.Is)
	case chunks != nil && blocks != nil:
		o.Shards, o.Chunks = chunks, blocks
	case chunks != nil:
		o.Chunks, o.NoShards = chunks, true
	default:
		o.Chunks = blocks
	}

	switch {
	case f.level < levelKept || f.level > 9:
		return o, usagef("-level is %d, must be 0 to 9", f.level)
	case f.level == 0:
		o.Compressor = zarr.NoCompressor
	case f.level == levelKept:
		o.Level = zarrLevel
	default:
		o.Level = f.level
	}
	if f.codec != "" {
		if o.Codec, err = parseCodec(f.codec); err != nil {
			return o, err
		}
	}
	if f.filters == "" {
		return o, nil
	}
	filters, err := parseFilters(f.filters)
	if err == nil && len(filters) > 1 {
		err = usagef("-filters: a chunk of Zarr has one filter")
	}
	if err != nil {
		return o, err
	}
	o.Shuffle = &filters[0]
	return o, nil
}

// saveZarr writes arrays as a Zarr store: one array as its root, or beside its coordinates in the
// root group; several in groups.
func saveZarr(ctx context.Context, s *saving) error {
	if s.path == standardIO {
		return usagef("a Zarr store cannot go to standard output")
	}
	o := &s.zarr
	o.Overwrite, o.Workers = s.force, s.workers
	w, err := zarr.Create(s.path, o)
	if err != nil {
		return err
	}
	if len(s.keep) > 0 {
		s.addCoordinates()
	}
	for _, key := range s.keys {
		err := s.putZarr(ctx, w, key, *o)
		if errors.Is(err, cairn.ErrUnsupported) && len(s.keys) > 1 && s.keep == nil {
			s.omitted.note(s.std, key, err)
		} else if err != nil {
			return errors.Join(ofArray(key, err), w.Abort())
		}
	}
	if err := s.zarrGroups(ctx, w); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Close()
}

// addCoordinates adds the coordinates of the arrays. A single array gets the name of the store if
// it has none.
func (s *saving) addCoordinates() {
	array, own := s.source, map[string]string{}
	if !s.tree {
		key := s.keys[0]
		name := path.Base("/" + strings.Trim(key, "/"))
		if name == "/" {
			name = filepath.Base(s.path)
			name = name[:len(name)-len(extensionOf(name))]
		}
		s.tree, s.keys, own[name] = true, []string{name}, key
	}
	sources := map[string]ndarray.Source{}
	for _, k := range s.keep {
		if !slices.Contains(s.keys, k.name) {
			sources[k.name], s.keys = k.src, append(s.keys, k.name)
		}
	}
	s.source = func(key string) (ndarray.Source, func() error, error) {
		if src, ok := sources[key]; ok {
			return src, func() error { return nil }, nil
		}
		if k, ok := own[key]; ok {
			key = k
		}
		return array(key)
	}
}

func (s *saving) putZarr(ctx context.Context, w *zarr.Writer, key string, o zarr.SaveOptions) error {
	src, done, err := s.source(key)
	if err != nil {
		return err
	}
	if key = names.Key(key); !s.tree {
		key = "/"
	}
	if dims := len(src.Shape()); dims != max(len(o.Chunks), len(o.Shards)) && (s.isKept(key) || s.named != "") {
		o.Chunks, o.Shards, o.NoShards = nil, nil, false
	}
	o.Memory = transferBudget(src, s.workers)
	o.LeftOut = s.leftOut(key)
	before := int64(0)
	o.Progress = func(done, _ int64) {
		s.progress(done - before)
		before = done
	}
	return errors.Join(w.Put(ctx, key, src, &o), done())
}

// isKept reports whether a key is that of coordinates, which have chunks of their own.
func (s *saving) isKept(key string) bool {
	return slices.ContainsFunc(s.keep, func(k keptCoordinate) bool { return names.Key(k.name) == key })
}

// leftOut returns a function that notes an attribute of an array or group that Zarr has no form
// for.
func (s *saving) leftOut(of string) func(attribute string, why error) {
	return func(attribute string, why error) {
		s.std.complain(fmt.Sprintf("attribute %s of %s has no form in Zarr, left out: %v", attribute, of, why))
	}
}

// zarrGroups writes the attributes of groups. What JSON has no form for is left out, with a note.
func (s *saving) zarrGroups(ctx context.Context, w *zarr.Writer) error {
	if s.from == nil {
		return nil
	}
	for _, group := range s.from.Groups() {
		if group != "/" && names.Zarr(group) != nil {
			s.omitted.note(s.std, s.named+leafMark+group, names.Plain(names.Zarr(group)))
			continue
		}
		attributes, err := s.from.Attributes(ctx, group)
		if err != nil {
			return err
		}
		attributes = slices.DeleteFunc(slices.Clone(attributes), func(p meta.Pair) bool {
			failed := w.Group(group, meta.Map{p})
			if errors.Is(failed, cairn.ErrUnsupported) {
				s.leftOut(group)(fmt.Sprint(p.Key), failed)
				return true
			}
			return false
		})
		if err := w.Group(group, attributes); err != nil {
			return err
		}
	}
	return nil
}

// importGroups stores the groups of an input, of those below key: their attributes, and those that
// have nothing in them.
func importGroups(ctx context.Context, std *streams, e *store.Editor, in *foreignFile, omitted *omission) error {
	below := "/" + strings.Trim(in.key, "/")
	groups := in.Groups()
	empty := emptyGroups(groups, in.Keys())
	for _, group := range groups {
		if below != "/" && group != below && !strings.HasPrefix(group, below+"/") {
			continue
		}
		attributes, err := in.Attributes(ctx, group)
		if err != nil {
			return err
		}
		if len(attributes) == 0 && !empty[group] {
			continue
		}
		if err := cmp.Or(names.Group(group), keepsGroups(e)); err != nil {
			omitted.note(std, in.in.Name+leafMark+group, names.Plain(err))
			continue
		}
		if err := e.MakeGroup(ctx, group); err != nil {
			return err
		}
		for _, p := range labels.Fold(attributes) {
			if err := e.SetAttribute(ctx, group, p.Key.(string), p.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

// emptyGroups returns the groups that have neither arrays nor groups in them.
func emptyGroups(groups, arrays []string) map[string]bool {
	empty := map[string]bool{}
	for _, group := range groups {
		empty[path.Join("/", group)] = true
	}
	for _, key := range slices.Concat(groups, arrays) {
		for key = path.Join("/", key); key != "/"; {
			key = path.Dir(key)
			delete(empty, key)
		}
	}
	return empty
}

// keepsGroups returns the reason why a store has no place for empty groups and for attributes of
// groups, or nil.
func keepsGroups(e *store.Editor) error {
	kind, err := e.Kind("/")
	if err == nil && kind != store.TreeStore {
		err = fmt.Errorf("the output is of kind %s, which keeps no attributes of groups, and no empty groups: %w", kind,
			cairn.ErrUnsupported)
	}
	return err
}

// putGroups adds the attributes of all groups to a bundle, below a group, and empty groups. left
// leaves out what the store has no place for.
func (f *forest) putGroups(ctx context.Context, e *store.Editor, b *store.Bundle, base string,
	left func(key string, err error) error,
) error {
	if f.Groups() == nil {
		return nil
	}
	groups := f.groupKeys()
	empty := emptyGroups(groups, f.arrays())
	for _, key := range groups {
		if names.Group(key) != nil {
			continue
		}
		attributes, err := f.stored(ctx, key)
		if err != nil {
			return err
		}
		if len(attributes) == 0 && !empty[key] {
			continue
		}
		if err := keepsGroups(e); err != nil {
			if err := left(key, &groupError{err}); err != nil {
				return err
			}
			continue
		}
		group := path.Join("/", base, key)
		if err := b.MakeGroup(group); err != nil {
			return err
		}
		for _, p := range attributes {
			if err := b.SetAttribute(group, p.Key.(string), p.Value); err != nil {
				return err
			}
		}
	}
	return nil
}
