package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

//go:embed peer.py
var peerSource string

// A peer is a Python process with the real library. It serves one goroutine.
type peer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startPeer runs the embedded program with the given interpreter.
func startPeer(python string) (*peer, error) {
	cmd := exec.Command(python, "-c", peerSource)
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
	return &peer{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}, nil
}

// call sends a command and decodes the answer; an exception on the other side is an error here.
func (p *peer) call(command, answer any) error {
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

// close ends the process.
func (p *peer) close() error {
	p.in.Close()
	return p.cmd.Wait()
}

// The commands and answers of peer.py. Byte slices travel as base64.

type params struct {
	Codec     uint8    `json:"codec"`
	CodecMeta uint8    `json:"codec_meta"`
	Level     int      `json:"level"`
	Split     int      `json:"split"`
	Filters   []filter `json:"filters"`
	BlockSize int      `json:"block_size"`
	Dict      bool     `json:"dict"`
}

type filter struct {
	ID   uint8 `json:"id"`
	Meta uint8 `json:"meta"`
}

type versions struct {
	PythonBlosc2 string `json:"python_blosc2"`
	CBlosc2      string `json:"c_blosc2"`
	NumPy        string `json:"numpy"`
}

type arrayCommand struct {
	Op     string         `json:"op"`
	Path   string         `json:"path"`
	Shape  []int64        `json:"shape"`
	DType  string         `json:"dtype"`
	Chunks []int64        `json:"chunks"`
	Blocks []int64        `json:"blocks"`
	Sparse bool           `json:"sparse"`
	Params params         `json:"params"`
	Data   []byte         `json:"data"`
	Fill   string         `json:"fill"`
	VLMeta map[string]any `json:"vlmeta"`
	Boxes  [][2][]int64   `json:"boxes"`
	Steps  []step         `json:"steps"`
}

type arrayAnswer struct {
	Shape  []int64           `json:"shape"`
	DType  string            `json:"dtype"`
	Chunks []int64           `json:"chunks"`
	Blocks []int64           `json:"blocks"`
	Data   []byte            `json:"data"`
	Boxes  [][]byte          `json:"boxes"`
	VLMeta map[string][]byte `json:"vlmeta"` // raw contents
}

type frameCommand struct {
	Op        string         `json:"op"`
	Path      string         `json:"path"`
	TypeSize  int            `json:"typesize"`
	ChunkSize int            `json:"chunk_size"`
	Sparse    bool           `json:"sparse"`
	Params    params         `json:"params"`
	Data      [][]byte       `json:"data"`
	Fill      string         `json:"fill"`
	Items     int            `json:"items"` // how many a fill has
	VLMeta    map[string]any `json:"vlmeta"`
	Steps     []step         `json:"steps"`
}

type frameAnswer struct {
	TypeSize int               `json:"typesize"`
	Data     [][]byte          `json:"data"`
	VLMeta   map[string][]byte `json:"vlmeta"`
}

type vlCommand struct {
	Op       string         `json:"op"`
	Path     string         `json:"path"`
	TypeSize int            `json:"typesize"`
	Sparse   bool           `json:"sparse"`
	Params   params         `json:"params"`
	Chunks   [][][]byte     `json:"chunks"`
	VLMeta   map[string]any `json:"vlmeta"`
	Steps    []step         `json:"steps"`
}

type vlAnswer struct {
	Chunks [][][]byte `json:"chunks"` // their blocks
	Single [][][]byte `json:"single"` // the same, one by one
	Whole  [][]byte   `json:"whole"`
}

// step is one change of an array (resize, write, vlmeta) or of a frame (append, update, insert, delete, reorder, vlmeta).
type step struct {
	Do     string         `json:"do"`
	Shape  []int64        `json:"shape,omitempty"`
	Start  []int64        `json:"start,omitempty"`
	Stop   []int64        `json:"stop,omitempty"`
	Index  int            `json:"index"`
	Order  []int          `json:"order,omitempty"`
	Data   []byte         `json:"data"`
	Blocks [][]byte       `json:"blocks,omitempty"`
	Values map[string]any `json:"values,omitempty"`
}
