package main

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/serve"
)

//go:embed server.py
var pythonServer string

// A peer is a server in a process of its own.
type peer struct {
	name, base string
	cmd        *exec.Cmd
}

func (p *peer) stop() {
	_ = p.cmd.Process.Kill() // it may have ended
	_ = p.cmd.Wait()
}

// memory returns the most memory that the process had.
func (p *peer) memory() int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	kib, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	return kib << 10
}

// startAll starts the servers. Those that it returns have to be stopped, even after an error.
func startAll(dir string, o options) (peers []*peer, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}

	p, err := startPeer("cairn", exec.Command(self, "-serve", dir))
	if err != nil {
		return nil, err
	}
	peers = append(peers, p)

	if o.python != "" {
		if p, err = startPeer("aiohttp", exec.Command(o.python, "-c", pythonServer, dir)); err != nil {
			return peers, err
		}
		peers = append(peers, p)
	}
	if o.caterva2 != "" {
		if p, err = startCaterva2(dir, o.caterva2); err != nil {
			return peers, err
		}
		peers = append(peers, p)
	}
	return peers, nil
}

// startPeer starts a server that prints its address.
func startPeer(name string, cmd *exec.Cmd) (*peer, error) {
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	p := &peer{name, "http://" + strings.TrimSpace(line), cmd}
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// serveFolder serves a folder until the process ends.
func serveFolder(dir string) error {
	h, err := serve.New([]serve.Root{{Name: "data", Path: dir}}, &serve.Options{PerClient: 1 << 10})
	if err != nil {
		return err
	}
	ndarray.SetCacheBytes(1 << 30 / 8) // as the command does by default
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return errors.Join(err, h.Close())
	}
	fmt.Println(l.Addr())
	return (&http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}).Serve(l)
}

// startCaterva2 starts a server of Caterva2 with the array among its public files.
func startCaterva2(dir, python string) (*peer, error) {
	state := filepath.Join(dir, "caterva2")
	if err := os.MkdirAll(filepath.Join(state, "public"), 0o777); err != nil {
		return nil, err
	}
	if err := os.Link(filepath.Join(dir, "a.b2nd"), filepath.Join(state, "public", "a.b2nd")); err != nil {
		return nil, err
	}

	l, err := net.Listen("tcp", "127.0.0.1:0") // a free port
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}

	cmd := exec.Command(filepath.Join(filepath.Dir(python), "cat2-server"), "--listen", address, "--statedir", state)
	cmd.Dir = state
	cmd.Env = append(os.Environ(), "CATERVA2_SECRET=none")
	if err := cmd.Start(); err != nil {
		return nil, err
	}

	p := &peer{"caterva2", "http://" + address, cmd}
	for range 100 {
		time.Sleep(200 * time.Millisecond)
		if r, err := http.Get(p.base + "/api/info/@public/a.b2nd"); err == nil {
			_ = r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return p, nil
			}
		}
	}
	p.stop()
	return nil, errors.New("caterva2 does not answer")
}
