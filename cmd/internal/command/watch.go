package command

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/bucketurl"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/cells"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/internal/show/rows"
	"github.com/cairn-go/cairn/internal/show/table"
	"github.com/cairn-go/cairn/internal/show/viewing"
)

// A watch follows an array that grows along its first dimension. It opens the array again each
// time, which takes no lock and finds arrays of any format as they are.
type watch struct {
	valueFlags
	std       *streams
	path      place.Place
	selection coords.Selection
	last      int64 // rows to show at first, and in a chart
	plot      bool

	seen   int64  // rows that were there; -1 before the first look
	drawn  int    // lines of the chart on the terminal
	chart  string // that was printed
	widths []int  // of columns
	failed int    // looks in a row that failed
}

// mostFailures is how many looks in a row may fail: other programs replace files, or write parts of
// them one after the other.
const mostFailures = 5

func watchVerb(set *flag.FlagSet) action {
	n := set.Int64("n", 0, "begin with the last `N` rows, or draw that many; 10 by default, 1000 with -plot")
	every := set.Duration("every", time.Second, "look every `DURATION`, such as 200ms or 1m; 1s by default")
	selection := set.String("s", "", selectionUsage)
	var f valueFlags
	f.declareValues(set)
	plot := set.Bool("plot", false, "draw the last rows, as view does, instead of printing new ones")

	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "PATH"); err != nil {
			return err
		}
		s, err := parseSelection(*selection)
		if err != nil {
			return err
		}

		p := place.Of(operands[0])
		const least, most = 10 * time.Millisecond, 24 * time.Hour
		switch {
		case *n < 0:
			return usagef("-n is %d, must not be negative", *n)
		case *every < least || *every > most:
			return usagef("-every is %v, must be %v to %v", *every, least, most)
		case p.Kind == place.Standard:
			return usagef("standard input does not grow; give a file")
		}
		if err := std.wantGrowing(p); err != nil {
			return err
		}

		w := &watch{std: std, path: p, valueFlags: f, selection: s, last: *n, plot: *plot, seen: -1}
		if w.last == 0 {
			if w.last = 10; w.plot {
				w.last = 1000
			}
		}

		ticks := std.ticks // of a test
		if ticks == nil {
			t := time.NewTicker(*every)
			defer t.Stop()
			ticks = t.C
		}
		return w.run(ctx, ticks)
	}
}

// wantGrowing fails for an operand that is somewhere else and cannot grow as one array: files there
// are replaced as a whole.
func (std *streams) wantGrowing(p place.Place) error {
	if !p.Far() {
		return nil
	}
	mark, err := std.at.Mark(p)
	if at, version := std.at.Version(p); version > 0 {
		return usagef("%s is one version; watch follows the array %s", p, at)
	}
	if err == nil && mark != bucketurl.AFrame {
		err = usagef("%s: watch follows files on this machine, and arrays in the layout of buckets", p)
	}
	return err
}

// run looks at the array at each tick, until it is interrupted.
func (w *watch) run(ctx context.Context, ticks <-chan time.Time) error {
	for {
		switch err := w.look(ctx); {
		case ctx.Err() != nil:
			return exitError(interruptedCode(ctx)) // as it should end
		case err == nil:
			w.failed = 0
		case w.seen < 0 || w.failed >= mostFailures || errors.As(err, new(*console.PrintError)):
			return err
		default:
			w.failed++
		}

		select {
		case <-ctx.Done():
			return exitError(interruptedCode(ctx))
		case _, more := <-ticks:
			if !more {
				return nil
			}
		}
	}
}

// look shows what is new.
func (w *watch) look(ctx context.Context) error {
	o, err := w.std.openSource(ctx, w.path, "watch", inAnyOrder(0))
	if err != nil {
		return err
	}
	defer o.Close()
	if err := w.values(o); err != nil {
		return err
	}

	part, err := o.part(ctx, w.selection)
	if err != nil {
		return err
	}
	if err := part.View.Err(); err != nil {
		return err
	}

	shape := part.View.Shape()
	if len(shape) == 0 {
		return fmt.Errorf("%s is a single item, without rows", console.OneLine(w.path.String()))
	}
	rows := shape[0]

	show := w.newRows
	if w.plot {
		show = w.picture
	}
	text, err := show(ctx, part, rows)
	if err != nil {
		return err
	}
	if text != "" {
		if err := w.std.Print(ctx, text); err != nil {
			return err
		}
	}

	w.seen = rows
	return nil
}

