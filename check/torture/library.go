package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
)

// A library is a process that opens files with the real C library and says what they hold. It serves one goroutine.
type library struct {
	python, script string
	cmd            *exec.Cmd // nil before the first question, and when the process ended
	in             io.WriteCloser
	out            *bufio.Reader
	complaint      tail
}

// newLibrary returns the library of a Python interpreter that has blosc2, or nil for none.
func newLibrary(python, scripts string) *library {
	if python == "" {
		return nil
	}
	return &library{python: python, script: filepath.Join(scripts, "look.py")}
}

// tail keeps the last bytes that were written to it.
type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	t.b = t.b[max(0, len(t.b)-2000):]
	return len(p), nil
}

func (l *library) start() error {
	l.complaint = tail{}
	l.cmd = exec.Command(l.python, l.script)
	l.cmd.Stderr = &l.complaint
	in, err := l.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	l.in, l.out = in, bufio.NewReader(out)
	return l.cmd.Start()
}

// seen is what the library says of one file.
type seen struct {
	content
	err error
}

// errLibraryEnded reports that the process did not survive a question.
var errLibraryEnded = errors.New("the process with the C library ended")

// look asks what is under each of the names. A process that dies of a file is started again, and asked about each file by itself.
func (l *library) look(names []string) ([]seen, error) {
	answers, err := l.ask(names)
	if !errors.Is(err, errLibraryEnded) || len(names) == 1 {
		return answers, err
	}
	for _, name := range names {
		one, err := l.ask([]string{name})
		switch {
		case err == nil:
			answers = append(answers, one[0])
		case errors.Is(err, errLibraryEnded):
			answers = append(answers, seen{err: err})
		default:
			return nil, err
		}
	}
	return answers, nil
}

func (l *library) ask(names []string) ([]seen, error) {
	if l.cmd == nil {
		if err := l.start(); err != nil {
			return nil, err
		}
	}
	question, err := json.Marshal(names)
	if err != nil {
		return nil, err
	}
	var line []byte
	if _, err = l.in.Write(append(question, '\n')); err == nil {
		line, err = l.out.ReadBytes('\n')
	}
	if err != nil {
		ended := l.close()
		return nil, fmt.Errorf("%w: %w: %s", errLibraryEnded, errors.Join(err, ended), l.complaint.b)
	}
	return parseSeen(line, len(names))
}

func parseSeen(line []byte, count int) ([]seen, error) {
	var answers []struct {
		Parts  int    `json:"parts"`
		NBytes int64  `json:"nbytes"`
		Sum    string `json:"sum"`
		Error  string `json:"error"`
	}
	if err := json.Unmarshal(line, &answers); err != nil {
		return nil, err
	}
	if len(answers) != count {
		return nil, fmt.Errorf("%d answers for %d files", len(answers), count)
	}
	out := make([]seen, count)
	for i, a := range answers {
		if a.Error != "" {
			out[i].err = errors.New("the C library: " + a.Error)
			continue
		}
		sum, err := hex.DecodeString(a.Sum)
		if err != nil || len(sum) != 8 {
			return nil, fmt.Errorf("sum %q", a.Sum)
		}
		out[i].content = content{a.Parts, a.NBytes, [8]byte(sum)}
	}
	return out, nil
}

// close ends the process.
func (l *library) close() error {
	if l == nil || l.cmd == nil {
		return nil
	}
	err := l.in.Close()
	err = errors.Join(err, l.cmd.Wait())
	l.cmd = nil
	return err
}
