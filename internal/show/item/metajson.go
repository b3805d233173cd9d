package item

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/cairn-go/cairn/internal/msgpack"
	"github.com/cairn-go/cairn/meta"
)

// WriteMeta writes what [Meta] makes of packed values as JSON, with maps in the order of their
// pairs, and nothing if they are damaged. Each write has whole tokens, and all of it takes next to
// no memory.
func WriteMeta(to io.Writer, packed []byte) error {
	check := msgpack.NewReader(packed)
	check.Skip(0)
	if check.Err() == nil && check.Len() > 0 {
		check.Failf(check.Pos(), "%d bytes after the value", check.Len())
	}
	if err := check.Err(); err != nil {
		return err
	}

	w := jsonWriter{Reader: msgpack.NewReader(packed), packed: packed, to: to}
	w.value(0)
	if err := w.Err(); err != nil {
		return err
	}
	w.flush()
	return w.failed
}

// tupleMarker is the first element of what python-blosc2 writes for a tuple; see [meta.Tuple].
const tupleMarker = "__tuple__"

type jsonWriter struct {
	msgpack.Reader
	packed []byte
	dst    []byte // what has not been written
	to     io.Writer
	failed error // of a write
}

// flushBytes are written at a time.
const flushBytes = 32 << 10

func (w *jsonWriter) flush() {
	if w.failed == nil {
		_, w.failed = w.to.Write(w.dst)
	}
	w.dst = w.dst[:0]
}

// next reports whether there is more to write of a list or map.
func (w *jsonWriter) next() bool {
	if len(w.dst) >= flushBytes {
		w.flush()
	}
	return w.Err() == nil && w.failed == nil
}

// value writes the next value, and returns its token.
func (w *jsonWriter) value(depth int) (t msgpack.Token) {
	if !w.Shallow(depth) {
		return t
	}
	if t = w.Next(); w.Err() != nil {
		return t
	}

	switch t.Kind {
	case msgpack.Array:
		w.list(t.Len, depth)
	case msgpack.Map:
		w.dst = append(w.dst, '{')
		for i := int64(0); i < t.Len && w.next(); i++ {
			if i > 0 {
				w.dst = append(w.dst, ',')
			}
			w.key(depth + 1)
			w.dst = append(w.dst, ':')
			w.value(depth + 1)
		}
		w.dst = append(w.dst, '}')
	default:
		w.leaf(t)
	}
	return t
}

func (w *jsonWriter) list(n int64, depth int) {
	w.dst = append(w.dst, '[')
	first := true

	for i := int64(0); i < n && w.next(); i++ {
		before := len(w.dst)
		if !first {
			w.dst = append(w.dst, ',')
		}

		if t := w.value(depth + 1); i == 0 && t.Kind == msgpack.String && string(t.Data) == tupleMarker {
			w.dst = w.dst[:before]
			continue
		}
		first = false
	}
	w.dst = append(w.dst, ']')
}

// key writes the next value as the name of a pair.
func (w *jsonWriter) key(depth int) {
	from := w.Pos()
	w.Skip(depth)
	if w.Err() != nil {
		return
	}

	budget := int64(64*(w.Pos()-from) + 1024)
	key, err := meta.UnpackWithin(w.packed[from:w.Pos()], &budget)
	if err != nil {
		w.Failf(from, "a key of a map: %v", err)
		return
	}

	text, ok := key.(string)
	if !ok {
		text = fmt.Sprint(key)
	}
	w.text([]byte(text))
}

func (w *jsonWriter) leaf(t msgpack.Token) {
	switch t.Kind {
	case msgpack.Nil:
		w.dst = append(w.dst, "null"...)
	case msgpack.Bool:
		w.dst = strconv.AppendBool(w.dst, t.Bool)
	case msgpack.Int:
		w.dst = strconv.AppendInt(w.dst, t.Int, 10)
	case msgpack.Uint:
		w.dst = strconv.AppendUint(w.dst, t.Uint, 10)
	case msgpack.Float32, msgpack.Float64:
		w.float(t.Float)
	case msgpack.String:
		w.text(t.Data)
	case msgpack.Bytes:
		w.base64(t.Data)

	case msgpack.Ext:
		w.dst = append(w.dst, `{"data":`...)
		w.base64(t.Data)
		w.dst = append(w.dst, `,"ext":`...)
		w.dst = append(strconv.AppendInt(w.dst, int64(t.Type), 10), '}')
	}
}

func (w *jsonWriter) base64(data []byte) {
	w.dst = append(w.dst, '"')
	w.dst = base64.StdEncoding.AppendEncode(w.dst, data)
	w.dst = append(w.dst, '"')
}

func (w *jsonWriter) float(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		w.dst = fmt.Appendf(w.dst, "%q", fmt.Sprint(f))
		return
	}
	text, _ := json.Marshal(f) // finite numbers have no errors
	w.dst = append(w.dst, text...)
}

// text writes a text as package encoding/json does, but for characters of HTML.
func (w *jsonWriter) text(text []byte) {
	const hex = "0123456789abcdef"
	w.dst = append(slices.Grow(w.dst, len(text)+2), '"')

	for _, r := range string(text) {
		switch {
		case r == '"' || r == '\\':
			w.dst = append(w.dst, '\\', byte(r))
		case r == '\b':
			w.dst = append(w.dst, `\b`...)
		case r == '\f':
			w.dst = append(w.dst, `\f`...)
		case r == '\n':
			w.dst = append(w.dst, `\n`...)
		case r == '\t':
			w.dst = append(w.dst, `\t`...)
		case r == '\r':
			w.dst = append(w.dst, `\r`...)
		case r < 0x20:
			w.dst = append(w.dst, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			w.dst = append(w.dst, string(r)...)
		}
	}
	w.dst = append(w.dst, '"')
}
