package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/loss"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/shellwords"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/cf/joins"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

func appendVerb(set *flag.FlagSet) action {
	axis := set.String("axis", "0", "append along `AXIS`: "+axisUsage)
	raw := set.Bool("raw", false, "append the items as they are stored, without a look at what they stand for")
	workers := set.Int("workers", 0, workersUsage)

	return func(ctx context.Context, std *streams, operands []string) error {
		if len(operands) < 2 {
			return wantOperands(operands, "FILE", "IN…")
		}
		in, err := std.expand(ctx, operands[1:])
		if err != nil {
			return err
		}

		to := targetOf(operands[0])
		if err := std.willWrite(to); err != nil {
			return err
		}

		a := appender{std: std, to: to, in: place.All(in), axis: *axis, raw: *raw, workers: *workers}
		if done, err := a.intoFile(ctx); done {
			return err
		}
		return std.onlyRead(ctx, to.Place, a.run(ctx), func(name string) string {
			return fmt.Sprintf("cairn concat %s IN… OUT joins to a new file", shellwords.Quote(name))
		})
	}
}

// onlyRead returns the error of a change of an operand: for a file of another format that says what
// it is, and what makes a new one instead.
func (std *streams) onlyRead(ctx context.Context, p place.Place, err error, instead func(name string) string) error {
	if err == nil || p.Far() {
		return err
	}
	f, other := std.at.Open(ctx, p, operand.How{AnyOrder: true, Frames: true})
	if other != nil {
		return err
	}
	defer f.Close()
	if !f.Foreign() {
		return err
	}
	return fmt.Errorf("%s is %s, which cairn reads and does not change; %s: %w", f.Name, f.Is(&f.Format),
		instead(p.String()), cairn.ErrUnsupported)
}

// An appender appends arrays to one.
type appender struct {
	std     *streams
	to      target
	in      []place.Place
	axis    string
	raw     bool
	workers int
	bytes   int64 // of all items, until it has been looked whether they fit
}

// run appends the items, and in a store the coordinates of the dimension.
func (a *appender) run(ctx context.Context) error {
	key := a.to.Key
	if !a.to.Keyed {
		return a.std.changeShape(ctx, a.to.Place, a.workers, func(u *ndarray.Untyped) error {
			more, err := a.prepare(ctx, u, nil)
			if err != nil {
				return err
			}
			defer more.close()
			return a.write(ctx, u, more)
		})
	}

	if err := errors.Join(checkWorkers(a.workers), notInTable(a.to.Place)); err != nil {
		return err
	}

	return edit(a.to.Place, a.workers, func(e *store.Editor) error {
		there := &neighbours{editor: e, own: key}
		more, err := a.prepareLeaf(ctx, there, key)
		if err != nil {
			return err
		}
		defer more.close()
		if err := e.Change(ctx, key, func(u *ndarray.Untyped) error { return a.write(ctx, u, more) }); err != nil {
			return err
		}

		if there.key == "" || len(more.Coordinates) == 0 || there.ahead > 0 {
			return nil
		}
		return e.Change(ctx, there.key, func(u *ndarray.Untyped) error {
			return a.grow(ctx, u, there.key, 0, more.Coordinates[0].Source)
		})
	})
}

// An addition is what is appended: open, and in the form of the array.
type addition struct {
	*joins.Joined
	joinInputs
	names []string
	raw   []ndarray.Source // the inputs as they are
}

// prepare opens what is appended to an array, whose coordinates lookup finds.
func (a *appender) prepare(ctx context.Context, u ndarray.Source, lookup coords.Lookup) (*addition, error) {
	to := coords.New(u, lookup)
	at, err := axisOf(ctx, a.axis, to)
	if err != nil {
		return nil, err
	}

	more := &addition{joinInputs: joinInputs{std: a.std, verb: "append", workers: a.workers, axis: at}}
	var inputs []joins.Input
	for _, p := range a.in {
		in, src, err := more.input(ctx, p)
		if err != nil {
			more.close()
			return nil, err
		}
		if err := checkAppended(in, u.Shape(), at); err != nil {
			more.close()
			return nil, err
		}
		inputs = append(inputs, in)
		more.raw, more.names = append(more.raw, src), append(more.names, in.Name)
	}

	more.Joined, err = joins.Append(ctx, joins.Input{Name: a.to.String(), Array: to}, inputs, at, a.raw)
	if err != nil {
		more.close()
		return nil, more.hintRaw(err)
	}

	for i, p := range a.in {
		if p.Kind == place.Standard && !p.Keyed && !more.Same[i] {
			more.close()
			return nil, fmt.Errorf("%s; write standard input to a file first, so that it can be converted: %w",
				strings.Join(more.Notes, "; "), cairn.ErrUnsupported)
		}
	}

	for _, note := range more.Notes {
		a.std.Complain(note)
	}
	return more, nil
}

// checkAppended fails if an input has another shape than what can be appended along an axis.
func checkAppended(in joins.Input, shape ndarray.Shape, at int) error {
	more := in.Array.View.Shape()
	if len(more) == len(shape) {
		across := slices.Clone(more)
		across[at] = shape[at]
		named := in.Array.Axes[at].Name != "" // which may align them in another order
		if named || slices.Equal(across, shape) {
			return nil
		}
	}
	return fmt.Errorf("%s has shape %v, which does not fit an array of %v along axis %d", in.Name, more, shape, at)
}

