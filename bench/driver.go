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

// A driver is the running C side.
type driver struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startDriver(path string) (*driver, error) {
	if path == "" {
		return nil, errors.New("-driver is missing; bench/run compiles it")
	}
	cmd := exec.Command(path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &driver{cmd: cmd, in: in, out: bufio.NewReader(out)}, cmd.Start()
}

// ask sends one command and decodes the answer.
func (d *driver) ask(answer any, format string, args ...any) error {
	if _, err := fmt.Fprintf(d.in, format+"\n", args...); err != nil {
		return err
	}
	line, err := d.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("driver: %w", err)
	}
	var failure struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal(line, &failure); err != nil {
		return fmt.Errorf("driver: %w", err)
	}
	if failure.Error != "" {
		return errors.New("driver: " + failure.Error)
	}
	return json.Unmarshal(line, answer)
}

func (d *driver) version() (string, error) {
	var v struct {
		Version string `json:"version"`
	}
	err := d.ask(&v, "version")
	return v.Version, err
}

// load hands the data over through a file.
func (d *driver) load(w *workload) error {
	f, err := os.CreateTemp("", "cairn-bench-*.raw")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(w.data); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	var size struct {
		Size int `json:"size"`
	}
	if err := d.ask(&size, "load %s 0", f.Name()); err != nil {
		return err
	}
	if size.Size != len(w.data) {
		return fmt.Errorf("driver took %d of %d bytes", size.Size, len(w.data))
	}
	return nil
}

func (d *driver) run(j job, reps int) (timing, error) {
	var t timing
	err := d.ask(&t, "run %s %d %d %d %d %d %d %d", j.layer, j.codec.ID(), j.level, j.filter.ID, j.typeSize, j.threads, j.chunkSize, reps)
	return t, err
}

func (d *driver) close() {
	d.in.Close()
	d.cmd.Wait()
}
