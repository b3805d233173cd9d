// Package pypeer talks to a Python process that has the real library: one JSON command per line to it, one JSON answer per line back.
package pypeer

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// A Peer is a Python process that runs a program. It serves one goroutine.
type Peer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// Start runs source with an interpreter. What it writes to its standard error goes to that of this process. The caller closes the peer.
func Start(python, source string) (*Peer, error) {
	cmd := exec.Command(python, "-c", source)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Peer{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}, nil
}

// Call sends a command and decodes the answer. An answer with a field "error" is an error; "trace" may say more.
func (p *Peer) Call(command, answer any) error {
	line, err := json.Marshal(command)
	if err != nil {
		return err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("peer: %w", err)
	}
	reply, err := p.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("peer: %w", err)
	}
	var failure struct {
		Error string `json:"error"`
		Trace string `json:"trace"`
	}
	if err := json.Unmarshal(reply, &failure); err != nil {
		return fmt.Errorf("peer: %w", err)
	}
	if failure.Error != "" {
		return errors.New("the real library fails: " + failure.Error + "\n" + failure.Trace)
	}
	return json.Unmarshal(reply, answer)
}

// Close ends the process.
func (p *Peer) Close() error {
	p.in.Close()
	return p.cmd.Wait()
}
