package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
	"github.com/cairn-go/cairn/zarr"
)

func refsVerb(set *flag.FlagSet) action {
	url := set.String("url", "",
		"where readers find the file, `URL` such as s3://bucket/a.b2nd; its absolute path by default")
	name := set.String("name", "", "`NAME` of the Zarr array; that of the file without its extension by default")

	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "PATH"); err != nil {
			return err
		}
		path := operands[0]
		p := place.Of(operands[0])
		if p.Kind == place.Standard {
			return usagef("refs needs a file that readers find again, not standard input")
		}
		if p.Keyed {
			return fmt.Errorf("%s names an array in a file, and refs writes references to all of %s: %w", p, p.Name,
				cairn.ErrUnsupported)
		}

		where := *url
		if p.Far() && where == "" {
			where = std.at.URL(p)
		}
		if where == "" {
			var err error
			if where, err = filepath.Abs(path); err != nil {
				return err
			}
		}

		w := std.Output(ctx)
		o, err := std.at.Open(ctx, p, operand.How{AnyOrder: true, Frames: true})
		if err != nil {
			return err
		}
		defer o.Close()

		if s := o.Store(); s != nil {
			if *name != "" {
				return usagef("-name: %s is a store, whose arrays have names", path)
			}
			return withRecode(path, storeRefs(ctx, std, w, s, path, where))
		}

		src, err := o.Array(ctx)
		if err != nil {
			return err
		}
		u, ok := src.(*ndarray.Untyped)
		if !ok {
			return fmt.Errorf("%s is %s: refs needs an array of Blosc2: %w", path, o.Format.Is, cairn.ErrUnsupported)
		}

		if *name == "" {
			*name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		}
		return withRecode(path, zarr.WriteReferences(ctx, w, zarr.Reference{Name: *name, Array: u, URL: where}))
	}
}

// storeRefs writes references to all groups and arrays of a store, which are files of a directory
// or members of an archive. Arrays whose dtype Zarr does not have are left out.
func storeRefs(ctx context.Context, std *streams, w io.Writer, s *store.Store, path, url string) error {
	var refs []zarr.Reference
	var left omission
	defer func() {
		for _, r := range refs {
			if r.Array != nil {
				r.Array.Close()
			}
		}
	}()

	for _, group := range formats.Groups(ctx, s) {
		attributes, err := s.Attributes(ctx, group)
		if err != nil {
			return err
		}
		refs = append(refs, zarr.Reference{Name: strings.Trim(group, "/"), Attributes: attributes})
	}

	for l := range s.Leaves() {
		u, err := s.Array(ctx, l.Key)
		switch {
		case errors.Is(err, cairn.ErrNotFound):
			continue // not an array
		case err != nil:
			return err
		}

		if why := inZarr2(ctx, u); why != nil {
			left.note(std, path+place.Mark+l.Key, errors.Join(why, u.Close()))
			continue
		}
		refs = append(refs, zarr.Reference{Name: strings.TrimPrefix(l.Key, "/"), Array: u, URL: url, Offset: l.Offset})
		if l.Embedded {
			return fmt.Errorf("%s is embedded, so its bytes are compressed once more: %w", l.Key, cairn.ErrUnsupported)
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			refs[len(refs)-1].URL += "/" + l.File
		}
	}

	if err := zarr.WriteReferences(ctx, w, refs...); err != nil {
		return err
	}
	return left.code()
}

// inZarr2 returns why version 2 has no metadata for an array.
func inZarr2(ctx context.Context, u *ndarray.Untyped) error {
	v, err := zarr.NewView(ctx, u, nil)
	if err != nil {
		return err
	}
	_, err = v.Document(".zarray")
	return err
}

// withRecode adds to an error about chunks without Zarr blocks what to do.
func withRecode(path string, err error) error {
	if errors.Is(err, cairn.ErrUnsupported) {
		return fmt.Errorf("%w; 'cairn copy -zarrblocks -recode %s OUT' makes such a copy", err, path)
	}
	return err
}
