package command

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
)

// result is the outcome of one run of the command.
type result struct {
	code           int
	stdout, stderr string
}

// run runs the command with the given streams.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return (&streams{Console: console.Console{Out: stdout, Err: stderr}, in: stdin}).run(ctx, args)
}

// cairnWith runs the command in this process.
func cairnWith(ctx context.Context, stdin io.Reader, args ...string) result {
	var stdout, stderr bytes.Buffer
	code := run(ctx, args, stdin, &stdout, &stderr)
	return result{code, stdout.String(), stderr.String()}
}

// cairnOK runs the command, which must succeed without output on standard error, and returns its
// standard output.
func cairnOK(t testing.TB, args ...string) string {
	t.Helper()
	r := cairnWith(t.Context(), strings.NewReader(""), args...)
	if r.code != 0 || r.stderr != "" {
		t.Fatalf("cairn %s: exit %d, %s", strings.Join(args, " "), r.code, r.stderr)
	}
	return r.stdout
}

// cairnNotes is cairnOK for a command that leaves attributes out, with a note.
func cairnNotes(t testing.TB, args ...string) {
	t.Helper()
	r := cairnWith(t.Context(), strings.NewReader(""), args...)
	for line := range strings.Lines(r.stderr) {
		if r.code != 0 || !strings.HasPrefix(line, "cairn: attribute ") {
			t.Fatalf("cairn %s: exit %d, %s", strings.Join(args, " "), r.code, r.stderr)
		}
	}
}

// wantFailure checks for exit code 1 and one line of output that contains text.
func wantFailure(t testing.TB, r result, text string) {
	t.Helper()
	if r.code != exitFailed || !strings.HasPrefix(r.stderr, "cairn: ") || strings.Count(r.stderr, "\n") != 1 ||
		!strings.Contains(r.stderr, text) {
		t.Errorf("exit %d, stderr %q, want exit 1 and one line with %q", r.code, r.stderr, text)
	}
}

// wantFiles checks the contents of a directory, including hidden files.
func wantFiles(t testing.TB, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the directory holds %q, want %q", got, want)
	}
}

func TestUsageErrors(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.b2nd")
	for _, c := range []struct {
		args string
		want string
	}{
		{"", "cairn VERB [flags] PATH"},
		{"frobnicate", `unknown verb "frobnicate"`},
		{"info", "no PATH given"},
		{"watch a b", `unexpected argument "b"`},
		{"info -nonsense a", "unknown flag -nonsense"},
		{"cat", "no PATH given"},
		{"cat -s 1:2:3:4 a", "two colons"},
		{"cat -s", "needs an argument"},
		{"import a.npy", "no OUT.b2nd given"},
		{"import a b c", `unexpected argument "c"`},
		{"import -chunks 4,x a " + out, `-chunks: "x" is not a positive number`},
		{"import -chunks 0 a " + out, `-chunks: "0" is not a positive number`},
		{"import -blocks -3 a " + out, "-blocks"},
		{"import -codec lzma a " + out, `unknown codec "lzma"`},
		{"import -codec snappy a " + out, "can be read but not written"},
		{"import -level 10 a " + out, "-level is 10"},
		{"import -level -1 a " + out, "-level is -1"},
		{"import -level high a " + out, "invalid value"},
		{"import -filters shufle a " + out, `no filter is called "shufle"`},
		{"import -filters shuffle,delta,shuffle,delta,shuffle,delta,shuffle a " + out, "7 filters"},
		{"import -workers -2 a " + out, "-workers is -2"},
		{"cat -workers -1 a", "-workers is -1"},
		{"export -workers -1 a b", "-workers is -1"},
		{"verify -workers -1 a", "-workers is -1"},
		{"demo -workers -1", "-workers is -1"},
		{"export a", "no OUT.npy given"},
		{"export -s , a b", "-s"},
		{"verify", "no PATH given"},
		{"demo x", `unexpected argument "x"`},
		{"demo -days 0", "-days is 0"},
		{"version x", `unexpected argument "x"`},
		{"help nonsense", `unknown verb "nonsense"`},
		{"help info cat", `unexpected argument "cat"`},
		{"inof a", `unknown verb "inof"; did you mean info?`},
		{"exp a", "did you mean export?"},
		{"help verfy", "did you mean verify?"},
		{"meta gte a", "did you mean get?"},
		{"import -codec zsdt a " + out, "did you mean zstd?"},
		{"import -filters bitshufle a " + out, "did you mean bitshuffle?"},
		{"import -cunks 3 a " + out, "unknown flag -cunks; did you mean -chunks?"},
		{"import -codec lz4:4 a " + out, "codec lz4 takes no parameter"},
		{"concat -plan a " + out, "unknown flag -plan"},
		{"help -man copy", `unexpected argument "copy"`},
	} {
		r := cairnWith(t.Context(), strings.NewReader(""), strings.Fields(c.args)...)
		if r.code != exitUsage || r.stdout != "" || !strings.Contains(r.stderr, c.want) {
			t.Errorf("cairn %s: exit %d, stdout %q, stderr %q; want exit 2 and %q", c.args, r.code, r.stdout, r.stderr, c.want)
		}
		if c.args != "" && (strings.Count(r.stderr, "\n") != 2 || !strings.Contains(r.stderr, "\nusage: cairn ")) {
			t.Errorf("cairn %s: no short usage: %q", c.args, r.stderr)
		}
		if _, usage, ok := strings.Cut(r.stderr, "\nusage: "); ok && len(usage) > 110 {
			t.Errorf("cairn %s: a long usage: %q", c.args, usage)
		}
	}
}

