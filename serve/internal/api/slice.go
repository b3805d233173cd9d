package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/show/chart"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/internal/show/rows"
	"github.com/cairn-go/cairn/internal/show/viewing"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/serve/internal/limits"
)

// A format is a form of the items of a slice.
type format struct {
	kind      string // media type
	extension string
	memory    func(a *API, p *part) int64 // for making the answer, besides that for reading
	write     func(ctx context.Context, w io.Writer, p *part) error
}

// formats are the values of the parameter format.
var formats = map[string]format{
	"raw":  {"application/octet-stream", ".raw", streamed, writeRaw},
	"npy":  {"application/octet-stream", ".npy", streamed, writeNPY},
	"b2nd": {"application/octet-stream", ".b2nd", frameMemory, writeB2ND},
	"json": {"application/json", ".json", func(_ *API, p *part) int64 { return p.bytes + 200*p.items }, writeItems},
	"csv":  {"text/csv; charset=utf-8", ".csv", func(a *API, p *part) int64 { return streamed(a, p) + 2<<20 }, writeCSV},
	"png":  {"image/png", ".png", func(*API, *part) int64 { return 64 << 20 }, writePNG},
}

// piece is how many bytes of items are read at a time for an answer that is written piece by piece.
const piece = 8 << 20

// copyBytes is what making a large array in memory may take besides.
const copyBytes = 64 << 20

// frameMemory is for an array in memory and its bytes as a frame; a small one is read as a whole.
func frameMemory(_ *API, p *part) int64 { return 2*p.bytes + min(p.bytes+1<<20, copyBytes) }

func streamed(_ *API, p *part) int64 { return min(p.bytes, p.piece) + 1<<20 }

// Slice answers with items.
func (a *API) Slice(w http.ResponseWriter, r *http.Request, name string) error {
	q, err := query(r, "s", "format", "field", "download", "raw", "as")
	if err != nil {
		return err
	}

	text := q.Get("format")
	if text == "" {
		text = "raw"
	}

	f, ok := formats[text]
	if !ok {
		return Failed(http.StatusBadRequest, "format is "+strconv.Quote(text)+", must be raw, npy, b2nd, json, csv or png")
	}

	p, err := a.part(r.Context(), name, q)
	if err != nil {
		return err
	}
	defer p.release()
	p.piece = a.limits.Slow.Piece(r.Context(), piece)

	// A client that has the answer already needs no memory for it.
	tag := p.from.Version + "-" + hash(text, p.selection, q.Get("field"), q.Get("raw"), q.Get("as"))
	if notModified(w, r, tag) {
		return nil
	}

	if err := a.checkSize(text, p); err != nil {
		return err
	}

	ctx, done, err := p.from.Take(r.Context(), a.limits.Memory, f.memory(a, p))
	if err != nil {
		return err
	}
	defer done()

	return f.answer(w, r.WithContext(ctx), p, text)
}

// checkSize fails if the items of a part are too many for an answer.
func (a *API) checkSize(format string, p *part) error {
	const mostJSON = 1 << 20
	switch {
	case format == "png":
		return nil // its size does not depend on them
	case p.bytes > a.limits.Bytes:
		return fmt.Errorf("the selection has %d bytes, an answer at most %d; ask for less: %w", p.bytes, a.limits.Bytes,
			limits.ErrTooLarge)
	case format == "json" && p.items > mostJSON:
		return fmt.Errorf("the selection has %d items, JSON at most %d; ask for another format: %w", p.items, mostJSON,
			limits.ErrTooLarge)
	}
	return nil
}

// answer writes the header and the items.
func (f *format) answer(w http.ResponseWriter, r *http.Request, p *part, name string) error {
	head := w.Header()
	head.Set("Content-Type", f.kind)
	head.Set("X-Cairn-Shape", shapeText(p.View.Shape()))
	head.Set("X-Cairn-DType", littleEndian(p.View.DType(), name).String())

	disposition := "attachment"
	if name == "png" || name == "json" {
		disposition = "inline"
	}

	head.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": fileName(p, f.extension)}))

	switch name {
	case "raw":
		head.Set("Content-Length", strconv.FormatInt(p.bytes, 10))
	case "json":
		// An error while it is made still gets a status of its own.
		var b bytes.Buffer
		if err := f.write(r.Context(), &b, p); err != nil {
			return err
		}
		return writeText(w, r, b.Bytes())
	case "csv":
		head.Add("Vary", "Accept-Encoding")
		if acceptsGzip(r) {
			return f.writeGzip(w, r, p)
		}
	}

	if r.Method == http.MethodHead {
		return nil
	}
	return f.write(r.Context(), w, p)
}

