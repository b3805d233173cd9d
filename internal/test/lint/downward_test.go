package lint

import (
	"bytes"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDownward keeps the files of the large packages in an order in which each refers only to those
// below it: no two files refer to each other, be it through others.
func TestDownward(t *testing.T) {
	for _, p := range []struct {
		dir    string
		except string // a file whose references do not count
	}{
		{"ndarray", ""},
		{"frame", "outdate.go"}, // a commit of a column opens and commits its table
	} {
		uses := fileUses(t, p.dir)
		delete(uses, p.except)
		if circle := circleOf(uses); circle != nil {
			t.Errorf("%s: files refer to each other in a circle: %s", p.dir, strings.Join(circle, " → "))
		}
	}
}

// fileUses returns, for each file of a package without its tests, the files that declare what it
// refers to.
func fileUses(t *testing.T, dir string) map[string][]string {
	files := token.NewFileSet()
	paths, err := filepath.Glob(filepath.Join("../../..", dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var parsed []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}

	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(files, "gc", exportsOf(t, dir))}
	checked, err := config.Check(dir, files, parsed, info)
	if err != nil {
		t.Fatal(err)
	}

	fileOf := func(at token.Pos) string { return filepath.Base(files.Position(at).Filename) }
	uses := map[string][]string{}
	for name, object := range info.Uses {
		if object.Pkg() != checked || !isDeclaration(object) {
			continue
		}
		from, to := fileOf(name.Pos()), fileOf(object.Pos())
		if from != to && !slices.Contains(uses[from], to) {
			uses[from] = append(uses[from], to)
		}
	}
	return uses
}

// isDeclaration reports whether an object is a method or is declared at the top of a file. Fields
// come with their type.
func isDeclaration(object types.Object) bool {
	if f, ok := object.(*types.Func); ok && f.Signature().Recv() != nil {
		return true
	}
	return object.Parent() == object.Pkg().Scope()
}

// exportsOf returns a function that finds what the imports of a package export.
func exportsOf(t *testing.T, dir string) importer.Lookup {
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "./"+dir)
	list.Dir = "../../.."
	var failed bytes.Buffer
	list.Stderr = &failed
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, failed.Bytes())
	}

	places := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		places[path] = file
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(places[path]) }
}

// circleOf returns files each of which uses the next, the last one also the first, or nil.
func circleOf(uses map[string][]string) []string {
	done := map[string]bool{}
	var way []string
	var visit func(file string) []string
	visit = func(file string) []string {
		if i := slices.Index(way, file); i >= 0 {
			return append(slices.Clone(way[i:]), file)
		}
		if done[file] {
			return nil
		}

		way = append(way, file)
		for _, next := range slices.Sorted(slices.Values(uses[file])) {
			if circle := visit(next); circle != nil {
				return circle
			}
		}
		way = way[:len(way)-1]
		done[file] = true
		return nil
	}

	for _, file := range slices.Sorted(maps.Keys(uses)) {
		if circle := visit(file); circle != nil {
			return circle
		}
	}
	return nil
}

func TestCircleOf(t *testing.T) {
	uses := map[string][]string{"a": {"b", "c"}, "b": {"d"}, "c": {"d"}, "d": nil}
	if circle := circleOf(uses); circle != nil {
		t.Errorf("found %v", circle)
	}

	uses["d"] = []string{"c"}
	if circle := circleOf(uses); !slices.Equal(circle, []string{"d", "c", "d"}) {
		t.Errorf("found %v", circle)
	}
}