func TestHelpNamesEveryVerbAndFlag(t *testing.T) {
	general := cairnOK(t, "help")
	if cairnOK(t, "-h") != general || cairnOK(t, "--help") != general {
		t.Error("-h, --help and help differ")
	}
	for _, v := range verbs() {
		if !strings.Contains(general, "  "+v.name+" ") && !strings.Contains(general, "\n"+v.name+" ") {
			t.Errorf("help does not mention %s", v.name)
		}
		text := cairnOK(t, "help", v.name)
		if !strings.HasPrefix(text, "usage: cairn "+v.name) || cairnOK(t, v.name, "-h") != text {
			t.Errorf("help of %s: %q", v.name, text)
		}
	}
	if text := cairnOK(t, "help", "import"); strings.Contains(text, "buggy") {
		t.Errorf("help recommends filters for reading: %s", text)
	}
	for _, name := range []string{"-chunks", "-blocks", "-codec", "-level", "-filters", "-sparse", "-workers",
		"-force", "bitshuffle", "lz4hc"} {
		if !strings.Contains(cairnOK(t, "help", "import"), name) {
			t.Errorf("help of import does not mention %s", name)
		}
	}
}

func TestVersion(t *testing.T) {
	if got := cairnOK(t, "version"); !strings.HasPrefix(got, "cairn ") || strings.Count(got, "\n") != 1 || got != cairnOK(t, "--version") {
		t.Errorf("version is %q", got)
	}
}

func importOf(t *testing.T) *verb {
	t.Helper()
	v, err := findVerb("import")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestFlagsMayComeAfterOperands(t *testing.T) {
	set, _ := importOf(t).flags()
	operands, err := parseFlags(set, []string{"in.npy", "-level", "3", "out.b2nd", "-sparse"}, nil)
	if err != nil || strings.Join(operands, " ") != "in.npy out.b2nd" || set.Lookup("level").Value.String() != "3" ||
		set.Lookup("sparse").Value.String() != "true" {
		t.Errorf("operands %q: %v", operands, err)
	}
	set, _ = importOf(t).flags()
	if operands, err = parseFlags(set, []string{"-level=3", "--", "-in", "-sparse"}, nil); err != nil ||
		strings.Join(operands, " ") != "-in -sparse" {
		t.Errorf("after --: operands %q: %v", operands, err)
	}
}

// brokenPipeWriter fails after some bytes, like standard output after its reader has closed it.
type brokenPipeWriter struct{ room int }

var errBrokenPipe = errors.New("broken pipe")

func (w *brokenPipeWriter) Write(p []byte) (int, error) {
	if len(p) > w.room {
		n := w.room
		w.room = 0
		return n, errBrokenPipe
	}
	w.room -= len(p)
	return len(p), nil
}

func TestErrorsOfStandardOutputAreFailures(t *testing.T) {
	dir := t.TempDir()
	array := filepath.Join(dir, "a.b2nd")
	importBytes(t, npyFile(t, "<i4", false, 100, 100), array)
	for _, args := range [][]string{
		{"help"}, {"help", "cat"}, {"version"}, {"info", array}, {"info", "-json", array}, {"cat", array},
		{"export", array, "-"}, {"verify", array},
		{"demo", "-days", "2", "-out", filepath.Join(dir, "demo")},
	} {
		var stderr bytes.Buffer
		code := run(t.Context(), args, strings.NewReader(""), &brokenPipeWriter{room: 5}, &stderr)
		wantFailure(t, result{code, "", stderr.String()}, "broken pipe")
	}
}
