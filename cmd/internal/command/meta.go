package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	pathpkg "path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/shellwords"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/waiting"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/internal/suggest"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/store"
)

// maxRawValue bounds values from standard input, as trailers do.
const maxRawValue = 1 << 30

func metaVerb(set *flag.FlagSet) action {
	raw := set.Bool("raw", false, "values are raw bytes, not JSON")

	return func(ctx context.Context, std *streams, operands []string) error {
		if len(operands) == 0 {
			return usagef("no get, set or rm given")
		}

		what := operands[0]
		operands = operands[1:]
		switch {
		case what == "get" && len(operands) == 1 && !*raw:
			return listMeta(ctx, std, operands[0])
		case what == "get":
			if err := wantOperands(operands, "FILE", "NAME"); err != nil {
				return err
			}
			return printMeta(ctx, std, operands[0], operands[1], *raw)
		case what == "set":
			if err := wantOperands(operands, "FILE", "NAME", "VALUE"); err != nil {
				return err
			}
			value, err := metaValue(ctx, std, operands[2], *raw)
			if err != nil {
				return err
			}
			return std.changeMeta(ctx, operands[0], func(f *frame.Frame) error { return f.SetVL(operands[1], value) },
				func(c formats.Changer, key string) error {
					v, err := meta.Unpack(value)
					if *raw || err != nil {
						return usagef("-raw is for metalayers, which %s has none of", operands[0])
					}
					return c.SetAttribute(ctx, key, operands[1], v)
				})
		case what == "rm":
			if err := wantOperands(operands, "FILE", "NAME"); err != nil {
				return err
			}
			return std.changeMeta(ctx, operands[0], func(f *frame.Frame) error { return f.DeleteVL(operands[1]) },
				func(c formats.Changer, key string) error { return c.DeleteAttribute(ctx, key, operands[1]) })
		}
		return usagef("unknown action %q: want get, set or rm%s", what,
			suggest.Question(what, []string{"get", "set", "rm"}))
	}
}

// changeMeta changes the metalayers of what can be changed in place: a file, or an array in a
// bucket; or else the attributes of an object of a file of another format.
func (std *streams) changeMeta(ctx context.Context, name string, change func(f *frame.Frame) error,
	other func(c formats.Changer, key string) error) error {
	p := place.Of(name)
	instead := fmt.Sprintf("'cairn copy %s OUT' makes a file whose metalayers can be changed", shellwords.Quote(name))
	switch p.Kind {
	case place.Standard:
		return usagef("%s is standard input, which is only read; %s", name, instead)
	case place.Web:
		return fmt.Errorf("%s is on a web server, which only reads; %s: %w", name, instead, cairn.ErrReadOnly)
	}
	done, err := std.changeOther(ctx, p, func(c formats.Changer) error { return other(c, cmp.Or(p.Key, "/")) })
	if done {
		return err
	}
	return std.changeFrame(ctx, p, change)
}

// changeOther changes a file of another format in place. It reports false for formats that are not.
func (std *streams) changeOther(ctx context.Context, p place.Place, change func(c formats.Changer) error) (bool, error) {
	if p.Far() || p.Kind == place.Standard {
		return false, nil
	}
	f, other := std.at.Open(ctx, p.Whole(), operand.How{AnyOrder: true, Frames: true})
	if other != nil {
		return false, nil // what opens it says what is wrong
	}
	open := f.Format.Change
	if err := f.Close(); open == nil || err != nil {
		return err != nil, err
	}

	c, err := open(p.Name)
	if err != nil {
		return true, err
	}
	if err := change(c); err != nil {
		return true, errors.Join(err, c.Abort())
	}
	return true, c.Close()
}

// attributesOf returns the attributes of an array or a group of another format as layers. It
// reports false for formats that have none.
func (std *streams) attributesOf(ctx context.Context, path string) (list []meta.Layer, ok bool, err error) {
	p := place.Of(path)
	if p.Kind == place.Standard {
		return nil, false, nil
	}
	o, err := std.at.Open(ctx, p, operand.How{AnyOrder: true, Frames: true, Workers: 1})
	if err != nil {
		return nil, false, err
	}
	defer o.Close()
	if !o.Foreign() || !o.Format.Attributes {
		return nil, false, nil
	}

	attributes, err := o.Tree.Attributes(ctx, cmp.Or(o.Key, "/"))
	for _, p := range attributes {
		packed, failed := meta.Pack(p.Value)
		if failed != nil {
			return nil, true, fmt.Errorf("attribute %q: %w", p.Key, failed)
		}
		list = append(list, meta.Layer{Name: fmt.Sprint(p.Key), Content: packed})
	}
	return list, true, err
}

