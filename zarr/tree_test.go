package zarr

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

var _ ndarray.Tree = (*Store)(nil)

// keysOf returns the keys of all nodes, sorted, with that of the root.
func keysOf(t *testing.T, s *Store) ([]string, error) {
	keys := []string{"/"}
	for n, err := range ndarray.Walk(t.Context(), s, "/") {
		if err != nil {
			return keys, err
		}
		if n.Key != "/" {
			keys = append(keys, n.Key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}

// nodesIn returns the nodes of a group as text.
func nodesIn(t *testing.T, s *Store, group string) string {
	nodes, err := s.Children(t.Context(), group)
	var texts []string
	for _, n := range nodes {
		texts = append(texts, fmt.Sprintf("%s %v", n.Key, n.Kind))
		if (n.Err != nil) != (n.Kind == ndarray.DamagedNode) {
			t.Errorf("%s is %v: %v", n.Key, n.Kind, n.Err)
		}
	}
	if err != nil {
		texts = append(texts, err.Error())
	}
	return strings.Join(texts, ", ")
}

const (
	groupV2 = `{"zarr_format": 2}`
	arrayV2 = `{"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<i4", "compressor": null, "fill_value": 0,
		"order": "C", "filters": null}`
)

// storeOf opens a store of files by name.
func storeOf(t *testing.T, texts map[string]string) *Store {
	files := fstest.MapFS{}
	for name, text := range texts {
		files["s/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	s, err := OpenFS(files, "s", nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestChildrenAreGroupsArraysAndWhatIsDamaged(t *testing.T) {
	s := storeOf(t, map[string]string{".zgroup": groupV2, "b/.zarray": arrayV2, "a/.zgroup": groupV2,
		"a/x/.zarray": arrayV2, "c/.zarray": "{", "d/readme.txt": "other", "a-b/.zgroup": groupV2})
	for group, want := range map[string]string{
		"/":  "/a group, /a-b group, /b array, /c damaged",
		"a/": "/a/x array",
		"/b": "/b array",
	} {
		if got := nodesIn(t, s, group); got != want {
			t.Errorf("%s: %s, want %s", group, got, want)
		}
	}
	if _, err := s.Children(t.Context(), "/d"); !errors.Is(err, cairn.ErrNotFound) {
		t.Errorf("a folder without metadata: %v", err)
	}
}

func TestAStoreThatIsAnArrayHasItAtItsRoot(t *testing.T) {
	s := storeOf(t, map[string]string{".zarray": arrayV2})
	if got := nodesIn(t, s, "/"); got != "/ array" {
		t.Error(got)
	}
	src, err := s.Open(t.Context(), "/")
	if err != nil || src.Shape()[0] != 2 {
		t.Errorf("%v %v", src, err)
	}
}

// Consolidated metadata may leave out groups of which it has members.
func TestConsolidatedMetadataImpliesGroups(t *testing.T) {
	s := storeOf(t, map[string]string{".zgroup": groupV2, ".zmetadata": `{"zarr_consolidated_format": 1, "metadata": {
		".zgroup": ` + groupV2 + `, "a/x/.zarray": ` + arrayV2 + `, "a-/.zarray": ` + arrayV2 + `,
		"a/b/c/.zarray": ` + arrayV2 + `}}`})
	for group, want := range map[string]string{
		"/":   "/a group, /a- array",
		"a":   "/a/b group, /a/x array",
		"a/b": "/a/b/c array",
	} {
		if got := nodesIn(t, s, group); got != want {
			t.Errorf("%s: %s, want %s", group, got, want)
		}
	}
	if attributes, err := s.Attributes(t.Context(), "a"); attributes != nil || err != nil {
		t.Errorf("%v %v", attributes, err)
	}
}

// unlisted is a file system that lists nothing, as a web server.
type unlisted struct{ fs.FS }

func (u unlisted) Open(name string) (fs.File, error) {
	f, err := u.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.ErrUnsupported}
	}
	return f, nil
}

func TestArraysOpenByKeyWhereNothingIsListed(t *testing.T) {
	s, err := OpenFS(unlisted{fstest.MapFS{"s/.zgroup": {Data: []byte(groupV2)},
		"s/a/.zarray": {Data: []byte(arrayV2)}}}, "s", nil)
	if err != nil {
		t.Fatal(err)
	}
	if nodes, err := s.Children(t.Context(), "/"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v %v", nodes, err)
	}
	if a, err := s.Array(t.Context(), "/a"); err != nil || a.Shape()[0] != 2 {
		t.Errorf("%v %v", a, err)
	}
}

// Limits.MaxNodes bounds what is listed in a group, and all that consolidated metadata names.
func TestMoreNodesThanTheLimitAreRefused(t *testing.T) {
	files := fstest.MapFS{"s/.zgroup": {Data: []byte(groupV2)}}
	consolidated := `{"zarr_consolidated_format": 1, "metadata": {".zgroup": ` + groupV2
	for _, name := range []string{"a", "b", "c"} {
		files["s/"+name+"/.zarray"] = &fstest.MapFile{Data: []byte(arrayV2)}
		consolidated += `, "` + name + `/.zarray": ` + arrayV2
	}
	limited := func(most int64) error {
		s, err := OpenFS(files, "s", &OpenOptions{Limits: cairn.Limits{MaxNodes: most}})
		if err != nil {
			return err
		}
		_, err = s.Children(t.Context(), "/")
		return err
	}
	check := func(want string, enough, few int64) {
		t.Helper()
		if err := limited(enough); err != nil {
			t.Errorf("%d nodes: %v", enough, err)
		}
		if err := limited(few); !errors.Is(err, cairn.ErrLimit) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d nodes: %v", few, err)
		}
	}

	check("more than 2 names (Limits.MaxNodes)", 4, 2)
	files["s/.zmetadata"] = &fstest.MapFile{Data: []byte(consolidated + "}}")}
	check("more than 3 arrays and groups (Limits.MaxNodes)", 4, 3) // with that at the root
}
