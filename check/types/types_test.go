package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A module whose files are all right on linux/amd64.
var sound = map[string]string{
	"go.mod":              "module planted\n\ngo 1.26.0\n",
	"a/a.go":              "package a\n\nfunc Twice(n int) int { return 2 * n }\n",
	"a/a_windows.go":      "package a\n\nconst separator = '\\\\'\n",
	"a/a_test.go":         "package a\n\nvar inner = Twice(1)\n",
	"a/outer_test.go":     "package a_test\n\nimport \"planted/a\"\n\nvar outer = a.Twice(1)\n",
	"a/tagged_windows.go": "//go:build special\n\npackage a\n\nfunc special() {}\n",
	"b/b.go":              "package b\n\nimport \"planted/a\"\n\nvar Four = a.Twice(2)\n",
}

// TestPlantedErrors plants an error in a module, and expects it where the file belongs to the build
// and nowhere else.
func TestPlantedErrors(t *testing.T) {
	t.Setenv("GOWORK", "off")
	files := newSources()
	for _, c := range []struct {
		what, file, text string
		tags             string
		want             string // on windows/amd64
		all              bool   // on linux/386 too
	}{
		{"nothing", "a/a.go", sound["a/a.go"], "", "", false},
		{"an undefined name", "a/a_windows.go", "package a\n\nvar drive = letter(0)\n", "",
			"a_windows.go:3:13: undefined: letter", false},
		{"a variable that is not used", "a/a_windows.go", "package a\n\nfunc f() {\n\tn := 1\n}\n", "",
			"declared and not used: n", false},
		{"a function without body", "a/a_windows.go", "package a\n\nfunc kernel(n int) int\n", "",
			"a_windows.go:3:1: missing function body", false},
		{"an inner test", "a/a_windows_test.go", "package a\n\nvar x int = separator == Twice\n", "",
			"a_windows_test.go:3:26: invalid operation", false},
		{"an outer test", "a/outer_windows_test.go", "package a_test\n\nimport \"planted/a\"\n\nvar x = a.Thrice(1)\n", "",
			"undefined: a.Thrice", false},
		{"a file behind a tag", "a/tagged_windows.go", "//go:build special\n\npackage a\n\nvar x = lost\n", "special",
			"undefined: lost", false},
		{"the tag not set", "a/tagged_windows.go", "//go:build special\n\npackage a\n\nvar x = lost\n", "", "", false},
		{"an import that is only elsewhere", "b/b_windows.go", "package b\n\nimport _ \"planted/c\"\n", "",
			"planted/c", false},
		{"an import cycle", "a/a_windows.go", "package a\n\nimport \"planted/b\"\n\nvar four = b.Four\n", "",
			"import cycle", false},
		{"what does not parse", "a/a_windows.go", "package a\n\nfunc {\n", "", "expected 'IDENT'", false},
		{"an error everywhere", "b/b.go", "package b\n\nvar Four = lost\n", "", "undefined: lost", true},
	} {
		dir := t.TempDir()
		for name, text := range sound {
			write(t, dir, name, text)
		}
		write(t, dir, c.file, c.text)

		for platform, want := range map[string]string{"windows/amd64": c.want, "linux/386": ""} {
			if c.all {
				want = c.want
			}
			n, err := check(files, build{dir, platform, c.tags}, []string{"./..."})
			switch {
			case want == "" && (err != nil || n < 4): // a, b, and a with its tests
				t.Errorf("%s: %d packages on %s, %v", c.what, n, platform, err)
			case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
				t.Errorf("%s: %v on %s", c.what, err, platform)
			}
		}
	}
}

// TestWidthOfInt expects a constant that int has no room for on a processor of 32 bits.
func TestWidthOfInt(t *testing.T) {
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	for name, text := range sound {
		write(t, dir, name, text)
	}
	write(t, dir, "b/b.go", "package b\n\nvar Large int = 1 << 40\n")

	if _, err := check(newSources(), build{dir, "linux/arm64", ""}, []string{"./..."}); err != nil {
		t.Error(err)
	}
	_, err := check(newSources(), build{dir, "linux/arm", ""}, []string{"./..."})
	if err == nil || !strings.Contains(err.Error(), "(overflows)") {
		t.Error(err)
	}
}

// TestNothingToCheck expects errors where a platform or packages are misspelled.
func TestNothingToCheck(t *testing.T) {
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	write(t, dir, "go.mod", sound["go.mod"])
	for _, b := range []build{{dir, "linux/amd64", ""}, {dir, "linux", ""}, {dir, "linux/none", ""}, {dir, "none/amd64", ""}} {
		if n, err := check(newSources(), b, []string{"./..."}); err == nil {
			t.Errorf("%+v: %d packages", b, n)
		}
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