// withMeta calls use with the frame that has the metalayers of a path; for a group of a store, that
// is the frame with its attributes.
func (std *streams) withMeta(ctx context.Context, path string, use func(f *frame.Frame) error) error {
	o, err := std.at.Open(ctx, place.Of(path), operand.How{AnyOrder: true, Frames: true, Workers: 1})
	if err != nil {
		return err
	}
	defer o.Close()
	if s := o.Store(); s != nil {
		f, err := s.Frame(cmp.Or(o.Key, "/"))
		if errors.Is(err, cairn.ErrNotFound) {
			group, failed := s.Frame(pathpkg.Join("/", o.Key, store.AttributesName))
			if failed != nil {
				return fmt.Errorf("%w, and no group with attributes", err)
			}
			f = group
			err = nil
		}
		if err != nil {
			return err
		}
		defer f.Close()
		return use(f)
	}

	if _, err := o.Array(ctx); err != nil {
		return err
	}
	if o.Frame() == nil {
		return fmt.Errorf("%s is %s, which has no metalayers: %w", o.Name, o.Format.Is, cairn.ErrUnsupported)
	}
	return use(o.Frame())
}

// listMeta prints all metalayers, a line for each.
func listMeta(ctx context.Context, std *streams, path string) error {
	var b strings.Builder
	budget := described.MaxLayers
	if list, ok, err := std.attributesOf(ctx, path); ok || err != nil {
		for _, text := range layerTexts(described.LayersOf(list, &budget)) {
			fmt.Fprintf(&b, "attr   %s\n", console.OneLine(text))
		}
		return errors.Join(err, std.Print(ctx, std.Hanging(b.String())))
	}
	err := std.withMeta(ctx, path, func(f *frame.Frame) error {
		vl, err := f.VLLayers()
		for _, list := range []struct {
			kind   string
			layers []meta.Layer
		}{{"fixed", f.Layers()}, {"vl", vl}} {
			if len(list.layers) == 0 {
				continue
			}
			for _, text := range layerTexts(described.LayersOf(list.layers, &budget)) {
				fmt.Fprintf(&b, "%-5s  %s\n", list.kind, console.OneLine(text))
			}
		}
		return err
	})

	if err != nil {
		return err
	}
	return std.Print(ctx, std.Hanging(b.String()))
}

// printMeta prints the value of the variable-length metalayer of a name or, if there is none, of
// the fixed one.
func printMeta(ctx context.Context, std *streams, path, name string, raw bool) error {
	content, err := metaContent(ctx, std, path, name)
	if err != nil {
		return err
	}

	if !raw {
		out := console.EscapingWriter{To: std.Output(ctx)}
		if err := item.WriteMeta(out, content); errors.Is(err, cairn.ErrCorrupt) {
			return fmt.Errorf("metalayer %q is not MessagePack; try -raw: %w", name, err)
		} else if err != nil {
			return err
		}
		content = []byte("\n")
	}
	_, err = std.Output(ctx).Write(content)
	return err
}

// metaContent returns the bytes of a metalayer, or the packed value of an attribute.
func metaContent(ctx context.Context, std *streams, path, name string) (content []byte, err error) {
	list, ok, err := std.attributesOf(ctx, path)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(list, func(l meta.Layer) bool { return l.Name == name }); i >= 0 {
		return list[i].Content, nil
	}
	if ok {
		return nil, fmt.Errorf("%s has no attribute %q: %w", path, name, cairn.ErrNotFound)
	}

	err = std.withMeta(ctx, path, func(f *frame.Frame) (err error) {
		content, err = f.VL(name)
		if errors.Is(err, cairn.ErrNotFound) {
			content, err = f.Layer(name)
		}
		return err
	})
	return content, err
}

// metaValue returns the bytes of a metalayer for an operand, or for standard input if that is "-":
// JSON as MessagePack, or raw bytes.
func metaValue(ctx context.Context, std *streams, text string, raw bool) ([]byte, error) {
	value := []byte(text)
	from := "VALUE"

	if text == "-" {
		var err error
		if value, err = io.ReadAll(io.LimitReader(waiting.Reader(ctx, std.at.In), maxRawValue)); err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		from = "standard input"
	}

	if raw {
		return value, nil
	}
	v, err := parseJSON(value)
	if err != nil {
		return nil, usagef("%s is not JSON: %v; strings need quotes", from, err)
	}
	return meta.Pack(v)
}

// parseJSON converts a JSON value to one of MessagePack. Objects keep their order; numbers
// without a fraction are integers if 64 bits hold them.
func parseJSON(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if !json.Valid(text) {
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			return nil, err
		}
	}
	return jsonNode(d)
}

// jsonNode reads the next value, of JSON that is known to be valid.
func jsonNode(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}

	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			object := meta.Map{}
			for d.More() {
				key, err := d.Token()
				if err != nil {
					return nil, err
				}
				v, err := jsonNode(d)
				if err != nil {
					return nil, err
				}

				// The last of several values for a key counts, as usual in JSON.
				object = slices.DeleteFunc(object, func(p meta.Pair) bool { return p.Key == key })
				object = append(object, meta.Pair{Key: key, Value: v})
			}
			_, err := d.Token()
			return object, err
		}

		list := []any{}
		for d.More() {
			v, err := jsonNode(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	case json.Number:
		if i, err := token.Int64(); err == nil {
			return i, nil
		}
		var u uint64
		if err := json.Unmarshal([]byte(token), &u); err == nil {
			return u, nil
		}
		return token.Float64()
	}
	return token, nil
}