// write appends all items.
func (a *appender) write(ctx context.Context, u *ndarray.Untyped, more *addition) error {
	for _, part := range more.Parts {
		a.bytes += described.Bytes(part)
	}
	for i, name := range more.names {
		src := more.Parts[i]
		if more.Same[i] {
			src = more.raw[i]
		}
		if err := a.grow(ctx, u, name, more.axis, src); err != nil {
			return err
		}
	}
	return nil
}

// grow appends the items of a source along an axis, and holds a bounded number of them at a time.
func (a *appender) grow(ctx context.Context, u *ndarray.Untyped, name string, at int, src ndarray.Source) error {
	src, rounded, err := loss.Like(src, u)
	if err != nil {
		return err
	}
	shape := u.Shape()
	origin := make([]int64, len(shape))
	origin[at] = shape[at]
	shape[at] += src.Shape()[at]
	if err := u.Resize(ctx, shape, nil); err != nil {
		err = naming.Without("resize", err) // the user asked for an append
		return naming.Call("append", name, err)
	}

	if a.bytes > 0 {
		level := u.Info().Level
		if level == 0 {
			level = chunk.Stored
		}
		a.std.noteSpace(a.to.Place, a.bytes, level)
		a.bytes = 0
	}

	bar := a.std.newBar("appender", described.Bytes(src))
	defer bar.Close()
	l := loader{name: name, workers: a.workers, tempDir: a.to.folder(), progress: bar.Follow()}
	if err := l.load(ctx, u, origin, src); err != nil || rounded == nil {
		return err
	}
	a.std.noteLoss(name, rounded.Errors())
	return nil
}

// prepareLeaf is prepare for an array of a store, whose coordinates are near it.
func (a *appender) prepareLeaf(ctx context.Context, there *neighbours, key string) (*addition, error) {
	u, err := there.editor.Array(ctx, key)
	if err != nil {
		return nil, err
	}
	there.open = append(there.open, u)
	defer there.close()
	to := coords.New(u, there.lookup)
	at, err := axisOf(ctx, a.axis, to)
	if err != nil {
		return nil, err
	}
	there.along = to.Axes[at].Name
	there.len = u.Shape()[at]
	more, err := a.prepare(ctx, u, there.lookup)
	if err != nil || there.ahead == 0 || len(more.Coordinates) == 0 {
		return more, err
	}

	// They have grown with another array already.
	next := more.Coordinates[0].Source
	n := min(next.Shape()[0], there.ahead)
	same, err := sameCoordinates(ctx, there.full.Slice(ndarray.Range(there.len, there.len+n)),
		ndarray.ViewOf(next).Slice(ndarray.Range(0, n)))
	if err == nil && (!same || n < next.Shape()[0]) {
		err = fmt.Errorf("the coordinates of %s in %s go on with other values than those of what is appended",
			there.along, a.to)
	}
	if err != nil {
		more.close()
		return nil, err
	}
	return more, nil
}

// neighbours are the arrays of a store with the coordinates of one that grows.
type neighbours struct {
	editor *store.Editor
	own    string // the key of the array
	along  string // the dimension that grows
	len    int64  // of it
	key    string // of its coordinates, or ""
	full   ndarray.UntypedView
	ahead  int64 // items that the coordinates have already
	open   []*ndarray.Untyped
}

// lookup opens the coordinates of a dimension, in the group of the array or one around it.
func (n *neighbours) lookup(ctx context.Context, name string) (ndarray.Source, error) {
	return coords.Near(n.own, func(ctx context.Context, key string) (ndarray.Source, error) {
		u, err := n.editor.Array(ctx, key)
		if err != nil {
			return nil, err
		}
		n.open = append(n.open, u)

		if name != n.along || len(u.Shape()) != 1 || u.Shape()[0] < n.len {
			return u, nil
		}
		n.key = key
		n.full = u.View()
		n.ahead = u.Shape()[0] - n.len
		return n.full.Slice(ndarray.Range(0, n.len)), nil
	})(ctx, name)
}

func (n *neighbours) close() {
	for _, u := range n.open {
		_ = u.Close()
	}
	n.open = nil
}

func resizeVerb(set *flag.FlagSet) action {
	fill := set.String("fill", "zeros",
		"`VALUE` of new items: zeros, nan, a number, true, false, or the bytes of an item as 0x…; "+
			"zeros by default")
	workers := set.Int("workers", 0, workersUsage)
	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "FILE", "SHAPE"); err != nil {
			return err
		}

		value, err := parseFill(*fill)
		if err != nil {
			return err
		}
		shape, err := parseExtents("SHAPE", operands[1])
		if err != nil {
			return err
		}

		to := targetOf(operands[0])
		if err := std.willWrite(to); err != nil {
			return err
		}

		err = std.changeShape(ctx, to.Place, *workers, func(u *ndarray.Untyped) error {
			return u.Resize(ctx, shape, &ndarray.ResizeOptions{Fill: value})
		})
		return std.onlyRead(ctx, to.Place, err, func(name string) string {
			return fmt.Sprintf("cairn copy %s OUT makes an array that can be resized", shellwords.Quote(name))
		})
	}
}
