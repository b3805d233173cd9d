package lint

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestModule runs every rule over this module.
func TestModule(t *testing.T) {
	tree, err := Load(os.DirFS("../../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Packages) < 5 {
		t.Fatalf("found %d packages; is this the module root?", len(tree.Packages))
	}
	for _, p := range Run(tree) {
		t.Error(p)
	}
}

// sound is a module that breaks no rule. Each case below breaks one rule by adding or replacing one
// file.
func sound() fstest.MapFS {
	return files(map[string]string{
		".ci/run":                         "starts_processes='TestKnown'\n",
		"go.mod":                          "module example.org/m\n\ngo 1.26\n",
		"doc.go":                          "// Package m is sound, as are [example.org/m/chunk] and\n// [example.org/m/codecs].\npackage m\n\n// ErrA is an error.\nvar ErrA = error(nil)\n",
		"chunk/chunk.go":                  "// Package chunk is sound.\npackage chunk\n\nimport (\n\t\"errors\"\n\n\t\"example.org/m\"\n\t\"example.org/m/codecs\"\n)\n\nvar _ = errors.New\nvar _ = m.ErrA\nvar _ = codecs.Name\n",
		"chunk/x_test.go":                 "package chunk_test\n\nimport (\n\t_ \"example.org/m/chunk\"\n\t_ \"example.org/m/internal/test/golden\"\n\t_ \"os\"\n)\n\nfunc TestX() {}\n",
		"codecs/a.go":                     "// Package codecs is sound.\npackage codecs\n\n// Name is a name.\nconst Name = \"\"\n",
		"internal/asm/xor/xor_amd64.s":    "//go:build !purego\n\nTEXT\n",
		"internal/asm/xor/xor_amd64.go":   "//go:build !purego\n\npackage xor\n\nimport _ \"unsafe\"\n",
		"internal/asm/xor/generic.go":     "// Package xor is sound.\npackage xor\n",
		"internal/osfile/sync_windows.go": "// Package osfile is sound.\npackage osfile\n\nimport _ \"golang.org/x/sys/windows\"\n",
		"README.md":                       "See [the docs](docs/a.md#top).\n\n```go\npackage main\n\nfunc main() {\n\tprintln(1)\n}\n```\n",
		"readme_test.go":                  "package m_test\n\nfunc Example_readme() {\n\tprintln(1)\n\t// Output: 1\n}\n",
		"chunk/write.go":                  "package chunk\n\n// The attribute is written; the axis is an argument.\nvar _ = []struct{ Key string }{{Key: \"units\"}}\n\nfunc f(flag func(string)) { flag(\"axis\") }\n",
		"docs/a.md":                       "# Top\n\n[up](../README.md) and [out](https://example.org)\n",
		"docs/promises.md":                "| when | test |\n|---|---|\n| x | `chunk.TestX` |\n",
		"docs/support.md":                 "| what | test |\n|---|---|\n| x | `chunk.TestX` |\n",
		"bench/go.mod":                    "module example.org/m/bench\n",
		"bench/main.go":                   "package main\n\nimport _ \"anything.example/at/all\"\n",
	})
}

func files(sources map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range sources {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func check(t *testing.T, fsys fs.FS) []Problem {
	t.Helper()
	tree, err := Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return Run(tree)
}

func TestSoundTree(t *testing.T) {
	for _, p := range check(t, sound()) {
		t.Error(p)
	}
}

func TestFoldersWithTooManyFiles(t *testing.T) {
	tree := sound()
	for i := range maxFolderFiles {
		tree[fmt.Sprintf("chunk/b%d.go", i)] = &fstest.MapFile{Data: []byte("package chunk\n")}
	}
	problems := check(t, tree)
	if len(problems) != 1 || problems[0].File != "chunk" || problems[0].Rule != "size" {
		t.Errorf("61 files in a folder: %v", problems)
	}
}

// TestModulesBeside fails if a change of the API breaks the modules check and bench.
func TestModulesBeside(t *testing.T) {
	if _, err := os.Stat("../../../check/go.mod"); err != nil || testing.Short() {
		return // a download of the module does not contain the others
	}

	// The modules are read from source: vet would compile them and all that they import.
	types := exec.Command("go", "run", "./check/types", "./check/...", "./bench/...")
	types.Dir = "../../.."
	if out, err := types.CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", types, err, out)
	}
}

// TestAllowed checks files that must not be reported.
func TestAllowed(t *testing.T) {
	for name, c := range map[string]struct{ file, source string }{
		"local variable of the same name": {"chunk/b.go", "package chunk\n\nvar n int\n\nfunc f() { n := 0; n++; _ = n }\n"},
		"cache known by name":             {"chunk/b.go", "package chunk\n\nimport \"sync\"\n\nvar workspaces sync.Pool\n"},
		"table that is only read":         {"chunk/b.go", "package chunk\n\nvar m = map[int]int{1: 2}\n\nfunc f() int { return m[1] }\n"},
		"value computed at start":         {"chunk/b.go", "package chunk\n\nvar m = func() [2]int { var a [2]int; a[0] = 1; return a }()\n"},
		"processor tiers":                 {"internal/asm/cpu/cpu.go", "// Package cpu is here.\npackage cpu\n\nimport \"golang.org/x/sys/cpu\"\n\n// AVX2 is a tier.\nvar AVX2 = cpu.X86.HasAVX2\n\n// Lower lowers it.\nfunc Lower() { AVX2 = false }\n"},
		"skip in short mode":              {"chunk/b_test.go", "package chunk\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip(\"slow\")\n\t}\n}\n"},
		"skip of an input":                {"chunk/b_test.go", "package chunk\n\nimport \"testing\"\n\nfunc FuzzA(f *testing.F) {\n\tf.Fuzz(func(t *testing.T, b []byte) { t.Skip() })\n}\n"},
		"decoder beside its fuzz target":  {"chunk/b_test.go", "package chunk\n\nimport \"testing\"\n\nfunc ParseB(b []byte) error { return nil }\n\nfunc FuzzA(f *testing.F) { _ = ParseB(nil) }\n"},
		"commands import anything":        {"cmd/cairn/internal/view/a.go", "// Package view is here.\npackage view\n\nimport (\n\t_ \"example.org/m/chunk\"\n\t_ \"golang.org/x/term\"\n\t_ \"os\"\n)\n"},
		"suites in tests": {
			"codecs/internal/lz4/a_test.go",
			"package lz4\n\nimport _ \"example.org/m/internal/test/codectest\"\n",
		},
		"underscore in a plain name": {"chunk/amd64.go", "package chunk\n"},
		"code that a test runs":      {"docs/b.md", "```go\nprintln(1)\n```\n"},
		"wide table, code and link": {
			"docs/wide.md",
			"| " + strings.Repeat("wide ", 21) + "|\n\n```\n" + strings.Repeat("wide ", 21) + "\n```\n\n[" +
				strings.Repeat("wide ", 21) + "](a.md)\n",
		},
		"wide link": {
			"chunk/b.go",
			"package chunk\n\n// See https://example.org/" + strings.Repeat("wide", 20) + ".\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tree := sound()
			tree[c.file] = &fstest.MapFile{Data: []byte(c.source)}
			for _, p := range check(t, tree) {
				t.Error(p)
			}
		})
	}
}

// TestTableOrder fails if an earlier row of the import table hides a later one.
func TestTableOrder(t *testing.T) {
	for i, l := range importTable {
		for _, folder := range l.folders {
			dir := strings.ReplaceAll(strings.TrimSuffix(folder, "/..."), "*", "anything")
			for _, above := range importTable[:i] {
				if matchAny(above.folders, dir) {
					t.Errorf("row %v is hidden by row %v", l.folders, above.folders)
				}
			}
		}
	}
}

// TestArchitecturePage compares the import table in the documents with the rows in this package
// that are not of internal packages.
func TestArchitecturePage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	want := tableAsMarkdown()
	if strings.Contains(string(page), want) {
		return
	}
	if !*update {
		t.Fatal("docs/architecture.md lacks the import table as it is enforced; run this test with -update")
	}

	before, rest, _ := strings.Cut(string(page), "| folder | may import of ours |")
	_, behind, _ := strings.Cut(rest, "\n\n")
	if err := os.WriteFile("../../../docs/architecture.md", []byte(before+want+"\n"+behind), 0o644); err != nil {
		t.Fatal(err)
	}
}

