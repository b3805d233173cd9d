package store

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// Texts reads the rows [from, to) of a TextColumn or a DictionaryColumn. Row numbers count deleted
// rows too. missing[i] is true, and texts[i] empty, if row from+i has no value.
func (s *Store) Texts(ctx context.Context, c *Column, from, to int64) (texts []string, missing []bool, err error) {
	switch c.Encoding {
	case TextColumn:
		texts, missing, err = s.spans(ctx, c, from, to)
	case DictionaryColumn:
		texts, missing, err = s.words(ctx, c, from, to)
	default:
		err = s.fail("read", c.Leaf, fmt.Errorf("a column of %s is no text: %w", c.Type, cairn.ErrType))
	}

	if err == nil && c.Mask != "" && len(texts) > 0 {
		err = s.mask(ctx, c, from, texts, missing)
	}
	if err != nil {
		return nil, nil, err
	}
	return texts, missing, nil
}

// spans reads the texts of a TextColumn.
func (s *Store) spans(ctx context.Context, c *Column, from, to int64) (texts []string, missing []bool, err error) {
	if from < 0 || to < from {
		return nil, nil, s.fail("read", c.Leaf, fmt.Errorf("rows %d to %d: %w", from, to, cairn.ErrBounds))
	}
	ends, err := readItems[int64](ctx, s, c.Leaf, from, to+1)
	if err != nil {
		return nil, nil, err
	}

	first := ends[0]
	last := ends[len(ends)-1]
	for i := 1; i < len(ends); i++ {
		if ends[i] < ends[i-1] || first < 0 {
			err := cairn.Corruptf("column", -1, "text %d ends before it begins", from+int64(i)-1)
			return nil, nil, s.fail("read", c.Leaf, err)
		}
	}

	if limit := s.options.Limits.WithDefaults().MaxAlloc; last-first > limit {
		err := fmt.Errorf("%d bytes of text, at most %d are read at once: %w", last-first, limit, cairn.ErrLimit)
		return nil, nil, s.fail("read", c.Leaf, err)
	}

	var data []byte
	if first < last {
		if data, err = readItems[uint8](ctx, s, c.Extra, first, last); err != nil {
			return nil, nil, err
		}
	}

	null, hasNull := c.Null.(string)
	texts = make([]string, len(ends)-1)
	missing = make([]bool, len(ends)-1)
	for i := range texts {
		texts[i] = string(data[ends[i]-first : ends[i+1]-first])
		missing[i] = c.Nullable == NullValue && hasNull && texts[i] == null
	}
	return texts, missing, nil
}

// words reads the texts of a DictionaryColumn.
func (s *Store) words(ctx context.Context, c *Column, from, to int64) (texts []string, missing []bool, err error) {
	codes, err := readItems[int32](ctx, s, c.Leaf, from, to)
	if err != nil {
		return nil, nil, err
	}

	var dictionary []string
	for v, err := range s.Values(ctx, c.Extra) {
		if err != nil {
			return nil, nil, err
		}
		word, ok := v.(string)
		if !ok {
			err := cairn.Corruptf("column", -1, "word %d is %T, no text", len(dictionary), v)
			return nil, nil, s.fail("read", c.Extra, err)
		}
		dictionary = append(dictionary, word)
	}

	null, hasNull := c.Null.(float64) // JSON numbers are float64
	texts = make([]string, len(codes))
	missing = make([]bool, len(codes))
	for i, code := range codes {
		switch {
		case c.Nullable == NullCode && hasNull && float64(code) == null:
			missing[i] = true
		case code < 0 || int(code) >= len(dictionary):
			err := cairn.Corruptf("column", -1, "row %d has word %d of %d", from+int64(i), code, len(dictionary))
			return nil, nil, s.fail("read", c.Leaf, err)
		default:
			texts[i] = dictionary[code]
		}
	}
	return texts, missing, nil
}

// mask applies the null mask of a column.
func (s *Store) mask(ctx context.Context, c *Column, from int64, texts []string, missing []bool) error {
	valid, err := readItems[bool](ctx, s, c.Mask, from, from+int64(len(texts)))
	if err != nil {
		return err
	}
	for i := range texts {
		missing[i] = !valid[i]
		if missing[i] {
			texts[i] = ""
		}
	}
	return nil
}

// readItems reads items of a leaf that is a one-dimensional array.
func readItems[T ndarray.Element](ctx context.Context, s *Store, key string, from, to int64) ([]T, error) {
	a, err := OpenAs[T](ctx, s, key)
	if err != nil {
		return nil, err
	}
	defer a.Close()

	if shape := a.Shape(); len(shape) != 1 || from < 0 || to < from || to > shape[0] {
		err := fmt.Errorf("items %d to %d of an array of shape %v: %w", from, to, shape, cairn.ErrBounds)
		return nil, s.fail("read", key, err)
	}

	items, err := a.Read(ctx, ndarray.Range(from, to))
	return items, s.fail("read", key, err)
}