// writeGzip writes an answer compressed, piece by piece.
func (f *format) writeGzip(w http.ResponseWriter, r *http.Request, p *part) error {
	compressed(w.Header())
	if r.Method == http.MethodHead {
		return nil
	}
	z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err := f.write(r.Context(), z, p); err != nil {
		return err
	}
	return z.Close()
}

func shapeText(shape ndarray.Shape) string {
	texts := make([]string, len(shape))
	for i, n := range shape {
		texts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(texts, ",")
}

// fileName returns a name for what is downloaded: that of the array, and the selection.
func fileName(p *part, extension string) string {
	name := path.Base(p.from.Path)
	name = strings.TrimSuffix(name, path.Ext(name))
	keep := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.=", r) || r > 127 {
			return r
		}
		return '_'
	}

	if s := strings.ReplaceAll(p.selection, " ", ""); s != "" && len(s) < 60 {
		name += "_" + s
	}
	return strings.Map(keep, name) + extension
}

// writeRaw writes items in C order, numbers in little-endian order.
func writeRaw(ctx context.Context, w io.Writer, p *part) error {
	if unit := swapped(p.View.DType()); unit > 1 {
		w = &swapper{w, unit}
	}
	return npy.Write(ctx, w, p.View, &npy.SaveOptions{Raw: true, Memory: p.piece})
}

func writeNPY(ctx context.Context, w io.Writer, p *part) error {
	return npy.Write(ctx, w, p.View, &npy.SaveOptions{Memory: p.piece})
}

// writeB2ND writes an array with the chunks that suit its shape, compressed quickly.
func writeB2ND(ctx context.Context, w io.Writer, p *part) error {
	made, err := inMemory(ctx, p)
	if err != nil {
		return err
	}
	defer made.Close()

	_ = made.SetLabels(labelsOf(p))
	if err := made.Commit(ctx); err != nil {
		return err
	}

	frame, err := made.Bytes()
	if err != nil {
		return err
	}

	_, err = w.Write(frame)
	return err
}

// inMemory returns a part as an array in memory. A copy has workers of its own, and memory for
// them, which for small parts is more than the items and not shared with other requests.
func inMemory(ctx context.Context, p *part) (*ndarray.Untyped, error) {
	if p.bytes > piece || p.View.DType().Kind() == 0 {
		return ndarray.Copy(ctx, p.View, &ndarray.CopyOptions{AutoShapes: true, Codec: codecs.Zstd, Level: 1,
			Memory: copyBytes})
	}

	items, err := p.View.Read(ctx)
	if err != nil {
		return nil, err
	}

	shape := p.View.Shape()
	made, err := ndarray.NewUntyped(p.View.DType().String(), shape, &ndarray.Options{Codec: codecs.Zstd, Level: 1, Workers: 1})
	if err != nil {
		return made, err
	}

	err = made.WriteBox(ctx, items, make([]int64, len(shape)), shape)
	return made, err
}

// labelsOf returns the labels of a part.
func labelsOf(p *part) ndarray.Labels {
	l := ndarray.Labels{Attributes: p.Attributes}
	for _, axis := range p.Axes {
		l.Dims = append(l.Dims, axis.Name)
	}
	if strings.Join(l.Dims, "") == "" {
		l.Dims = nil
	}
	return l
}

// writeItems writes the items as lists in lists.
func writeItems(ctx context.Context, w io.Writer, p *part) error {
	raw, err := p.View.Read(ctx)
	if err != nil {
		return err
	}
	values := nested(p.View.DType(), p.View.TypeSize(), p.View.Shape(), raw)
	_, err = w.Write(encode(map[string]any{"shape": p.View.Shape(), "dtype": p.View.DType().String(), "values": values}))
	return err
}

func nested(d meta.DType, size int, shape ndarray.Shape, raw []byte) any {
	if len(shape) == 0 {
		return item.JSON(d, raw)
	}
	list := make([]any, shape[0])
	for i := range list {
		n := len(raw) / len(list)
		list[i] = nested(d, size, shape[1:], raw[i*n:][:n])
	}
	return list
}

func writeCSV(ctx context.Context, w io.Writer, p *part) error {
	printer := rows.Printer{W: w, Array: p.Array, Name: strings.TrimSuffix(path.Base(p.from.Path), path.Ext(p.from.Path))}
	return printer.CSV(ctx, p.items, false)
}

// writePNG draws a chart, as the verb view does.
func writePNG(ctx context.Context, w io.Writer, p *part) error {
	o := &viewing.Options{FieldSize: chart.FieldSize, Points: chart.Points, Bars: 60, Grid: 1}
	c, err := viewing.Chart(ctx, []viewing.Subject{{Name: path.Base(p.from.Path), Place: p.from.Path,
		Selection: p.selection, Array: p.Array}}, o)
	if err != nil {
		return err
	}
	return c.Draw().WritePNG(w)
}
