package store

import (
	"fmt"
	"path"
	"strings"

	"github.com/cairn-go/cairn"
)

// cleanKey returns a key in its one form: with a slash in front and none behind. The root is "/".
// It fails with [cairn.ErrBounds] for what no store can hold.
func cleanKey(key string) (string, error) {
	if !strings.HasPrefix(key, "/") {
		key = "/" + key
	}
	if len(key) > 1 {
		key = strings.TrimSuffix(key, "/")
	}
	switch {
	case strings.Contains(key, "//"):
		return "", fmt.Errorf("key %q has slashes with nothing in between: %w", key, cairn.ErrBounds)
	case strings.ContainsAny(key, ":\x00\n\r\t"):
		return "", fmt.Errorf("key %q has a character that keys cannot have: %w", key, cairn.ErrBounds)
	case path.Clean(key) != key:
		return "", fmt.Errorf("key %q has an element that is a dot or two: %w", key, cairn.ErrBounds)
	}
	return key, nil
}

// AttributesName is the last element of the key of a frame that holds the attributes of the group
// that it is in.
const AttributesName = "__vlmeta__"

// hidden reports whether a key is no leaf of the tree but belongs to a group.
func hidden(key string) bool { return path.Base(key) == AttributesName }

// isBelow reports whether a key is below a group.
func isBelow(key, group string) bool {
	return group == "/" && key != "/" || strings.HasPrefix(key, group+"/")
}

// checkListed refuses a store that lists a leaf in a place that no folder has: whoever makes paths
// of keys should not be led out of the folder that they are in, nor walk through groups without
// end.
func checkListed(leaves []Leaf) error {
	for i := range leaves {
		switch key := leaves[i].Key; {
		case path.Clean(key) != key:
			return cairn.Corruptf("store", -1, "the key %.100q leads to another place", key)
		case strings.Count(key, "/") > mostDepth:
			return fmt.Errorf("the key %.100q is more than %d groups deep: %w", key, mostDepth, cairn.ErrLimit)
		}
	}
	return nil
}
