package harness

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// A Peer is a process that gets one JSON command per line and returns one JSON answer per line. It
// must not be used concurrently.
type Peer struct {
	cmd       *exec.Cmd
	in        io.WriteCloser
	out       *bufio.Reader
	complaint tail
}

// ErrEnded means that a peer ended during a command.
var ErrEnded = errors.New("the other process ended")

// tail is a writer that keeps the last bytes.
type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	t.b = t.b[max(0, len(t.b)-2000):]
	return len(p), nil
}

// Start starts a command as a peer. The caller must close it.
func Start(cmd *exec.Cmd) (*Peer, error) {
	p := &Peer{cmd: cmd}
	cmd.Stderr = &p.complaint
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in = in
	p.out = bufio.NewReaderSize(out, 1<<20)
	return p, cmd.Start()
}

// Python starts a peer that runs source in an interpreter. It also returns the versions of what
// that uses.
func Python(python, source string) (p *Peer, versions string, err error) {
	if p, err = Start(exec.Command(python, "-c", source)); err != nil {
		return nil, "", err
	}
	var hello struct{ Versions string }
	if err := p.Call(map[string]string{"op": "hello"}, &hello); err != nil {
		return nil, "", errors.Join(err, p.Close())
	}
	return p, hello.Versions, nil
}

// Call sends a command and decodes the answer. An answer with a field "error" becomes an error,
// with the text of "trace".
func (p *Peer) Call(command, answer any) error {
	line, err := json.Marshal(command)
	if err != nil {
		return err
	}

	var reply []byte
	if _, err = p.in.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("%w: %w: %s", ErrEnded, errors.Join(err, p.Close()), p.complaint.b)
	}

	reply, err = p.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%w: %w: %s", ErrEnded, errors.Join(err, p.Close()), p.complaint.b)
	}

	var failure struct {
		Error string `json:"error"`
		Trace string `json:"trace"`
	}
	if reply[0] == '{' {
		err = json.Unmarshal(reply, &failure)
	}
	if failure.Error != "" {
		return errors.New("the real library fails: " + failure.Error + "\n" + failure.Trace)
	}

	if err != nil {
		return err
	}

	return json.Unmarshal(reply, answer)
}

// Close ends the process.
func (p *Peer) Close() error { return errors.Join(p.in.Close(), p.cmd.Wait()) }
