package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/internal/test/dense"
	"github.com/cairn-go/cairn/ndarray"
)

//go:embed peer.py
var peerSource string

type replayCommand struct {
	Op      string   `json:"op"`
	Program *program `json:"program"`
	Path    string   `json:"path"`  // file that python-blosc2 writes
	Cairn   string   `json:"cairn"` // file that cairn wrote
}

type array struct {
	Shape []int64 `json:"shape"`
	Data  []byte  `json:"data"`
}

type replayAnswer struct {
	Reads  []array `json:"reads"`
	Failed []int   `json:"failed"` // steps that failed
	Final  array   `json:"final"`
	Theirs array   `json:"theirs"` // cairn's file, as python-blosc2 reads it
	Native int     `json:"native"` // steps run by python-blosc2
	Whole  int     `json:"whole"`  // steps that it cannot run correctly
}

// replay runs a program with cairn and in Python, and compares the results of steps and the final
// files, each read by the other side.
func replay(peer *harness.Peer, p *program) (answer replayAnswer, d *difference) {
	dir, err := os.MkdirTemp("", "cairn-programs-*")
	if err != nil {
		return answer, &difference{-1, err.Error()}
	}
	defer os.RemoveAll(dir)

	onFile := *p
	onFile.Place = onDisk
	if slices.Contains(p.Filter, "delta") {
		// the real library misreads slices of arrays with delta: docs/format/filters.md
		onFile.Filter = []string{"shuffle"}
	}

	var reads []result
	path, d := run(&onFile, dir, &reads)
	if d != nil {
		return answer, d
	}

	full, failed := withData(&onFile)
	theirs := filepath.Join(dir, "theirs.b2nd")
	if err := peer.Call(replayCommand{"replay", full, theirs, path}, &answer); err != nil {
		return answer, &difference{-1, err.Error()}
	}

	end := len(p.Steps)
	if !slices.Equal(failed, answer.Failed) {
		return answer, &difference{end, fmt.Sprintf("steps %v fail, in NumPy %v do", failed, answer.Failed)}
	}
	if len(reads) != len(answer.Reads) {
		return answer, &difference{end, fmt.Sprintf("%d reads, in NumPy %d", len(reads), len(answer.Reads))}
	}
	for i, r := range reads {
		if text := answer.Reads[i].differs(r.shape, r.data); text != "" {
			return answer, &difference{end, fmt.Sprintf("read %d of NumPy: %s", i, text)}
		}
	}
	return answer, answer.files(theirs)
}

// files compares the items that each side reads from the other's file with the final NumPy array.
func (a *replayAnswer) files(path string) *difference {
	if text := a.Theirs.differs(a.Final.Shape, a.Final.Data); text != "" {
		return &difference{-1, "python-blosc2 reads cairn's file: " + text}
	}
	u, err := ndarray.Open(path, nil)
	if err != nil {
		return &difference{-1, "cairn opens the file of python-blosc2: " + err.Error()}
	}
	defer u.Close()
	data, err := readAll(u)
	if err != nil {
		return &difference{-1, "cairn reads the file of python-blosc2: " + err.Error()}
	}
	if text := a.Final.differs(u.Shape(), data); text != "" {
		return &difference{-1, "cairn reads the file of python-blosc2: " + text}
	}
	return nil
}

func (a *array) differs(shape []int64, data []byte) string {
	if !slices.Equal(a.Shape, shape) {
		return fmt.Sprintf("shape %v, want %v", a.Shape, shape)
	}
	if !bytes.Equal(a.Data, data) {
		return dense.Differ(a.Data, data)
	}
	return ""
}

// withData returns the program with the data of each step included, and the steps that fail.
func withData(p *program) (*program, []int) {
	c := *p
	w := newWorld(p)
	failed := []int{}
	c.Steps = w.expand(p.Steps, func(i int) { failed = append(failed, i) })
	return &c, failed
}

// expand applies steps to the model and returns them with their data.
func (w *world) expand(steps []step, failed func(int)) []step {
	out := slices.Clone(steps)
	for i := range out {
		s := &out[i]
		s.Data, s.Mask = w.needs(s)
		if s.Do == doAtomically {
			inner := &world{now: w.now.Clone(), committed: w.committed}
			s.Steps = inner.expand(s.Steps, func(int) {})
		}
		if r := w.apply(&steps[i]); r.err != nil {
			failed(i)
		}
	}
	return out
}

// needs returns the data of a step, and its mask with a byte for each item.
func (w *world) needs(s *step) (data, mask []byte) {
	switch s.Do {
	case doFill:
		return noise(s.Seed, w.now.Size), nil
	case doInsert, doAppend, doConcat:
		n := s.At
		if s.Do == doInsert {
			n = s.To
		}
		return noise(s.Seed, s.volume(w.now, n)), nil
	case doMask, doPaint:
		for _, v := range s.mask(w.now.Shape) {
			b := byte(0)
			if v {
				b = 1
			}
			mask = append(mask, b)
		}
	}

	if l, err := w.lens(s); err == nil && s.writes() {
		data = noise(s.Seed, len(l.at)*w.now.Size)
	}
	return data, mask
}

func (s *step) writes() bool {
	switch s.Do {
	case doWrite, doScatter, doPaint, doThrough:
		return true
	}
	return false
}
