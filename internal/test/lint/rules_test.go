package lint

import (
	"strings"
	"testing"
	"testing/fstest"
)

// violations are files that each break one rule if they are added to the sound tree.
var violations = []struct {
	name, rule, file, source string
	want                     string // part of the problem's text
}{
	{
		"upward import", "imports", "codecs/b.go",
		"package codecs\n\nimport _ \"example.org/m/chunk\"\n",
		"codecs may not import chunk",
	},
	{
		"upward import in a test", "imports", "codecs/b_test.go",
		"package codecs_test\n\nimport _ \"example.org/m/chunk\"\n",
		"codecs may not import chunk",
	},
	{
		"root imports a layer", "imports", "b.go",
		"package m\n\nimport _ \"example.org/m/codecs\"\n",
		". may not import codecs",
	},
	{
		"test support in the library", "imports", "chunk/b.go",
		"package chunk\n\nimport _ \"example.org/m/internal/test/golden\"\n",
		"is for tests",
	},
	{
		"unlisted module", "imports", "chunk/b.go",
		"package chunk\n\nimport _ \"github.com/klauspost/compress/zstd\"\n",
		"may not import github.com/klauspost/compress/zstd",
	},
	{
		"files below storage", "imports", "chunk/b.go",
		"package chunk\n\nimport _ \"os\"\n",
		"works on memory only",
	},
	{"unsafe", "imports", "chunk/b.go", "package chunk\n\nimport _ \"unsafe\"\n", "unsafe"},
	{"cgo", "imports", "chunk/b.go", "package chunk\n\nimport \"C\"\n", "cgo"},
	{
		"unlisted folder", "imports", "extra/b.go",
		"// Package extra is new.\npackage extra\n",
		"not in the import table",
	},

	{"arch suffix", "constraints", "chunk/b_amd64.go", "package chunk\n", "architecture amd64"},
	{
		"arch tag", "constraints", "chunk/b.go",
		"//go:build linux || arm64\n\npackage chunk\n",
		"architecture arm64",
	},
	{
		"system tag", "constraints", "chunk/b.go",
		"//go:build !windows\n\npackage chunk\n",
		"operating system windows",
	},
	{
		"system suffix of a test", "constraints", "chunk/b_linux_test.go",
		"package chunk\n",
		"operating system linux",
	},
	{
		"purego outside", "constraints", "chunk/b.go",
		"//go:build purego\n\npackage chunk\n",
		"purego",
	},
	{
		"other tag", "constraints", "internal/asm/xor/b.go",
		"//go:build fast\n\npackage xor\n",
		"build tag fast",
	},
	{
		"searched error", "error text", "chunk/b.go",
		"package chunk\n\nimport \"strings\"\n\nfunc f(err error) bool { return strings.Contains(err.Error(), \"x\") }\n",
		"text of an error",
	},
	{
		"searched text of an error", "error text", "chunk/b.go",
		"package chunk\n\nimport \"strings\"\n\nfunc f(err error) bool {\n\ttext := err.Error()\n\treturn strings.HasPrefix(text, \"x\")\n}\n",
		"text of an error",
	},
	{
		"compared error", "error text", "chunk/b.go",
		"package chunk\n\nfunc f(err error) bool { return \"x\" == err.Error() }\n",
		"text of an error",
	},
	{
		"errors told apart by text", "error text", "chunk/b.go",
		"package chunk\n\nfunc f(err error) int {\n\tswitch err.Error() {\n\tcase \"x\":\n\t\treturn 1\n\t}\n\treturn 0\n}\n",
		"text of an error",
	},
	{
		"bound without a comment", "limits", "chunk/b.go",
		"package chunk\n\nconst maxNodes = 3\n\nfunc f(n int) error {\n\tif n > maxNodes {\n\t\treturn ErrLimit\n\t}\n\treturn nil\n}\n",
		"says what it bounds",
	},
	{"assembly always built", "assembly", "internal/asm/xor/y_amd64.s", "TEXT\n", "-tags purego"},
	{
		"assembly built wrongly", "assembly", "internal/asm/xor/y_amd64.s",
		"//go:build !purego || amd64\n",
		"-tags purego",
	},
	{"assembly elsewhere", "assembly", "chunk/y.s", "//go:build !purego\n", "under internal/asm"},

	{"init", "state", "chunk/b.go", "package chunk\n\nfunc init() {}\n", "init functions"},
	{
		"compared codec", "facts", "chunk/b.go",
		"package chunk\n\nimport \"example.org/m/codecs\"\n\nfunc f(c int) bool { return c != codecs.LZ4 }\n",
		"codec LZ4",
	},
	{
		"case of a filter", "facts", "frame/b.go",
		"// Package frame is sound.\npackage frame\n\nfunc f(s int) {\n\tswitch s {\n\tcase shuffle.IDDelta:\n\t}\n}\n",
		"filter IDDelta",
	},
	{
		"kind of a dtype", "facts", "chunk/b.go",
		"package chunk\n\nfunc f(d D) bool { return d.Kind() == 'f' }\n", "kind 'f'",
	},
	{
		"attribute that is read", "meaning", "chunk/b.go",
		"package chunk\n\nfunc f(a map[string]any) any { return a[\"units\"] }\n", "the attribute \"units\" is read",
	},
	{
		"attribute that is got", "meaning", "chunk/b.go",
		"package chunk\n\nfunc f(m M) any { return m.Get(\"axis\") }\n", "attribute \"axis\"",
	},
	{
		"attribute that is asked for", "meaning", "chunk/b.go",
		"package chunk\n\nfunc f(m M) any { return text(m, `scale_factor`) }\n", "attribute `scale_factor`",
	},
	{
		"attribute in a list", "meaning", "chunk/b.go",
		"package chunk\n\nvar names = []string{\"_FillValue\"}\n", "attribute \"_FillValue\"",
	},
	{
		"attribute that is compared", "meaning", "chunk/b.go",
		"package chunk\n\nfunc f(s string) bool { return s == \"calendar\" }\n", "attribute \"calendar\"",
	},
	{
		"pool", "state", "chunk/b.go",
		"package chunk\n\nimport \"sync\"\n\nvar pool = sync.Pool{}\n",
		"sync.Pool",
	},
	{
		"array of pools", "state", "chunk/b.go",
		"package chunk\n\nimport \"sync\"\n\nvar pools [4]sync.Pool\n",
		"sync.Pool",
	},
	{
		"lock of a cache's name", "state", "chunk/b.go",
		"package chunk\n\nimport \"sync\"\n\nvar workspaces sync.Mutex\n",
		"sync.Mutex",
	},
	{
		"cache's name elsewhere", "state", "frame/b.go",
		"package frame\n\nimport \"sync\"\n\nvar workspaces sync.Pool\n",
		"sync.Pool",
	},
	{
		"atomic pointer", "state", "chunk/b.go",
		"package chunk\n\nimport \"sync/atomic\"\n\nvar p atomic.Pointer[int]\n",
		"atomic.Pointer",
	},
	{
		"assigned", "state", "chunk/b.go",
		"package chunk\n\nvar n int\n\nfunc f() { n = 1 }\n",
		"package variable n",
	},
	{
		"counted in another file's variable", "state", "chunk/b.go",
		"package chunk\n\nvar t struct{ a [3]int }\n\nfunc f() { t.a[1]++ }\n",
		"package variable t",
	},
	{
		"filled map", "state", "chunk/b.go",
		"package chunk\n\nvar m = map[int]int{}\n\nvar f = func() { m[1] = 2 }\n",
		"package variable m",
	},
	{
		"cleared", "state", "chunk/b.go",
		"package chunk\n\nvar m = map[int]int{}\n\nfunc f() { clear(m) }\n",
		"package variable m",
	},
	{
		"environment", "environment", "storage/b.go",
		"// Package storage is here.\npackage storage\n\nimport \"os\"\n\n" +
			"var home = os.Getenv(\"HOME\")\n",
		"os.Getenv",
	},

	{
		"owner kept alive by hand", "lending", "chunk/b.go",
		"package chunk\n\nimport \"runtime\"\n\nfunc f(p *int) { runtime.KeepAlive(p) }\n", "runtime.KeepAlive",
	},
	{
		"memory borrowed elsewhere", "lending", "frame/b.go",
		"package frame\n\nfunc f(x any) bool { _, ok := x.(storage.Lender); return ok }\n", "storage.Lender",
	},
	{
		"span that stays open", "lending", "frame/b.go",
		"package frame\n\nfunc (v *view) f() { sp := v.source.open(1, 2); use(sp) }\n", "does not release it",
	},
	{
		"span without a source", "lending", "frame/b.go",
		"package frame\n\nfunc (v *view) f() { sp := span{brief: true}; use(&sp) }\n", "does not release it",
	},

	{
		"state that is written to", "immutable", "frame/b.go",
		"package frame\n\nfunc (v *state) f() { v.head.n++ }\n", "f writes to a state",
	},
	{
		"undocumented function", "comments", "chunk/b.go",
		"package chunk\n\nfunc Do() {}\n",
		"Do needs a doc comment",
	},
	{
		"comment about something else", "comments", "chunk/b.go",
		"package chunk\n\n// Does it.\nfunc Do() {}\n",
		"Do needs a doc comment",
	},
	{
		"undocumented method", "comments", "chunk/b.go",
		"package chunk\n\n// A T is a thing.\ntype T struct{}\n\nfunc (t *T) Do() {}\n",
		"Do needs a doc comment",
	},
	{
		"undocumented group", "comments", "chunk/b.go",
		"package chunk\n\nconst (\n\tA = 1\n)\n",
		"A needs a doc comment",
	},
	{"package without a line in doc.go", "overview", "meta/b.go", "// Package meta is new.\npackage meta\n", "name it in doc.go"},
	{"no package comment", "comments", "meta/b.go", "package meta\n", "no package comment"},

	{"long file", "size", "chunk/b.go", "package chunk\n" + strings.Repeat("var _ = 1\n", 400), "401 lines"},
	{
		"long function", "size", "chunk/b.go",
		"package chunk\n\nfunc f() {\n" + strings.Repeat("\tf()\n", 69) + "}\n",
		"f has 71 lines",
	},
	{
		"long test", "size", "chunk/b_test.go",
		"package chunk\n\nfunc f() {\n" + strings.Repeat("\tf()\n", 69) + "}\n",
		"f has 71 lines",
	},
	{
		"no paragraphs", "air", "b.go",
		"package m\n\nfunc f() {\n" + strings.Repeat("\tf()\n", 20) + "}\n",
		"f has 22 lines without a blank one",
	},
	{
		"two things in a statement", "air", "b.go",
		"package m\n\nfunc f(a, b int) {\n\ta, b = b, a\n\ta, b = 1, 2\n\tfor a, b = 0, 1; ; {\n\t}\n}\n",
		"one assignment a statement",
	},
	{
		"wide comment", "width", "chunk/wide.go",
		"package chunk\n\n// " + strings.Repeat("wide ", 20) + "\n", "wrap it at 100",
	},
	{
		"wide figure", "width", "chunk/wide.go",
		"package chunk\n\n//  offset  size  " + strings.Repeat("wide ", 20) + "\n", "wrap it at 100",
	},
	{
		"wide line with a comment", "width", "chunk/wide.go",
		"package chunk\n\nconst n = 1 // " + strings.Repeat("wide ", 18) + "\n", "wrap it at 100",
	},
	{"wide script", "script width", "bench/peer.py", "a = 1  # " + strings.Repeat("wide ", 19) + "\n", "wrap it at 100"},
	{"wide comment in a nested module", "width", "bench/b.go", "package main\n\n// " + strings.Repeat("wide ", 20) + "\n", "wrap it at 100"},
	{"wide text", "text width", "docs/wide.md", strings.Repeat("wide ", 21) + "\n", "wrap the text at 100"},
	{"vague file", "names", "chunk/block_utils_test.go", "package chunk\n", "name the file"},
	{
		"vague folder", "names", "cmd/cairn/internal/common/a.go",
		"// Package common is vague.\npackage common\n",
		"name the package",
	},
	{
		"unfinished", "unfinished", "chunk/b.go",
		"package chunk\n\n// " + "TO" + "DO: more\n",
		"finish it",
	},
	{
		"skip", "skips", "chunk/b_test.go",
		"package chunk\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n" +
			"\tt.Skip(\"no tool\")\n}\n",
		"cannot run fails",
	},
	{
		"binary that starts itself", "processes", "chunk/b_test.go",
		"package chunk\n\nimport (\n\t\"os\"\n\t\"os/exec\"\n\t\"testing\"\n)\n\n" +
			"func TestA(t *testing.T) { _ = exec.Command(os.Args[0]).Run() }\n",
		"starts_processes",
	},
	{
		"no fuzz target", "fuzz", "chunk/b.go",
		"package chunk\n\n// ParseIt parses.\nfunc ParseIt(b []byte) error { return nil }\n",
		"ParseIt reads bytes",
	},
	{
		"file that a comment names", "sources", "chunk/b.go",
		"package chunk\n\n// The layout is in chunk.go, ../codecs/a.go, chunk/chunk.go and gone.go.\n",
		"no gone.go",
	},
	{"file that is gone", "named", "docs/b.md", "see `chunk/gone.go`\n", "no chunk/gone.go"},
	{"name that is gone", "named", "docs/b.md", "`chunk.Gone` and `time.Time`\n", "no chunk.Gone"},
	{"method that is gone", "named", "docs/b.md", "`chunk.Gone.Read(ctx)`\n", "no chunk.Gone.Read"},
	{"code that no test runs", "recipes", "docs/b.md", "```go\nfunc TestY() {}\n```\n", "no test file has this code"},
	{"dead link to a heading", "links", "docs/b.md", "# A b\n\n[x](#a-b) [y](#a-c)\n", "docs/b.md has no heading #a-c"},
	{"dead link", "links", "docs/b.md", "[x](gone.md)\n", "gone.md leads nowhere"},
	{
		"claim without a test", "support", "docs/support.md",
		"| what | test |\n|---|---|\n| `chunk.TestX` | none |\n",
		"names no test",
	},
	{
		"test that is gone", "support", "docs/support.md",
		"| what | test |\n|---|---|\n| x | `chunk.TestY` |\n",
		"chunk has no test TestY",
	},
	{
		"test of another package", "support", "docs/support.md",
		"| what | test |\n|---|---|\n| x | `codecs.TestX` |\n",
		"codecs has no test TestX",
	},
	{
		"promise without a test", "support", "docs/promises.md",
		"| when | test |\n|---|---|\n| x | |\n", "names no test",
	},
	{"test that is gone, by its name alone", "named", "docs/b.md", "see `TestGone`\n", "no TestGone"},
	{"support without a table", "support", "docs/support.md", "text\n", "has no table"},
	{
		"readme differs", "readme", "README.md",
		"```go\npackage main\n\nfunc main() {\n\tprintln(2)\n}\n```\n",
		"differs",
	},
	{"readme without a program", "readme", "README.md", "text\n", "whole program"},
}

func TestRules(t *testing.T) {
	for _, c := range violations {
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
