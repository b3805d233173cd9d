package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
)

//go:embed peers.py
var peersProgram string

// A peer is a process with the Python libraries.
type peer struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	out      *bufio.Reader
	versions string
}

type answer struct {
	Seconds  float64
	Sum      uint32 // CRC-32 of the items
	Error    string
	Versions string
}

func startPeer(python string) (*peer, error) {
	cmd := exec.Command(python, "-c", peersProgram)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := &peer{cmd: cmd, in: in, out: bufio.NewReader(out)}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	hello, err := p.receive()
	p.versions = hello.Versions
	return p, err
}

func (p *peer) call(task map[string]any) (answer, error) {
	line, err := json.Marshal(task)
	if err == nil {
		_, err = p.in.Write(append(line, '\n'))
	}
	if err != nil {
		return answer{}, err
	}
	return p.receive()
}

func (p *peer) receive() (a answer, err error) {
	line, err := p.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &a)
	}
	if err == nil && a.Error != "" {
		err = errors.New(a.Error)
	}
	return a, err
}

func (p *peer) close() error { return errors.Join(p.in.Close(), p.cmd.Wait()) }
