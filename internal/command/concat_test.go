package command

import (
	"bytes"
	"os"
	"path/filepath"
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
