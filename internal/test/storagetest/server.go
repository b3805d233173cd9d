package storagetest

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// StartServer starts a server for t on a free port of the loopback interface and returns its
// address once it accepts connections. program is the path of an executable in the cache folder
// into which .ci/run installs what it needs. args returns its arguments.
func StartServer(t *testing.T, program string, args func(port string) []string) (address string) {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}

	program = filepath.Join(cache, "cairn-ci", filepath.FromSlash(program))
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("%v; .ci/run nested installs it", err)
	}

	address = freeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.Command(program, args(port)...)
	cmd.Dir = t.TempDir()
	var output bytes.Buffer // read once the process has ended
	cmd.Stdout = &output
	cmd.Stderr = &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	const patience = time.Minute
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(20 * time.Millisecond) {
		select {
		case <-ended:
			t.Fatalf("%s has ended:\n%s", program, &output)
		default:
		}

		c, err := net.DialTimeout("tcp", address, time.Second)
		if err != nil {
			continue
		}
		_ = c.Close()
		return address
	}

	t.Fatalf("%s does not listen on %s after %v", program, address, patience)
	return ""
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
