package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestComplete(t *testing.T) {
	dir := t.TempDir()
	tree := filepath.Join(dir, "a.b2z")
	npy := npyFile(t, "<i4", false, 3)
	for _, key := range []string{"/run1/t", "/run1/p", "/run2/t", "/top"} {
		importBytes(t, npy, tree+"::"+key)
	}
	for _, c := range []struct {
		words string
		want  string
	}{
		{"ver", "verify version"},
		{"serve -log ", "json none text"},
		{"nothing", ""},
		{"copy -co", "-codec -color -contiguous"},
		{"copy -codec zs", "zstd"},
		{"copy -codec=lz", "-codec=lz4 -codec=lz4hc"},
		{"copy -color ", "always auto never"},
		{"copy -recode z", ""},
		{"reduce -op me", "mean median"},
		{"reduce -op q", "quantile:"},
		{"reduce -op mean,st", "mean,std"},
		{"job plan -reduce=arg", "-reduce=argmax -reduce=argmin"},
		{"view -reduce ne", "nearest"},
		{"reduce -nan ", "propagate skip"},
		{"regrid -method ", "bilinear conservative nearest"},
		{"regrid -form=e", "-form=esmf"},
		{"regrid -to he", "healpix:32 healpix:32:nested"},
		{"head -format ", "csv json table"},
		{"advise -for ", "balanced read size write"},
		{"copy -filters shuffle,byte", "shuffle,bytedelta"},
		{"copy -filters bit", "bitshuffle"},
		{"help co", "completion concat copy"},
		{"completion ", "bash fish zsh"},
		{"meta ", "get rm set"},
		{"job s", "seal status"},
		{"frobnicate -", ""},
		{"info a.b2z", ""},
		{"info TREE::", "TREE::run1/ TREE::run2/ TREE::top"},
		{"info TREE::/r", "TREE::/run1/ TREE::/run2/"},
		{"info TREE::/run1/", "TREE::/run1/p TREE::/run1/t"},
		{"copy x TREE::run2/", "TREE::run2/t"},
		{"info none.b2z::/", ""},
	} {
		words := strings.Split(strings.ReplaceAll(c.words, "TREE", tree), " ")
		want := strings.Fields(strings.ReplaceAll(c.want, "TREE", tree))
		got := strings.Fields(cairnOK(t, append([]string{completeName, "--"}, words...)...))
		if !slices.Equal(got, want) {
			t.Errorf("cairn %s: completed as %q, want %q", c.words, got, want)
		}
		line := "cairn " + strings.Join(words, " ")
		if got := strings.Fields(cairnOK(t, completeName, "-breaks", " ", "-line", line)); !slices.Equal(got, want) {
			t.Errorf("the line %q is completed as %q, want %q", line, got, want)
		}
	}
}

// TestCompletionQuotes completes keys that a shell would act upon.
func TestCompletionQuotes(t *testing.T) {
	dir := t.TempDir()
	npz := filepath.Join(dir, "one.npz")
	npy := npyFile(t, "<i4", false, 3)
	var members []any
	for _, name := range []string{"$(echo>PWNED)", "a b", "c*d", "it's", "line\nfeed", "x:y", "tab\tx"} {
		members = append(members, name, npy)
	}
	writeFile(t, npz, npzFile(t, false, members...))

	complete := func(flags ...string) []string {
		text := cairnOK(t, append([]string{completeName}, flags...)...)
		return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	}
	before := npz + "::"
	// zsh and fish quote themselves
	want := []string{before + "$(echo>PWNED)", before + "a b", before + "c*d", before + "it's", before + "x:y"}
	if got := complete("--", "info", before); !slices.Equal(got, want) {
		t.Errorf("offers %q, want %q", got, want)
	}
	for line, want := range map[string][]string{
		"cairn info " + before:              {`\$\(echo\>PWNED\)`, `a\ b`, `c\*d`, `it\'s`, "x:y"},
		"cairn info " + before + `a\ `:      {`a\ b`},
		"cairn info " + before + "x:":       {"y"},
		"cairn info '" + before:             {before + "$(echo>PWNED)", before + "a b", before + "c*d", before + "x:y"},
		`cairn info "` + before + "$":       {before + `\$(echo>PWNED)`},
		"cairn info '" + before + "a b' '":  nil,
		"cairn info '" + before + "it'\\''": {"it\\'s"},
	} {
		got := complete("-breaks", " \t\n\"'><=;|&(:", "-line", line)
		if want == nil {
			want = []string{""}
		}
		if line == "cairn info '"+before+"it'\\''" {
			want = []string{"s"}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: inserts %q, want %q", line, got, want)
		}
	}
}

// TestCompletionScripts checks the scripts with the shells that are there.
func TestCompletionScripts(t *testing.T) {
	for shell, check := range map[string]string{"bash": "-n", "zsh": "-n", "fish": "--no-execute"} {
		text := cairnOK(t, "completion", shell)
		if !strings.Contains(text, "cairn "+completeName) {
			t.Errorf("the script for %s does not ask cairn:\n%s", shell, text)
		}
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		run := exec.Command(path, check)
		run.Stdin = strings.NewReader(text)
		if out, err := run.CombinedOutput(); err != nil {
			t.Errorf("%s: %v, %s", shell, err, out)
		}
		if shell != "fish" {
			continue
		}
		t.Chdir(t.TempDir())
		if err := os.WriteFile("x.npy", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		// No command is there, so that only files would be offered.
		run = exec.Command(path, "--no-config", "-c", text+"\ncomplete -C 'cairn info a.b2z::'")
		run.Env = []string{"PATH=", "HOME=" + t.TempDir()}
		if out, err := run.Output(); err != nil || len(out) > 0 {
			t.Errorf("fish offers files behind ::, %v, %s", err, out)
		}
	}
}
