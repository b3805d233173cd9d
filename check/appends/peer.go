package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// A peer is a Python process that opens files.
type peer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startPeer(python, script string) (*peer, error) {
	p := &peer{cmd: exec.Command(python, script)}
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, p.cmd.Start()
}

// ask opens a file, which must have what one of two others has, and returns what is wrong, or ok;
// partly if some datasets are those of the second one. With on, Python appends to it, too.
func (p *peer) ask(left, has, next string, on bool) (string, error) {
	if _, err := fmt.Fprintf(p.in, "%s\t%s\t%s\t%t\n", left, has, next, on); err != nil {
		return "", err
	}
	text, err := p.out.ReadString('\n')
	return strings.TrimSpace(text), err
}

// forget lets files of the same names be others from now on.
func (p *peer) forget() { _, _ = io.WriteString(p.in, "\n") }

func (p *peer) close() error { return errors.Join(p.in.Close(), p.cmd.Wait()) }
