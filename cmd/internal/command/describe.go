package command

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/shellwords"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/ndarray"
)

// describePath describes an array or a frame, or a tree of them: of a large tree, only the arrays
// that are listed, unless all are.
func (std *streams) describePath(ctx context.Context, path string, all bool) (describer, error) {
	p := place.Of(path)
	o, err := std.at.Open(ctx, p, operand.How{AnyOrder: true, Frames: true, Workers: 1})
	if err != nil {
		return nil, err
	}
	defer o.Close()
	if o.Foreign() {
		return describeForeign(ctx, path, o, all)
	}
	if s := o.Store(); s != nil {
		if _, err := s.Leaf(p.Key); !p.Keyed || err != nil && formats.IsGroup(ctx, s, p.Key) {
			// Describe a store, or one group of it.
			group := formats.Key(p.Key)
			t, err := treeOf(ctx, o.Holding, group, o.Under(group), all)
			if err != nil {
				return nil, err
			}
			if t.Path = p.Name; group != "/" {
				t.Path += place.Mark + group
			}
			t.is = fmt.Sprintf("%s of %s", t.Container, console.Count(len(t.Arrays), "leaf"))
			return t, nil
		}
	}

	src, err := o.Array(ctx)
	if err != nil {
		return nil, err
	}
	a, err := describeFrame(ctx, o, src)
	if err != nil {
		return nil, err
	}
	if err := a.AddFrame(ctx, o.Frame().Snapshot()); err != nil {
		return nil, err
	}

	a.Path = path
	if p.Keyed {
		a.Key = formats.Key(p.Key)
	}
	if src != nil {
		a.AddCoordinates(ctx, coords.New(src, o.Sibling).Axes)
	}
	return &shownArray{Array: a}, nil
}

// describeFrame describes an open array of Blosc2, or a plain frame if src is nil.
func describeFrame(ctx context.Context, o *operand.Opened, src ndarray.Source) (*described.Array, error) {
	u, _ := src.(*ndarray.Untyped)
	return described.OfFrame(ctx, o.Frame().Snapshot(), u, o.Stored(), o.InBucket())
}

// describeForeign describes a file of another format, or an array or a group in it.
func describeForeign(ctx context.Context, name string, f *operand.Opened, all bool) (describer, error) {
	keys := f.Under(f.Key)
	if len(keys) == 0 && f.Key != "" || !f.Format.Trees && f.Key != "" {
		return nil, f.Choose(ctx, keys)
	}

	// The command to convert it has a name for the output that says what it is.
	to := strings.TrimSuffix(filepath.Base(f.Name), filepath.Ext(f.Name))
	if key := strings.Trim(f.Key, "/"); key != "" {
		to = key[strings.LastIndexByte(key, '/')+1:]
	}
	convert := func(extension string) string {
		return fmt.Sprintf("cairn import %s %s", shellwords.Quote(name), shellwords.Quote(to+extension))
	}

	if !f.Format.Trees || len(keys) == 1 && (f.Key != "" || keys[0] == "") {
		a := described.InTree(ctx, f.Holding, keys[0], func(a *described.Array, src ndarray.Source) {
			a.AddStored(ctx, src)
			a.AddCoordinates(ctx, coords.New(src, f.Sibling).Axes)
		})
		is := f.Is(&f.Format)
		if f.Format.Trees {
			is = "an array in " + is
		} else {
			a.FileBytes = f.Stored()
		}
		a.Path = name
		a.Format = f.Format.Name
		a.Convert = convert(".b2nd")
		return &shownArray{a, is}, nil
	}

	t, err := treeOf(ctx, f.Holding, formats.Key(f.Key), keys, all)
	if err != nil {
		return nil, &operand.ForeignError{Name: f.Name, Err: err}
	}
	t.Path = name
	t.Format = f.Format.Name
	t.Convert = convert(".b2z")

	t.is = f.Is(&f.Format) + " of " + console.Count(len(t.Arrays), "array")
	if err := f.Truncated(); err != nil {
		t.Fault = err.Error()
		t.fault = &operand.ForeignError{Name: f.Name, Err: err}
	}
	if f.Key == "" {
		t.header = shortHeader(f.Header(f.Name))
	}
	return t, nil
}
