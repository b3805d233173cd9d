package main

import (
	_ "embed"

	"github.com/cairn-go/cairn/check/harness"
)

//go:embed peer.py
var peerSource string

// A peer is a Python process with the real library.
type peer = harness.Peer

// The commands and answers of peer.py. Byte slices are encoded as base64.

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
	Items     int            `json:"items"` // number of items of a fill
	VLMeta    map[string]any `json:"vlmeta"`
	Steps     []step         `json:"steps"`
}

type frameAnswer struct {
	TypeSize int               `json:"typesize"`
	Data     [][]byte          `json:"data"`
	Meta     map[string][]byte `json:"meta"`
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
	Single [][][]byte `json:"single"` // the same, read one by one
	Whole  [][]byte   `json:"whole"`
}

// step is one change of an array (resize, write, vlmeta) or of a frame (append, update, insert,
// delete, reorder, vlmeta).
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
