package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path"
	"strings"

	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/values"
	"github.com/cairn-go/cairn/internal/data"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/ndarray"
)

// An openedSource is what an operand names, open for reading: an array of any format or a plain
// frame.
type openedSource struct {
	src       ndarray.Source // nil for a plain frame
	stored    ndarray.Source // whose values src has, or nil
	meaning   *cf.Meaning    // of stored
	container *container     // nil for a foreign file
	foreign   *foreignFile   // nil for what is of Blosc2
	siblings  []ndarray.Source
}

// open opens an operand of any format: PATH, PATH::KEY or standard input. Every verb that reads one
// array does it by this function, or by openSource.
func (std *streams) open(ctx context.Context, name string, workers int, how reading) (*openedSource, error) {
	f, err := std.openForeign(ctx, name, how)
	if err == nil {
		src, err := f.array(ctx)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if how.anyOrder { // otherwise it must show that its items come in order
			src = foreignSource{src, f.in.Name}
		}
		return &openedSource{src: src, foreign: f}, nil
	}
	var failed *foreignError
	if errors.As(err, &failed) || how.raw != nil {
		return nil, err
	}
	// What is neither is explained by those who read frames.
	c, err := std.openContainer(ctx, name, workers)
	if err != nil {
		meant, other := std.openMeant(ctx, name, workers)
		if other != nil {
			return nil, other
		}
		if meant == nil {
			return nil, err
		}
		c = meant
	}
	o := &openedSource{container: c}
	if c.array != nil {
		o.src = c.array
	}
	return o, nil
}

// openMeant opens the array that a store, or a group of one, stands for: the only one that is data.
// It returns nil for an operand that is neither.
func (std *streams) openMeant(ctx context.Context, operand string, workers int) (*container, error) {
	name, key, leaf := splitLeaf(operand)
	if name == standardIO || !std.looksLikeStore(name) {
		return nil, nil
	}
	s, err := std.openStore(name, workers)
	if err != nil {
		return nil, err
	}
	base := leafKey(key)
	if _, err := s.Leaf(base); leaf && (err == nil || !formats.IsGroup(ctx, s, base)) {
		return nil, s.Close()
	}
	var keys []string
	for l := range s.Leaves() {
		if strings.HasPrefix(l.Key, strings.TrimSuffix(base, "/")+"/") {
			keys = append(keys, l.Key)
		}
	}
	if len(keys) == 0 {
		return nil, s.Close()
	}
	objects, err := s.Objects()
	if meant := data.Of(ctx, s, keys); err == nil && len(objects) == 0 && len(meant) == 1 {
		c := &container{store: s, key: meant[0]}
		if c.array, err = s.Array(ctx, c.key); err == nil {
			c.frame = c.array.Frame()
			return c, nil
		}
	} else if err == nil {
		err = choice(ctx, name, s, keys)
	}
	_ = s.Close()
	return nil, err
}

// openSource opens an array of any format for a verb.
func (std *streams) openSource(ctx context.Context, name, verb string, workers int) (*openedSource, error) {
	o, err := std.open(ctx, name, workers, reading{anyOrder: true})
	if err != nil {
		return nil, err
	}
	if o.src == nil {
		o.close()
		return nil, fmt.Errorf("%s is a plain frame: %s needs an array", name, verb)
	}
	return o, nil
}

// valueFlags say what a verb takes of an array.
type valueFlags struct{ raw, valid bool }

func (f *valueFlags) declareValues(set *flag.FlagSet) {
	set.BoolVar(&f.raw, "raw", false, rawUsage)
	set.BoolVar(&f.valid, "valid", false, "values outside of valid_min, valid_max or valid_range are missing too")
}

const rawUsage = "take items as they are stored: packed, and with numbers for what is missing"

// values makes the array that of the values that its items stand for, unless items are wanted.
func (f *valueFlags) values(o *openedSource) error {
	if f.raw && f.valid {
		return usagef("-valid is about values, and -raw takes items")
	}
	src, labelled := o.src.(ndarray.Labelled)
	if f.raw || !labelled {
		return nil
	}
	l, err := src.Labels()
	if err != nil {
		return err
	}
	o.meaning = cf.Of(src.DType(), l.Attributes)
	if f.valid {
		o.meaning.Mask()
	}
	o.stored = src
	o.src, err = values.Of(src, o.meaning)
	return err
}

// note says in a line what has been applied to items, or how they would become values.
func (o *openedSource) note() string {
	if o.meaning == nil {
		return ""
	}
	text := o.meaning.Note()
	if text != "" {
		text = "values: " + text + "; -raw takes items"
	}
	if valid := validText(o.meaning); valid != "" {
		if text != "" {
			text += "; "
		}
		text += "valid: " + valid
	}
	return text
}

// validText returns the range of valid values, or "".
func validText(m *cf.Meaning) string {
	if valid := m.OfValid(); valid != nil {
		return valid.Valid.String() + ", by -valid"
	}
	return ""
}

// tellValues notes that values were written, and not the items.
func (std *streams) tellValues(m *cf.Meaning, key string) {
	if m == nil || m.Note() == "" || std.quiet {
		return
	}
	of := ""
	if strings.Trim(key, "/") != "" {
		of = " of " + key
	}
	std.complain("wrote values" + of + ": " + m.Note() + "; -raw writes items")
}

// closeSiblings closes the arrays that gave coordinates.
func (o *openedSource) closeSiblings() {
	for _, src := range o.siblings {
		_ = closeSource(src)
	}
	o.siblings = nil
}

func (o *openedSource) close() {
	o.closeSiblings()
	if o.container != nil {
		o.container.close()
		return
	}
	if o.stored == nil {
		o.stored = o.src
	}
	_ = closeSource(o.stored)
	_ = o.foreign.Close()
}

// A foreignSource is a source whose errors are those of a foreign file.
type foreignSource struct {
	ndarray.Source
	name string
}

func (s foreignSource) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	if err := s.Source.ReadBytes(ctx, dst, start, stop); err != nil {
		return &foreignError{s.name, err}
	}
	return nil
}

// WrittenBoxes tells where the source has items of its own, if it knows.
func (s foreignSource) WrittenBoxes(ctx context.Context) (starts [][]int64, shape []int64, ok bool, err error) {
	w, ok := s.Source.(interface {
		WrittenBoxes(ctx context.Context) (starts [][]int64, shape []int64, ok bool, err error)
	})
	if !ok {
		return nil, nil, false, nil
	}
	if starts, shape, ok, err = w.WrittenBoxes(ctx); err != nil {
		err = &foreignError{s.name, err}
	}
	return starts, shape, ok, err
}

// Labels returns the labels of the source, if it has some.
func (s foreignSource) Labels() (ndarray.Labels, error) {
	if l, ok := s.Source.(ndarray.Labelled); ok {
		return l.Labels()
	}
	return ndarray.Labels{}, nil
}

// Close closes the source if it can be closed.
func (s foreignSource) Close() error { return closeSource(s.Source) }

// key returns the name of the array in its container, or "".
func (o *openedSource) key() string {
	if o.foreign != nil {
		return o.foreign.key
	}
	return path.Base("/" + o.container.key)
}
