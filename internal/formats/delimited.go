package formats

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/delimited"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// tableExtensions are those of tables of text, which nothing else tells from other texts.
var tableExtensions = []string{".csv", ".tsv"}

func isTable(p *Probe) bool {
	return p.Entries == nil && p.Head != nil && slices.Contains(tableExtensions, Extension(p.Name))
}

// openTable opens a table of text as records, or as an array per column.
func openTable(ctx context.Context, in *Input) (ndarray.Tree, error) {
	o := in.Table
	if o == nil {
		o = &delimited.Options{}
	}
	if in.File == nil {
		return nil, fmt.Errorf("a table is read twice, so it must be a file or standard input: %w", cairn.ErrUnsupported)
	}

	t, err := delimited.Open(ctx, in.File, in.Size, o)
	if err != nil {
		return nil, err
	}
	if o.Columns {
		return columns{t}, nil
	}

	src, err := t.Records()
	if err != nil {
		return nil, err
	}
	return single{src, columns{t}}, nil
}

// columns is the tree of the columns of a table.
type columns struct{ *delimited.Table }

func (c columns) Open(ctx context.Context, key string) (ndarray.Source, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return c.Column(key)
}

func (c columns) Attributes(ctx context.Context, key string) (meta.Map, error) {
	_, group := c.Children(ctx, key)
	_, column := c.Column(key)
	if group == nil || column == nil {
		return nil, ctx.Err()
	}
	return nil, errors.Join(group, column)
}

func (c columns) Close() error { return nil }
