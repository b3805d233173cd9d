package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/cairn-go/cairn/check/harness"
)

// A library is a process that reads files with the C library and returns their contents. It must
// not be used concurrently.
type library struct {
	python, scripts string
	peer            *harness.Peer // nil before the first request, and after the process ended
}

// newLibrary returns the library of a Python interpreter that has blosc2, or nil for none.
func newLibrary(python, scripts string) *library {
	if python == "" {
		return nil
	}
	return &library{python: python, scripts: scripts}
}

// run returns the command that runs a script.
func (l *library) run(script string, args ...string) *exec.Cmd {
	return exec.Command(l.python, append([]string{filepath.Join(l.scripts, script)}, args...)...)
}

// seen is the result of the library for one file.
type seen struct {
	content
	err error
}

// look returns the content of each file. If the process dies, it is started again and asked for one
// file at a time.
func (l *library) look(names []string) ([]seen, error) {
	answers, err := l.ask(names)
	if !errors.Is(err, harness.ErrEnded) || len(names) == 1 {
		return answers, err
	}
	for _, name := range names {
		one, err := l.ask([]string{name})
		switch {
		case err == nil:
			answers = append(answers, one[0])
		case errors.Is(err, harness.ErrEnded):
			answers = append(answers, seen{err: err})
		default:
			return nil, err
		}
	}
	return answers, nil
}

func (l *library) ask(names []string) ([]seen, error) {
	if l.peer == nil {
		peer, err := harness.Start(l.run("look.py"))
		if err != nil {
			return nil, err
		}
		l.peer = peer
	}

	var answers []answer
	if err := l.peer.Call(names, &answers); err != nil {
		if errors.Is(err, harness.ErrEnded) {
			l.peer = nil
		}
		return nil, err
	}
	if len(answers) != len(names) {
		return nil, fmt.Errorf("%d answers for %d files", len(answers), len(names))
	}

	out := make([]seen, len(answers))
	for i, a := range answers {
		out[i] = a.seen()
	}
	return out, nil
}

// answer is the answer of look.py for one file.
type answer struct {
	Parts  int    `json:"parts"`
	NBytes int64  `json:"nbytes"`
	Sum    string `json:"sum"`
	Error  string `json:"error"`
}

func (a answer) seen() seen {
	if a.Error != "" {
		return seen{err: errors.New("the C library: " + a.Error)}
	}
	sum, err := hex.DecodeString(a.Sum)
	if err != nil || len(sum) != 8 {
		return seen{err: fmt.Errorf("sum %q", a.Sum)}
	}
	return seen{content: content{a.Parts, a.NBytes, [8]byte(sum)}}
}

// close ends the process.
func (l *library) close() error {
	if l == nil || l.peer == nil {
		return nil
	}
	return l.peer.Close()
}
