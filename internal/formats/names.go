package formats

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/naming"
)

// Key returns the key of an array in a tree: its name with a slash before each element. It keeps
// elements such as "..", which lead to other places.
func Key(name string) string {
	elements := slices.DeleteFunc(strings.Split(name, "/"), func(e string) bool { return e == "" })
	return "/" + strings.Join(elements, "/")
}

// zarrKey returns an error unless a Zarr store may have an array or a group of a key.
func zarrKey(key string) error {
	if !utf8.ValidString(key) {
		return fmt.Errorf("the name %q is not UTF-8: %w", key, cairn.ErrUnsupported)
	}

	for element := range strings.SplitSeq(strings.Trim(key, "/"), "/") {
		switch element {
		case "", ".", "..", "zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata":
			return fmt.Errorf("nothing in a Zarr store can be called %q: %w", element, cairn.ErrUnsupported)
		}
		if strings.Contains(element, "\x00") || len(element) > 255 {
			return fmt.Errorf("nothing in a Zarr store can be called %.40q: %w", element, cairn.ErrUnsupported)
		}
	}
	return nil
}

// npzKey returns an error unless an archive may have a member of a key, which programs then unpack
// below the folder of the archive.
func npzKey(key string) error {
	name := strings.Trim(key, "/")
	if name == "" {
		return nil // it becomes arr_0
	}
	if !utf8.ValidString(name) {
		return fmt.Errorf("the name %q is not UTF-8: %w", name, cairn.ErrUnsupported)
	}
	if strings.ContainsAny(name, "\x00\\") || path.Clean("/"+name) != "/"+name {
		return fmt.Errorf("no member of an archive can be called %q: %w", name, cairn.ErrUnsupported)
	}
	return nil
}

// A Left is an array that an output cannot hold.
type Left struct {
	Key string
	Why error
}

// Held returns those of the arrays that a file can hold by their names, and the others: where there
// are groups also those that are in or around another one.
func (f *Format) Held(all []string) (kept []string, left []Left) {
	if f.CheckKey == nil {
		return all, nil
	}

	taken := map[string]string{}
	groups := map[string]string{} // an array that is below
	for _, name := range all {
		key := Key(name)
		err := f.CheckKey(key)
		if other, ok := taken[key]; ok && err == nil {
			err = fmt.Errorf("the array %q has that name too", other)
		}
		if below, ok := groups[key]; ok && err == nil && f.Groups {
			err = fmt.Errorf("the name is that of a group, with the array %q", below)
		}

		for above := path.Dir(key); above != "/" && err == nil && f.Groups; above = path.Dir(above) {
			if _, ok := taken[above]; ok {
				err = fmt.Errorf("%q is an array, and holds no others", above)
			}
		}

		if err != nil {
			left = append(left, Left{key, Plain(err)})
			continue
		}

		kept = append(kept, name)
		taken[key] = name
		for above := path.Dir(key); above != "/"; above = path.Dir(above) {
			groups[above] = name
		}
	}
	return kept, left
}

// Plain returns an error without the text of its kind at the end.
func Plain(err error) error { return naming.Plain(err, cairn.ErrUnsupported, cairn.ErrBounds) }

// CheckGroup returns an error unless a file may have a group of a key.
func (f *Format) CheckGroup(key string) error {
	if key == "/" || f.CheckKey == nil {
		return nil
	}
	return f.CheckKey(key)
}
