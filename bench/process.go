package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// A process is a peer that runs during the whole benchmark. It reads one request per line and
// answers each with a line of JSON.
type process struct {
	name string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
}

// answer is the result of a measurement by a peer.
type answer struct {
	Seconds []float64 `json:"seconds"`
	Size    int64     `json:"size"`
}

func startProcess(name string, argv ...string) (*process, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &process{name: name, cmd: cmd, in: in, out: bufio.NewReader(out)}, cmd.Start()
}

// ask sends one request and decodes the answer.
func (p *process) ask(to any, request string) error {
	if _, err := io.WriteString(p.in, request+"\n"); err != nil {
		return err
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	var failure struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal(line, &failure); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	if failure.Error != "" {
		return errors.New(p.name + ": " + failure.Error)
	}
	return json.Unmarshal(line, to)
}

// versions returns "name version" for each library in the process.
func (p *process) versions(request string) ([]string, error) {
	var v struct {
		Versions []string `json:"versions"`
	}
	err := p.ask(&v, request)
	return v.Versions, err
}

func (p *process) close() {
	p.in.Close()
	p.cmd.Wait()
}

// inFile calls use with the path of a temporary file of data, by which data is passed to other
// processes.
func inFile(data []byte, use func(path string) error) error {
	f, err := os.CreateTemp("", "cairn-bench-*.raw")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return use(f.Name())
}
