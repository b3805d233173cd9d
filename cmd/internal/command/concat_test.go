package command

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestConcatJoinsArrays(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	whole := npyFile(t, "<i4", false, 6000)[128:]
	for i, rows := range []int64{40, 60} {
		b := npyFile(t, "<i4", false, rows, 60)
		b = append(b[:128], whole[i*40*60*4:][:rows*60*4]...)
		importBytes(t, b, path([]string{"first.b2nd", "second.b2nd"}[i]), "-chunks", "20,60", "-blocks", "10,60")
	}
	cairnOK(t, "concat", path("first.b2nd"), path("second.b2nd"), path("out.b2nd"))
	cairnOK(t, "verify", path("out.b2nd"))
	if r := cairnWith(t.Context(), nil, "cat", path("out.b2nd")); r.stdout != string(whole) {
		t.Fatal("other items came out")
	}
	cairnOK(t, "concat", "-stack", "-axis", "-1", "-codec", "lz4", path("first.b2nd"), path("first.b2nd"),
		path("stack.b2nd"))
	info := cairnWith(t.Context(), nil, "info", path("stack.b2nd")).stdout
	for _, want := range []string{
		"shape          40 × 60 × 2\n", "chunks         20 × 60 × 1\n", "codec          lz4, level 5\n",
	} {
		if !strings.Contains(info, want) {
			t.Errorf("no %q in\n%s", want, info)
		}
	}
	one := cairnWith(t.Context(), nil, "cat", "-s", "..., 1", path("stack.b2nd")).stdout
	if !bytes.Equal([]byte(one), whole[:40*60*4]) {
		t.Error("other items came out of the stack")
	}
	before := readFile(t, path("out.b2nd"))
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{path("out.b2nd")}, exitUsage},
		{[]string{path("new.b2nd")}, exitUsage},
		{[]string{path("first.b2nd"), path("first.b2nd")}, exitUsage},
		{[]string{"-plan", path("first.b2nd"), path("new.b2nd")}, exitUsage},
		{[]string{path("first.b2nd"), path("out.b2nd")}, exitFailed},
		{[]string{"-axis", "2", path("first.b2nd"), path("new.b2nd")}, exitUsage},
		{[]string{"-axis", "1", path("first.b2nd"), path("second.b2nd"), path("new.b2nd")}, exitFailed},
	} {
		if r := cairnWith(t.Context(), nil, append([]string{"concat"}, c.args...)...); r.code != c.code {
			t.Errorf("concat %v: exit %d, %s", c.args, r.code, r.stderr)
		}
	}
	if _, err := os.Stat(path("new.b2nd")); err == nil || !bytes.Equal(readFile(t, path("out.b2nd")), before) {
		t.Error("failures left something")
	}
	cairnOK(t, "concat", "-force", path("first.b2nd"), path("out.b2nd"))
}

// TestManyInputs joins and stacks more files than a process may have open.
func TestManyInputs(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // which has no such limit
	}
	t.Chdir(t.TempDir())
	const n = 600
	npy := npyFile(t, "<i4", false, 2, 3)
	items := npy[len(npy)-24:]
	for i := range n {
		writeFile(t, fmt.Sprintf("d%03d.npy", i), npy)
	}
	cairnOK(t, "export", "d000.npy", "d.zarr.zip")
	zip := readFile(t, "d.zarr.zip")
	for i := range n {
		writeFile(t, fmt.Sprintf("z%03d.zarr.zip", i), zip)
	}
	for i, line := range []string{"concat d*.npy OUT", "concat -stack -axis 0 d*.npy OUT", "concat z*.zarr.zip OUT",
		"append a.npy.b2nd d*.npy", "job plan -concat j d*.npy OUT"} {
		out := fmt.Sprintf("o%d.b2nd", i)
		if strings.HasPrefix(line, "append") {
			out = "a.npy.b2nd"
			cairnOK(t, "import", "d000.npy", out)
		}
		lines := []string{strings.ReplaceAll(line, "OUT", out)}
		if strings.HasPrefix(line, "job") {
			lines = append(lines, "job work j", "job seal j")
		}
		for _, line := range lines {
			run := process(t, strings.Fields(line)...)
			run.Args = append([]string{"sh", "-c", `ulimit -n 64 && exec "$0" "$@"`}, append([]string{run.Path}, run.Args[1:]...)...)
			run.Path = "/bin/sh"
			if text, err := run.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v, %s", line, err, text)
			}
		}
		want := strings.Repeat(string(items), n)
		if strings.HasPrefix(line, "append") {
			want += string(items)
		}
		if cairnOK(t, "cat", out) != want {
			t.Errorf("%s: other items", line)
		}
	}
}

// TestPatternsOfFilesWithAKey joins an array of several files with several arrays each.
func TestPatternsOfFilesWithAKey(t *testing.T) {
	file := readFile(t, netCDFFile(t, "classic.nc"))
	t.Chdir(t.TempDir())
	for _, name := range []string{"d2.nc", "d0.nc", "d1.nc", "e.nc"} {
		writeFile(t, name, file)
	}
	cairnOK(t, "concat", "-raw", "d*.nc::t2m", "raw.b2nd")
	cairnOK(t, "concat", "-stack", "-axis", "0", "-q", "d*.nc::t2[m]", "stacked.b2nd")
	one := cairnOK(t, "cat", "-raw", "d0.nc::t2m")
	for _, out := range []string{"raw.b2nd", "stacked.b2nd"} {
		if cairnOK(t, "cat", "-raw", out) != strings.Repeat(one, 3) {
			t.Errorf("%s has other items", out)
		}
	}
	cairnOK(t, "copy", "raw.b2nd", "p.b2d::/1/a")
	cairnOK(t, "copy", "raw.b2nd", "p.b2d::/2/a")
	if told := cairnOK(t, "job", "plan", "-concat", "join.job", "p.b2d::/*/a", "no.b2nd"); !strings.Contains(told, "task") {
		t.Errorf("a job of a pattern: %s", told)
	}
	wantFailure(t, cairnWith(t.Context(), nil, "concat", "d*.nc::none", "no.b2nd"), `has no array "none"`)
}

// TestJoinsCountWhatTheyConvert: one line tells of all inputs that differ from the first.
func TestJoinsCountWhatTheyConvert(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "a.npy", npyFile(t, "<f8", false, 2))
	for _, name := range []string{"b.npy", "c.npy", "d.npy"} {
		writeFile(t, name, npyFile(t, "<f4", false, 2))
	}
	r := cairnWith(t.Context(), nil, "concat", "a.npy", "b.npy", "c.npy", "d.npy", "out.b2nd")
	const want = "cairn: b.npy has dtype <f4, and a.npy has <f8: converted, and so are 2 more that differ from a.npy\n"
	if r.code != exitOK || r.stderr != want {
		t.Errorf("exit %d, %q", r.code, r.stderr)
	}
}
