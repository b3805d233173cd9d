package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/internal/test/storagetest"
)

// brief is the sweep of crashes in tests.
var brief = storagetest.Sweep{Seed: 1, Subsets: 1, Samples: 1}

func TestVerbsLoseNothing(t *testing.T) {
	only := ""
	if testing.Short() {
		only = ".b2z"
	}
	c := quick(t)
	c.thin = 3
	lostNothing(t, c, c.replayVerbs(filepath.Join("testdata", recordedVerbs), only, brief))
	for _, one := range allVerbCases() {
		if one.slow {
			continue
		}
		got := c.report.Verbs[one.String()]
		if strings.Contains(one.String(), only) && (got.A < 4 || got.C < 2) {
			t.Errorf("%v: too few crashes: %+v; record it", one, got)
		}
	}
}

// TestVerbsThatDoNotSyncAreCaught removes all syncs of each verb. Crashes must then find losses.
func TestVerbsThatDoNotSyncAreCaught(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("testdata", recordedVerbs, "*.trace.gz"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for i, name := range names {
		if i%3 > 0 || testing.Short() && i%8 > 0 {
			continue
		}
		r, err := readVerb(name)
		if err != nil {
			t.Fatal(err)
		}
		ops := slices.Clone(r.log.Ops[:r.settled])
		for _, op := range r.log.Ops[r.settled:] {
			if op.Kind != storagetest.OpSync && op.Kind != storagetest.OpSyncDir {
				ops = append(ops, op)
			}
		}
		r.log = storagetest.NewLog(ops)
		c := quick(t)
		c.first = true
		if err := c.crashRun(r, brief); err != nil {
			t.Fatal(err)
		}
		if c.report.Lost == 0 {
			t.Errorf("%s: nothing is lost without a single sync", r.verb)
		}
	}
}

// TestVerbsAreTraced runs some verbs of the current command.
func TestVerbsAreTraced(t *testing.T) {
	if exec.Command("strace", "-o", filepath.Join(t.TempDir(), "trace"), "true").Run() != nil {
		return // only recorded traces are possible
	}
	c := quick(t)
	t.Chdir("../..") // the command is built from the root
	s := &settings{verbs: "import leaf new"}
	lostNothing(t, c, c.crashVerbs(s, brief))
	if len(c.report.Verbs) != 3 {
		t.Errorf("crashed %v", c.report.Verbs)
	}
}

// callsIn reads calls from lines of strace with readable paths.
func callsIn(t *testing.T, lines ...string) (*calls, error) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c, err := newCalls(root)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, line := range lines {
		for _, name := range []string{"new", "old", "data"} {
			line = strings.ReplaceAll(line, `"`+name+`"`, `"`+hexPath(name)+`"`)
			line = strings.ReplaceAll(line, "<"+name+">", "<"+hexPath(root+"/"+name)+">")
		}
		text.WriteString(strings.ReplaceAll(line, "<.>", "<"+hexPath(root)+">") + "\n")
	}
	return c, c.read(strings.NewReader(text.String()))
}

func TestTracedCallsAreParsed(t *testing.T) {
	c, err := callsIn(t,
		`7 openat(AT_FDCWD<.>, "new", O_RDWR|O_CREAT|O_EXCL|O_CLOEXEC, 0600) = 3<new>`,
		`7 write(3<new>, "data", 4) = 4`,
		`7 write(3<new>, "data", 4 <unfinished ...>`,
		`8 +++ exited with 0 +++`,
		`8 pwrite64(3<new>, "data", 4, 100) = 4`,
		`7 <... write resumed>) = 4`,
		`7 pwritev(3<new>, [{iov_base="old", iov_len=3}, {iov_base="data", iov_len=4}], 2, 200) = 7`,
		`7 ftruncate(3<new>, 6) = 0`,
		`7 fsync(3<new>)  = 0`,
		`7 linkat(AT_FDCWD<.>, "new", AT_FDCWD<.>, "old", 0) = 0`,
		`7 unlinkat(AT_FDCWD<.>, "new", 0) = 0`,
		`7 unlinkat(AT_FDCWD<.>, "new", 0) = -1 ENOENT (No such file or directory)`,
		`7 mkdirat(AT_FDCWD<.>, "new", 0700) = 0`,
		`7 renameat2(AT_FDCWD<.>, "new", AT_FDCWD<.>, "old", RENAME_EXCHANGE) = 0`,
		`7 openat(AT_FDCWD<.>, "old", O_RDONLY|O_CLOEXEC) = 4<old>`,
		`7 fsync(4<old>) = 0`,
		`7 renameat(AT_FDCWD<.>, "new", AT_FDCWD<.>, "data") = 0`,
		`7 write(1<pipe:[77]>, "data", 4) = 4`,
	)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"syncdir .", "create new as file 0", "write file 0 [0, 4)", "write file 0 [100, 104)",
		"write file 0 [4, 8)", "write file 0 [200, 207)", "truncate file 0 to 6", "sync file 0",
		"link new to old", "remove new", "mkdir new",
		"exchange new and old", "syncdir old", "rename new to data",
	}
	var got []string
	for _, op := range c.ops {
		got = append(got, op.String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

func TestUnknownTracedCallsAreErrors(t *testing.T) {
	open := `7 openat(AT_FDCWD<.>, "new", O_RDWR|O_CREAT|O_EXCL|O_CLOEXEC, 0600) = 3<new>`
	for _, c := range []struct{ line, want string }{
		{`7 copy_file_range(5<old>, NULL, 3<new>, NULL, 9, 0) = 9`, "not known"},
		{`7 fallocate(3<new>, 0, 0, 9) = 0`, "not known"},
		{`7 pwrite64(9<new>, "data", 4, 0) = 4`, "not opened"},
		{`7 openat(AT_FDCWD<.>, "old", O_RDONLY) = 4<old>`, "nobody made"},
		{`7 renameat(AT_FDCWD<.>, "new", AT_FDCWD</>, "/old") = 0`, "leaves"},
	} {
		if _, err := callsIn(t, open, c.line); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.line, err)
		}
	}
}

// TestPermissionsMustBeDurableFirst renames a file after its mode was set, with and without a sync
// in between.
func TestPermissionsMustBeDurableFirst(t *testing.T) {
	for _, synced := range []bool{false, true} {
		lines := []string{
			`7 openat(AT_FDCWD<.>, "new", O_RDWR|O_CREAT|O_EXCL|O_CLOEXEC, 0600) = 3<new>`,
			`7 fchmod(3<new>, 0640) = 0`,
		}
		if synced {
			lines = append(lines, `7 fsync(3<new>) = 0`)
		}
		_, err := callsIn(t, append(lines, `7 renameat(AT_FDCWD<.>, "new", AT_FDCWD<.>, "old") = 0`)...)
		if synced != (err == nil) {
			t.Errorf("synced %v: %v", synced, fmt.Sprint(err))
		}
	}
}

// hexPath returns a path as strace writes it.
func hexPath(name string) string {
	var b strings.Builder
	for i := range len(name) {
		fmt.Fprintf(&b, `\x%02x`, name[i])
	}
	return b.String()
}
