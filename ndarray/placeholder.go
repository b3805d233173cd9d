package ndarray

import (
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// placeholders are the metalayers by which python-blosc2 marks a frame that only stands for an array: it has shape and dtype, and chunks without content, since the
// items are worked out from other arrays, or fetched, when they are asked for (format: stores).
var placeholders = [...]string{"b2o", "LazyArray"}

// placeholder returns why the items of an array cannot be read, if the frame has none: zeros would be taken for data.
func placeholder(f layered) error {
	for _, name := range placeholders {
		content, err := f.Layer(name)
		if errors.Is(err, cairn.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		what := "a lazy array"
		if v, err := meta.Unpack(content); err == nil {
			if m, ok := v.(meta.Map); ok {
				if kind, ok := m.Get("kind"); ok {
					what = fmt.Sprintf("an array of kind %q", kind)
				}
			}
		}
		return fmt.Errorf("%s, which has no items of its own: python-blosc2 makes them when it reads: %w", what, cairn.ErrUnsupported)
	}
	return nil
}
