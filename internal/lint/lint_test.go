package lint

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// TestModule runs every rule over this module.
func TestModule(t *testing.T) {
	tree, err := Load(os.DirFS("../.."))
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

// sound is a module that breaks no rule. The cases below add one file to it, or replace one, and each breaks one rule.
func sound() fstest.MapFS {
	return files(map[string]string{
		"go.mod":                          "module example.org/m\n\ngo 1.26\n",
		"doc.go":                          "// Package m is sound.\npackage m\n\n// ErrA is an error.\nvar ErrA = error(nil)\n",
		"chunk/chunk.go":                  "// Package chunk is sound.\npackage chunk\n\nimport (\n\t\"errors\"\n\n\t\"example.org/m\"\n\t\"example.org/m/codecs\"\n)\n\nvar _ = errors.New\nvar _ = m.ErrA\nvar _ = codecs.Name\n",
		"chunk/x_test.go":                 "package chunk_test\n\nimport (\n\t_ \"example.org/m/chunk\"\n\t_ \"example.org/m/internal/golden\"\n\t_ \"os\"\n)\n\nfunc TestX() {}\n",
		"codecs/a.go":                     "// Package codecs is sound.\npackage codecs\n\n// Name is a name.\nconst Name = \"\"\n",
		"internal/asm/xor/xor_amd64.s":    "//go:build !purego\n\nTEXT\n",
		"internal/asm/xor/xor_amd64.go":   "//go:build !purego\n\npackage xor\n\nimport _ \"unsafe\"\n",
		"internal/asm/xor/generic.go":     "// Package xor is sound.\npackage xor\n",
		"internal/osfile/sync_windows.go": "// Package osfile is sound.\npackage osfile\n\nimport _ \"golang.org/x/sys/windows\"\n",
		"README.md":                       "See [the docs](docs/a.md#top).\n\n```go\npackage main\n\nfunc main() {\n\tprintln(1)\n}\n```\n",
		"readme_test.go":                  "package m_test\n\nfunc Example_readme() {\n\tprintln(1)\n\t// Output: 1\n}\n",
		"docs/a.md":                       "[up](../README.md) and [out](https://example.org)\n",
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

func TestRules(t *testing.T) {
	for _, c := range []struct {
		name, rule, file, source string
		want                     string // part of the problem's text
	}{
		{"upward import", "imports", "codecs/b.go", "package codecs\n\nimport _ \"example.org/m/chunk\"\n", "codecs may not import chunk"},
		{"upward import in a test", "imports", "codecs/b_test.go", "package codecs_test\n\nimport _ \"example.org/m/chunk\"\n", "codecs may not import chunk"},
		{"root imports a layer", "imports", "b.go", "package m\n\nimport _ \"example.org/m/codecs\"\n", ". may not import codecs"},
		{"test support in the library", "imports", "chunk/b.go", "package chunk\n\nimport _ \"example.org/m/internal/golden\"\n", "is for tests"},
		{"unlisted module", "imports", "chunk/b.go", "package chunk\n\nimport _ \"github.com/klauspost/compress/zstd\"\n", "may not import github.com/klauspost/compress/zstd"},
		{"files below storage", "imports", "chunk/b.go", "package chunk\n\nimport _ \"os\"\n", "works on memory only"},
		{"unsafe", "imports", "chunk/b.go", "package chunk\n\nimport _ \"unsafe\"\n", "unsafe"},
		{"cgo", "imports", "chunk/b.go", "package chunk\n\nimport \"C\"\n", "cgo"},
		{"unlisted folder", "imports", "extra/b.go", "// Package extra is new.\npackage extra\n", "not in the import table"},

		{"arch suffix", "constraints", "chunk/b_amd64.go", "package chunk\n", "architecture amd64"},
		{"arch tag", "constraints", "chunk/b.go", "//go:build linux || arm64\n\npackage chunk\n", "architecture arm64"},
		{"system tag", "constraints", "chunk/b.go", "//go:build !windows\n\npackage chunk\n", "operating system windows"},
		{"system suffix of a test", "constraints", "chunk/b_linux_test.go", "package chunk\n", "operating system linux"},
		{"purego outside", "constraints", "chunk/b.go", "//go:build purego\n\npackage chunk\n", "purego"},
		{"other tag", "constraints", "internal/asm/xor/b.go", "//go:build fast\n\npackage xor\n", "build tag fast"},
		{"assembly always built", "assembly", "internal/asm/xor/y_amd64.s", "TEXT\n", "-tags purego"},
		{"assembly built wrongly", "assembly", "internal/asm/xor/y_amd64.s", "//go:build !purego || amd64\n", "-tags purego"},
		{"assembly elsewhere", "assembly", "chunk/y.s", "//go:build !purego\n", "under internal/asm"},

		{"init", "state", "chunk/b.go", "package chunk\n\nfunc init() {}\n", "init functions"},
		{"pool", "state", "chunk/b.go", "package chunk\n\nimport \"sync\"\n\nvar pool = sync.Pool{}\n", "sync.Pool"},
		{"array of pools", "state", "chunk/b.go", "package chunk\n\nimport \"sync\"\n\nvar pools [4]sync.Pool\n", "sync.Pool"},
		{"lock of a cache's name", "state", "chunk/b.go", "package chunk\n\nimport \"sync\"\n\nvar workspaces sync.Mutex\n", "sync.Mutex"},
		{"cache's name elsewhere", "state", "frame/b.go", "package frame\n\nimport \"sync\"\n\nvar workspaces sync.Pool\n", "sync.Pool"},
		{"atomic pointer", "state", "chunk/b.go", "package chunk\n\nimport \"sync/atomic\"\n\nvar p atomic.Pointer[int]\n", "atomic.Pointer"},
		{"assigned", "state", "chunk/b.go", "package chunk\n\nvar n int\n\nfunc f() { n = 1 }\n", "package variable n"},
		{"counted in another file's variable", "state", "chunk/b.go", "package chunk\n\nvar t struct{ a [3]int }\n\nfunc f() { t.a[1]++ }\n", "package variable t"},
		{"filled map", "state", "chunk/b.go", "package chunk\n\nvar m = map[int]int{}\n\nvar f = func() { m[1] = 2 }\n", "package variable m"},
		{"cleared", "state", "chunk/b.go", "package chunk\n\nvar m = map[int]int{}\n\nfunc f() { clear(m) }\n", "package variable m"},
		{"environment", "environment", "storage/b.go", "// Package storage is here.\npackage storage\n\nimport \"os\"\n\nvar home = os.Getenv(\"HOME\")\n", "os.Getenv"},

		{
			"owner kept alive by hand", "lending", "chunk/b.go",
			"package chunk\n\nimport \"runtime\"\n\nfunc f(p *int) { runtime.KeepAlive(p) }\n", "runtime.KeepAlive",
		},
		{
			"memory borrowed elsewhere", "lending", "frame/b.go",
			"package frame\n\nfunc f(x any) bool { _, ok := x.(storage.Leaser); return ok }\n", "storage.Leaser",
		},
		{
			"span that stays open", "lending", "frame/b.go",
			"package frame\n\nfunc (v *view) f() { sp := v.source.open(1, 2); use(sp) }\n", "does not close it",
		},
		{
			"span without a source", "lending", "frame/b.go",
			"package frame\n\nfunc (v *view) f() { sp := span{brief: true}; use(&sp) }\n", "does not close it",
		},

		{"undocumented function", "comments", "chunk/b.go", "package chunk\n\nfunc Do() {}\n", "Do needs a doc comment"},
		{"comment about something else", "comments", "chunk/b.go", "package chunk\n\n// Does it.\nfunc Do() {}\n", "Do needs a doc comment"},
		{"undocumented method", "comments", "chunk/b.go", "package chunk\n\n// A T is a thing.\ntype T struct{}\n\nfunc (t *T) Do() {}\n", "Do needs a doc comment"},
		{"undocumented group", "comments", "chunk/b.go", "package chunk\n\nconst (\n\tA = 1\n)\n", "A needs a doc comment"},
		{"no package comment", "comments", "meta/b.go", "package meta\n", "no package comment"},

		{"long file", "size", "chunk/b.go", "package chunk\n" + strings.Repeat("\n", 500), "501 lines"},
		{"long function", "size", "chunk/b.go", "package chunk\n\nfunc f() {\n" + strings.Repeat("\tf()\n", 69) + "}\n", "f has 71 lines"},
		{"vague file", "names", "chunk/block_utils_test.go", "package chunk\n", "name the file"},
		{"vague folder", "names", "cmd/cairn/internal/common/a.go", "// Package common is vague.\npackage common\n", "name the package"},
		{"unfinished", "unfinished", "chunk/b.go", "package chunk\n\n// " + "TO" + "DO: more\n", "finish it"},
		{"skip", "skips", "chunk/b_test.go", "package chunk\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tt.Skip(\"no tool\")\n}\n", "cannot run fails"},
		{"no fuzz target", "fuzz", "chunk/b.go", "package chunk\n\n// ParseIt parses.\nfunc ParseIt(b []byte) error { return nil }\n", "ParseIt reads bytes"},
		{"dead link", "links", "docs/b.md", "[x](gone.md)\n", "gone.md leads nowhere"},
		{"claim without a test", "support", "docs/support.md", "| what | test |\n|---|---|\n| `chunk.TestX` | none |\n", "names no test"},
		{"test that is gone", "support", "docs/support.md", "| what | test |\n|---|---|\n| x | `chunk.TestY` |\n", "chunk has no test TestY"},
		{"test of another package", "support", "docs/support.md", "| what | test |\n|---|---|\n| x | `codecs.TestX` |\n", "codecs has no test TestX"},
		{"support without a table", "support", "docs/support.md", "text\n", "has no table"},
		{"readme differs", "readme", "README.md", "```go\npackage main\n\nfunc main() {\n\tprintln(2)\n}\n```\n", "differs"},
		{"readme without a program", "readme", "README.md", "text\n", "whole program"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := sound()
			tree[c.file] = &fstest.MapFile{Data: []byte(c.source)}
			problems := check(t, tree)
			found := false
			for _, p := range problems {
				if p.Rule != c.rule {
					continue
				}
				found = found || strings.Contains(p.Text, c.want)
				if !strings.HasPrefix(c.file, p.File) {
					t.Errorf("blames %s, want %s: %v", p.File, c.file, p)
				}
			}
			if !found {
				t.Errorf("rule %s says nothing about %q, only %v", c.rule, c.want, problems)
			}
		})
	}
}

// TestAllowed holds what must not be reported.
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
		"kits in tests":                   {"codecs/internal/lz4/a_test.go", "package lz4\n\nimport _ \"example.org/m/codecs/internal/codectest\"\n"},
		"underscore in a plain name":      {"chunk/amd64.go", "package chunk\n"},
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

// TestTableOrder fails if a row of the import table is hidden by one above it.
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

// TestArchitecturePage compares the import table in the documents with the one that is enforced.
func TestArchitecturePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := tableAsMarkdown(); !strings.Contains(string(page), want) {
		t.Errorf("docs/architecture.md lacks the import table as it is enforced; it must have:\n\n%s", want)
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
	b.WriteString("| folder | may import of ours | third-party modules | beyond memory |\n|---|---|---|---|\n")
	for _, l := range importTable {
		beyond := ""
		if l.mayTouch {
			beyond = "yes"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", list(l.folders, "`", ""), list(l.ours, "`", "nothing"), list(l.modules, "", ""), beyond)
	}
	return b.String()
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
