package command

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// An openedSource is what an operand names, open for reading: an array of any format or a plain
// frame.
type openedSource struct {
	src       ndarray.Source // nil for a plain frame
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
		return nil, err
	}
	o := &openedSource{container: c}
	if c.array != nil {
		o.src = c.array
	}
	return o, nil
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

// unpackUsage describes -unpack.
const unpackUsage = "take the numbers that packed items stand for: items × scale_factor + add_offset, " +
	"and NaN for those that equal _FillValue or missing_value"

// unpack makes the array that of the numbers that items stand for, if it is to.
func (o *openedSource) unpack(wanted bool) error {
	src, labelled := o.src.(ndarray.Labelled)
	if !wanted || !labelled {
		return nil
	}
	var err error
	o.src, err = netcdf.Unpack(src)
	return err
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
	_ = closeSource(o.src)
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
