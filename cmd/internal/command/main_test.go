package command

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asCommand makes the test binary run as the command.
const asCommand = "CAIRN_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(Main(nil))
	}
	os.Exit(m.Run())
}

// TestCollectorIsDelayedOnce checks that garbage is collected as usual after the first time.
func TestCollectorIsDelayedOnce(t *testing.T) {
	usual := debug.SetGCPercent(100)
	defer debug.SetGCPercent(usual)
	delayCollector()
	if got := debug.SetGCPercent(400); got != 400 {
		t.Fatalf("the percentage is %d at first, want 400", got)
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		runtime.GC()
		got := debug.SetGCPercent(100)
		if got == 100 {
			return
		}
		debug.SetGCPercent(got)
	}
	t.Error("the percentage stays after collections")
}

// process returns the command as a separate process.
func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	c := exec.CommandContext(ctx, self, args...)
	c.Env = append(os.Environ(), asCommand+"=1")
	return c
}

// TestSignalsEndVerbs checks that a signal removes unfinished files, prints only one message, and
// ends the process by that signal.
func TestSignalsEndVerbs(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // which has no such signals between processes
	}
	// A child inherits that a signal is ignored, as nohup sees to, but not that one is caught.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGTERM, hangUp)
	defer signal.Stop(caught)
	file := npyFile(t, "<f4", false, 300, 300)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, hangUp} {
		dir := t.TempDir()
		c := process(t, "import", "-chunks", "50,50", "-", filepath.Join(dir, "a.b2nd"))
		var stderr bytes.Buffer
		c.Stderr = &stderr
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Write(file[:len(file)/2]); err != nil {
			t.Fatal(err)
		}
		// until the import is on its way
		for entries := 0; entries == 0; time.Sleep(time.Millisecond) {
			list, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			entries = len(list)
		}
		if err := c.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		c.Wait()
		status := c.ProcessState.Sys().(syscall.WaitStatus)
		if !status.Signaled() || status.Signal() != s || stderr.String() != "cairn: interrupted\n" {
			t.Errorf("%v: %v, %q", s, c.ProcessState, &stderr)
		}
		wantFiles(t, dir)
	}
}

// TestSignalsEndWritesWithoutReaders checks that a signal ends the command while it writes to a
// full pipe.
func TestSignalsEndWritesWithoutReaders(t *testing.T) {
	if runtime.GOOS == "windows" {
		return
	}
	array := filepath.Join(t.TempDir(), "a.b2nd")
	importBytes(t, npyFile(t, "<f4", false, 300, 300), array)
	c := process(t, "cat", array)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 1)); err != nil { // so it is writing
		t.Fatal(err)
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if state, err := c.Process.Wait(); err != nil || state.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM {
		t.Errorf("%v, %v", state, err)
	}
}

// TestReadersThatStopEarly checks that there is no error message if the reader closes the pipe.
func TestReadersThatStopEarly(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // where there is no EPIPE
	}
	array := filepath.Join(t.TempDir(), "a.b2nd")
	importBytes(t, npyFile(t, "<f4", false, 300, 300), array)
	for _, args := range [][]string{{"cat", array}, {"export", array, "-"}, {"copy", array, "-"}} {
		c := process(t, args...)
		var stderr bytes.Buffer
		c.Stderr = &stderr
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, make([]byte, 4)); err != nil {
			t.Fatal(err)
		}
		out.Close()
		c.Wait()
		if c.ProcessState.ExitCode() != 141 || stderr.Len() > 0 {
			t.Errorf("%v: %v, %q", args, c.ProcessState, &stderr)
		}
	}
}

// TestTheLocaleCHasASCII checks that messages contain only ASCII in the locale C and on dumb
// terminals.
func TestTheLocaleCHasASCII(t *testing.T) {
	array := filepath.Join(t.TempDir(), "a.b2nd")
	importBytes(t, npyFile(t, "<f4", false, 30, 30), array)
	for env, ascii := range map[string]bool{
		"LC_ALL=C": true, "LC_ALL=POSIX": true, "LC_ALL=C.UTF-8": false, "LC_ALL=en_US.UTF-8": false,
		"LC_ALL= LC_CTYPE=C LANG=C.UTF-8": true, "LC_ALL= LC_CTYPE= LANG=de_DE.UTF-8": false,
		"LC_ALL= LC_CTYPE= LANG=":  runtime.GOOS != "windows",
		"TERM=dumb LC_ALL=C.UTF-8": true,
	} {
		var all []byte
		for _, args := range [][]string{{"info", array}, {"verify", array}, {"help"}, {"help", "delete"}, {"delete"}} {
			c := process(t, args...)
			c.Env = append(append(c.Env, "TERM=xterm"), strings.Fields(env)...)
			out, _ := c.CombinedOutput()
			all = append(all, out...)
		}
		if got := strings.IndexFunc(string(all), func(r rune) bool { return r > 0x7e }) < 0; got != ascii {
			t.Errorf("%s: only ASCII is %v:\n%s", env, got, all)
		}
	}
}