// news returns the new rows as text.
func (w *watch) newRows(ctx context.Context, part *coords.Array, rows int64) (string, error) {
	var b strings.Builder
	from := w.seen
	switch {
	case w.seen < 0:
		fmt.Fprintf(&b, "# %s %s\n", item.Shape(part.View.Shape()), console.OneLine(part.View.DType().String()))
		from = max(0, rows-w.last)
	case rows < w.seen:
		fmt.Fprintf(&b, "# now %s\n", item.Shape(part.View.Shape()))
		from = rows
	}

	const most = 1000 // rows at a time; of more, the last ones
	if rows-from > most {
		fmt.Fprintf(&b, "# %s left out\n", console.Count(rows-from-most, "row"))
		from = rows - most
	}
	if from == rows {
		return b.String(), nil
	}

	texts, err := w.texts(ctx, part, from, rows)
	if err != nil {
		return "", err
	}
	var labels []string
	if have, _ := part.Axes[0].HasCoordinates(ctx); have {
		labels, err = part.Axes[0].Texts(ctx, from, rows)
	}

	for i, row := range texts {
		label := fmt.Sprintf("[%d]", from+int64(i))
		if labels != nil && err == nil {
			label = console.OneLine(labels[i])
		}
		texts[i] = append([]string{label}, row...)

		for k, cell := range texts[i] { // columns only get wider, so that rows stay aligned
			if k == len(w.widths) {
				w.widths = append(w.widths, 0)
			}
			w.widths[k] = max(w.widths[k], table.Width(cell))
		}
	}

	for _, row := range texts {
		b.WriteString(w.line(row) + "\n")
	}
	return b.String(), nil
}

// texts returns the items of some rows as texts: as many of each as may fit a line.
func (w *watch) texts(ctx context.Context, part *coords.Array, from, to int64) ([][]string, error) {
	shape := part.View.Shape()
	start := make([]int64, len(shape))
	stop := make([]int64, len(shape))
	for d := range shape {
		stop[d] = min(1, shape[d])
	}
	start[0] = from
	stop[0] = to
	if last := len(shape) - 1; last > 0 {
		stop[last] = min(shape[last], int64(w.std.Width())/3+1)
	}

	d := part.View.DType()
	items := int64(1)
	for k := 1; k < len(shape); k++ {
		items *= stop[k]
	}

	size := int64(part.View.TypeSize())
	raw := make([]byte, (to-from)*items*size)
	if err := part.View.ReadBytes(ctx, raw, start, stop); err != nil {
		return nil, err
	}

	texts := make([][]string, to-from)
	for i := range texts {
		for range items {
			texts[i] = append(texts[i], console.OneLine(rows.Text(d, raw[:size])))
			raw = raw[size:]
		}
	}
	return texts, nil
}

// line aligns the cells of a row, and leaves out those that do not fit.
func (w *watch) line(cells []string) string {
	var b strings.Builder
	more := " " + w.std.Plain("…")
	used := 0

	for i, cell := range cells {
		if i > 0 {
			if used+2+w.widths[i]+table.Width(more) > w.std.Width() && i > 1 {
				b.WriteString(more)
				break
			}
			b.WriteString("  ")
			used += 2
		}
		b.WriteString(strings.Repeat(" ", w.widths[i]-table.Width(cell)) + cell)
		used += w.widths[i]
	}
	return b.String()
}

// picture returns a chart of the last rows, in place of the one before. It is empty if nothing has
// changed.
func (w *watch) picture(ctx context.Context, part *coords.Array, rows int64) (string, error) {
	if rows == 0 {
		return "", nil
	}

	first := max(0, rows-w.last)
	text := fmt.Sprint(first) + ":"
	if len(part.View.Shape()) > 2 {
		first = 0
		text = fmt.Sprint(rows - 1) // a picture shows one row
	}

	last, err := coords.Parse(text)
	if err != nil {
		return "", err
	}
	if part, err = part.Select(ctx, last); err != nil {
		return "", err
	}

	screen := w.std.Screen()
	o := &viewing.Options{FieldSize: screen.FieldSize, Points: screen.Points(), Reduce: viewing.Mean}
	subject := viewing.Subject{Name: nameOf(w.path), Place: console.OneLine(w.path.String()),
		Selection: console.OneLine(w.selection.String()), Array: part, First: first}
	c, err := viewing.Chart(ctx, []viewing.Subject{subject}, o)
	if err != nil {
		return "", err
	}

	c.Subtitle += "; " + console.Count(rows, "row")
	w.std.plainTitles(c)
	var out bytes.Buffer
	if err := cells.Write(&out, c, screen); err != nil {
		return "", err
	}
	if out.String() == w.chart {
		return "", nil
	}
	w.chart = out.String()

	before := ""
	if console.TerminalWidth(w.std.Out) > 0 && w.drawn > 0 {
		before = fmt.Sprintf("\x1b[%dA\r\x1b[J", w.drawn)
	}
	w.drawn = strings.Count(w.chart, "\n")
	return before + w.chart, nil
}
