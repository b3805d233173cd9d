package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
)

func TestColorIsUsedWhenAskedFor(t *testing.T) {
	const escape = "\x1b["
	if text := cairnOK(t, "help"); strings.Contains(text, escape) {
		t.Errorf("help has colours, and standard output is no terminal:\n%s", text)
	}
	if text := cairnOK(t, "help", "-color", "always"); !strings.Contains(text, escape) {
		t.Errorf("help has no colours:\n%s", text)
	}
	if text := cairnOK(t, "help", "-color", "never", "copy"); strings.Contains(text, escape) {
		t.Errorf("help has colours:\n%s", text)
	}
}

// TestProgressForPrograms checks that -progress json reports the end, and -q nothing.
func TestProgressForPrograms(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "a.b2nd")
	importBytes(t, npyFile(t, "<i4", false, 1000), in)
	var stdout, stderr bytes.Buffer
	args := []string{"copy", "-progress", "json", in, filepath.Join(dir, "b.b2nd")}
	if code := run(t.Context(), args, nil, &stdout, &stderr); code != 0 {
		t.Fatalf("exit %d, %s", code, stderr.String())
	}
	want := `{"label":"copying","done":4000,"total":4000,`
	if got := stderr.String(); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "\"ended\":true}\n") {
		t.Errorf("progress is %s", got)
	}
	cairnOK(t, "copy", "-progress", "json", "-q", in, filepath.Join(dir, "c.b2nd"))
	cairnOK(t, "copy", "-progress=none", in, filepath.Join(dir, "d.b2nd"))
}

// TestClosingLine checks what is said after long work, and that nothing is after short work.
func TestClosingLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.b2nd")
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	const elapsed = 8512 * time.Millisecond
	if got, want := closingLine(2<<20, targetOf(path), elapsed), "2.0 MiB → 1.0 MiB, ratio 2.00, 8.5s"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	if got, want := closingLine(2<<20, targetOf("-"), elapsed), "2.0 MiB in 8.5s"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	var stderr bytes.Buffer
	std := &streams{Console: console.Console{Err: &stderr}, job: job{out: targetOf(path)}}
	std.closeJob()
	std.newBar("copying", 4000).Close()
	std.closeJob()
	if stderr.Len() > 0 {
		t.Errorf("after short work it says %q", stderr.String())
	}
}
