package store

import (
	"fmt"
	"path"
	"strings"

	"github.com/cairn-go/cairn"
)

// cleanKey returns the canonical form of a key: with a leading slash and no trailing one. The root
// is "/". It fails with [cairn.ErrBounds] for keys that no store can hold.
func cleanKey(key string) (string, error) {
	if !strings.HasPrefix(key, "/") {
		key = "/" + key
	}
	if len(key) > 1 {
		key = strings.TrimSuffix(key, "/")
	}
	switch {
	case strings.Contains(key, "//"):
		return "", fmt.Errorf("key %q has an empty element: %w", key, cairn.ErrBounds)
	case strings.ContainsAny(key, ":\x00\n\r\t"):
		return "", fmt.Errorf("key %q has a character that keys cannot have: %w", key, cairn.ErrBounds)
	case path.Clean(key) != key:
		return "", fmt.Errorf("key %q has an element that is \".\" or \"..\": %w", key, cairn.ErrBounds)
	}
	return key, nil
}

// AttributesName is the last element of the key of the frame that holds the attributes of a group.
const AttributesName = "__vlmeta__"

// hidden reports whether a key is that of a frame of attributes, which is not a leaf of the tree.
func hidden(key string) bool { return path.Base(key) == AttributesName }

// isBelow reports whether a key is below a group.
func isBelow(key, group string) bool {
	return group == "/" && key != "/" || strings.HasPrefix(key, group+"/")
}

// checkListed refuses keys that contain ".." and the like, or that are nested too deep. Otherwise
// callers that turn keys into paths could be led out of their folder.
func checkListed(leaves []Leaf) error {
	for i := range leaves {
		switch key := leaves[i].Key; {
		case path.Clean(key) != key:
			return cairn.Corruptf("store", -1, "the key %.100q has an empty element or one that is \".\" or \"..\"", key)
		case strings.Count(key, "/") > maxDepth:
			return fmt.Errorf("the key %.100q is more than %d groups deep: %w", key, maxDepth, cairn.ErrLimit)
		}
	}
	return nil
}
