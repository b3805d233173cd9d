package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/loss"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/values"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/ndarray"
)

// An openedSource is what an operand names, open for reading: an array of any format or a plain
// frame.
type openedSource struct {
	*operand.Opened
	src     ndarray.Source // nil for a plain frame
	stored  ndarray.Source // whose values src has, or nil
	meaning *cf.Meaning    // of stored
}

// open opens the array, or the plain frame, that an operand names.
func (std *streams) open(ctx context.Context, p place.Place, how operand.How) (*openedSource, error) {
	return openWith(ctx, std.at.Open, p, how)
}

// openWith is open with what opens a file.
func openWith(ctx context.Context, find func(context.Context, place.Place, operand.How) (*operand.Opened, error), p place.Place,
	how operand.How) (*openedSource, error) {
	o, err := find(ctx, p, how)
	if err != nil {
		return nil, err
	}
	src, err := o.Array(ctx)
	if err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return &openedSource{Opened: o, src: src}, nil
}

// openSource opens an array of any format for a verb.
func (std *streams) openSource(ctx context.Context, p place.Place, verb string, how operand.How) (*openedSource, error) {
	o, err := std.open(ctx, p, how)
	if err == nil && o.src == nil {
		err = errors.Join(plainFrame(p, verb), o.Close())
	}
	return o, err
}

func plainFrame(p place.Place, verb string) error {
	return fmt.Errorf("%s is a plain frame: %s needs an array", p, verb)
}

// items returns the array as it is stored.
func (o *openedSource) items() ndarray.Source {
	if o.stored != nil {
		return o.stored
	}
	return o.src
}

// expand replaces patterns among operands by what they stand for.
func (std *streams) expand(ctx context.Context, operands []string) ([]string, error) {
	all, err := std.at.Expand(ctx, operands)
	if errors.Is(err, path.ErrBadPattern) {
		return nil, usagef("%v", err)
	}
	return all, err
}

// inAnyOrder says that an array is read in any order, by some workers.
func inAnyOrder(workers int) operand.How { return operand.How{AnyOrder: true, Workers: workers} }

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

// noteLoss says which errors rounding has made.
func (std *streams) noteLoss(key string, e ndarray.LossErrors) {
	said := loss.Said(e)
	if said == "" || std.quiet {
		return
	}
	if strings.Trim(key, "/") != "" {
		said = key + ": " + said
	}
	std.Complain(said)
}

// withLoss is noteLoss for a copy that has been made, unless it has failed.
func (std *streams) withLoss(err error, o *ndarray.CopyOptions) error {
	if err == nil && o.Loss.Largest != nil {
		std.noteLoss("", *o.Loss.Largest)
	}
	return err
}

// noteExact says, once, that an array is not rounded, and why.
func (std *streams) noteExact(key string, why error) {
	if std.exact[key] || std.quiet || errors.Is(why, loss.ErrExact) {
		return
	}
	if std.exact == nil {
		std.exact = map[string]bool{}
	}
	std.exact[key] = true
	std.Complain(fmt.Sprintf("%s stays exact: %v", key, why))
}

// noteValues notes that values were written, and not the items.
func (std *streams) noteValues(m *cf.Meaning, key string) {
	if m == nil || m.Note() == "" || std.quiet {
		return
	}
	of := ""
	if strings.Trim(key, "/") != "" {
		of = " of " + key
	}
	std.Complain("wrote values" + of + ": " + m.Note() + "; -raw writes items")
}

// plain reports whether the arrays that are data are not compressed.
func (w *wholeFile) plain(ctx context.Context) bool {
	return !slices.ContainsFunc(w.meant, func(key string) bool {
		src, err := w.Near(ctx, key)
		if err != nil {
			return true // whoever reads it says why
		}
		defer operand.CloseSource(src)
		return !formats.IsPlain(src)
	})
}
