package store

import (
	"context"
	"fmt"
	"strconv"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// A Text is a value of a column of texts.
type Text struct {
	Text string
	Null bool // the row has no value
}

// Texts reads rows from up to to, of those that a table has places for, of a TextColumn or a DictionaryColumn.
func (s *Store) Texts(ctx context.Context, c *Column, from, to int64) ([]Text, error) {
	var texts []Text
	var err error
	switch c.Encoding {
	case TextColumn:
		texts, err = s.spans(ctx, c, from, to)
	case DictionaryColumn:
		texts, err = s.words(ctx, c, from, to)
	default:
		err = fmt.Errorf("%s: a column of %s is no text: %w", c.Leaf, c.Type, cairn.ErrType)
	}
	if err == nil && c.Mask != "" {
		err = s.mask(ctx, c, from, texts)
	}
	return texts, err
}

// spans reads texts that are ranges of bytes.
func (s *Store) spans(ctx context.Context, c *Column, from, to int64) ([]Text, error) {
	if from < 0 || to < from {
		return nil, fmt.Errorf("%s: rows %d to %d: %w", c.Leaf, from, to, cairn.ErrBounds)
	}
	ends, err := readItems[int64](ctx, s, c.Leaf, from, to+1)
	if err != nil {
		return nil, err
	}
	first, last := ends[0], ends[len(ends)-1]
	for i := 1; i < len(ends); i++ {
		if ends[i] < ends[i-1] || first < 0 {
			return nil, s.inLeaf(&Leaf{Key: c.Leaf}, cairn.Corruptf("column", -1, "text %d ends before it begins", from+int64(i)-1))
		}
	}
	if limit := s.options.Limits.WithDefaults().MaxAlloc; last-first > limit {
		return nil, fmt.Errorf("%s: %d bytes of text, at most %d are read at once: %w", c.Leaf, last-first, limit, cairn.ErrLimit)
	}
	var data []byte
	if first < last {
		if data, err = readItems[uint8](ctx, s, c.Extra, first, last); err != nil {
			return nil, err
		}
	}
	null, hasNull := c.Null.(string)
	texts := make([]Text, len(ends)-1)
	for i := range texts {
		texts[i].Text = string(data[ends[i]-first : ends[i+1]-first])
		texts[i].Null = c.Nullable == NullValue && hasNull && texts[i].Text == null
	}
	return texts, nil
}

// words reads texts that are numbers of a dictionary.
func (s *Store) words(ctx context.Context, c *Column, from, to int64) ([]Text, error) {
	codes, err := readItems[int32](ctx, s, c.Leaf, from, to)
	if err != nil {
		return nil, err
	}
	var dictionary []string
	for v, err := range s.Values(ctx, c.Extra) {
		if err != nil {
			return nil, err
		}
		word, ok := v.(string)
		if !ok {
			return nil, s.inLeaf(&Leaf{Key: c.Extra}, cairn.Corruptf("column", -1, "word %d is %T, no text", len(dictionary), v))
		}
		dictionary = append(dictionary, word)
	}
	null, hasNull := c.Null.(float64) // a number of JSON
	texts := make([]Text, len(codes))
	for i, code := range codes {
		switch {
		case c.Nullable == NullCode && hasNull && float64(code) == null:
			texts[i].Null = true
		case code < 0 || int(code) >= len(dictionary):
			return nil, s.inLeaf(&Leaf{Key: c.Leaf}, cairn.Corruptf("column", -1, "row %s has word %d of %d", strconv.FormatInt(from+int64(i), 10), code, len(dictionary)))
		default:
			texts[i].Text = dictionary[code]
		}
	}
	return texts, nil
}

// mask takes rows out that have no value.
func (s *Store) mask(ctx context.Context, c *Column, from int64, texts []Text) error {
	if len(texts) == 0 {
		return nil
	}
	valid, err := readItems[bool](ctx, s, c.Mask, from, from+int64(len(texts)))
	if err != nil {
		return err
	}
	for i := range texts {
		if !valid[i] {
			texts[i] = Text{Null: true}
		}
	}
	return nil
}

// readItems reads items of a leaf that is an array of one dimension.
func readItems[T ndarray.Element](ctx context.Context, s *Store, key string, from, to int64) ([]T, error) {
	u, err := s.Array(key)
	if err != nil {
		return nil, err
	}
	defer u.Close()
	a, err := ndarray.As[T](u)
	if err != nil {
		return nil, s.inLeaf(&Leaf{Key: key}, err)
	}
	if shape := a.Shape(); len(shape) != 1 || from < 0 || to < from || to > shape[0] {
		return nil, s.inLeaf(&Leaf{Key: key}, fmt.Errorf("items %d to %d of an array of shape %v: %w", from, to, shape, cairn.ErrBounds))
	}
	items, err := a.Read(ctx, ndarray.Range(from, to))
	return items, s.inLeaf(&Leaf{Key: key}, err)
}
