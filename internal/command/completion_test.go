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
		if got := strings.Fields(cairnOK(t, completeName, "-line", line)); !slices.Equal(got, want) {
			t.Errorf("the line %q is completed as %q, want %q", line, got, want)
		}
	}
}

// TestBashCompletion runs the script for bash with a command cairn that answers as this one.
func TestBashCompletion(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		return
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "completion")
	if err := os.WriteFile(script, []byte(cairnOK(t, "completion", "bash")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, answer, want string }{
		{"cairn ver", "verify\nversion\n", "verify version"},
		{"cairn info a.b2z::/r", "a.b2z::/run 1/\na.b2z::/run2/\n", "/run 1/ /run2/"},
		{"cairn copy -codec=z", "-codec=zlib\n-codec=zstd\n", "zlib zstd"},
		{"cairn info x", "", ""},
	} {
		run := exec.Command(bash, "-c", `cairn() { [[ $1 == __complete && $3 == "$COMP_LINE" ]] && printf -- "$ANSWER"; }
			compopt() { :; }
			source "$1"; COMP_POINT=${#COMP_LINE}; _cairn; echo "${COMPREPLY[*]}"`, "bash", script)
		run.Env = append(os.Environ(), "COMP_LINE="+c.line, "ANSWER="+c.answer)
		out, err := run.CombinedOutput()
		if got := strings.TrimSuffix(string(out), "\n"); err != nil || got != c.want {
			t.Errorf("%s: %v, %q, want %q", c.line, err, got, c.want)
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
