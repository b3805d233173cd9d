package store

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/errkind"
)

// cleanKey returns the canonical form of a key: with a leading slash and no trailing one. The root
// is "/". It fails with [cairn.ErrBounds] and [cairn.ErrInvalid] for keys that no store can hold.
// Others, such as those with line feeds, can be looked up, although no new leaf gets one.
func cleanKey(key string) (string, error) {
	clean, err := canonicalKey(key)
	return clean, errkind.Invalid(err)
}

func canonicalKey(key string) (string, error) {
	if !strings.HasPrefix(key, "/") {
		key = "/" + key
	}
	if len(key) > 1 {
		key = strings.TrimSuffix(key, "/")
	}

	switch {
	case strings.Contains(key, "//"):
		return "", fmt.Errorf("key %q has an empty element: %w", key, cairn.ErrBounds)
	case strings.Contains(key, "\x00"):
		return "", fmt.Errorf("key %q has a NUL: %w", key, cairn.ErrBounds)
	case path.Clean(key) != key:
		return "", fmt.Errorf("key %q has an element that is \".\" or \"..\": %w", key, cairn.ErrBounds)
	}
	return key, nil
}

// mostElement bounds the bytes of an element of a key, which is the name of a file without its
// extension.
const mostElement = 255 - len(".b2frame")

// CheckKey returns an error that matches [cairn.ErrBounds] and [cairn.ErrInvalid] unless a new leaf
// may have the key: text in UTF-8 without NUL, tab and line breaks, whose elements are neither
// empty nor "." nor "..", nor longer than the name of a file. These are the keys that python-blosc2
// takes.
func CheckKey(key string) error { return errkind.Invalid(checkKey(key)) }

func checkKey(key string) error {
	clean, err := cleanKey(key)
	switch {
	case err != nil:
		return err
	case clean == "/" || hidden(clean):
		return fmt.Errorf("key %q is reserved: %w", key, cairn.ErrBounds)
	case !utf8.ValidString(clean):
		return fmt.Errorf("key %q is not UTF-8: %w", key, cairn.ErrBounds)
	case strings.ContainsAny(clean, "\n\r\t"):
		return fmt.Errorf("key %q has a tab or a line break: %w", key, cairn.ErrBounds)
	}

	for element := range strings.SplitSeq(clean, "/") {
		if len(element) > mostElement {
			return fmt.Errorf("key %.40q… has an element of %d bytes, the most is %d: %w", key, len(element), mostElement,
				cairn.ErrBounds)
		}
	}
	return nil
}

// AttributesName is the last element of the key of the frame that holds the attributes of a group.
const AttributesName = "__vlmeta__"

// hidden reports whether a key is that of a frame of attributes, which is not a leaf of the tree.
func hidden(key string) bool { return path.Base(key) == AttributesName }

// isBelow reports whether a key is below a group.
func isBelow(key, group string) bool {
	return group == "/" && key != "/" || strings.HasPrefix(key, group+"/")
}