func tableAsMarkdown() string {
	list := func(names []string, quote, none string) string {
		var out []string
		for _, n := range names {
			switch n {
			case ".":
				out = append(out, "root")
			case "...":
				out = append(out, "anything")
			default:
				out = append(out, quote+strings.TrimSuffix(n, "/...")+quote)
			}
		}
		if len(out) == 0 {
			return none
		}
		return strings.Join(out, ", ")
	}
	var b strings.Builder
	b.WriteString("| folder | may import of ours | others |\n|---|---|---|\n")
	for _, l := range importTable {
		if strings.Contains("/"+l.folders[0]+"/", "/internal/") {
			continue
		}

		others := append(slices.Clone(l.modules), inTests(l.oracles)...)
		if l.mayTouch {
			others = append(others, "system")
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", list(l.folders, "`", ""), list(l.ours, "`", "nothing"), list(others, "", ""))
	}
	return b.String()
}

func inTests(modules []string) (named []string) {
	for _, m := range modules {
		named = append(named, m+" (tests)")
	}
	return named
}

func TestProblemString(t *testing.T) {
	for want, p := range map[string]Problem{
		"a/b.go:3: size: long": {"size", "a/b.go", 3, "long"},
		"a: imports: no row":   {"imports", "a", 0, "no row"},
	} {
		if got := p.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
