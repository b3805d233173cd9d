// Package golden reads the manifest of testdata/golden: files written by C-Blosc2, and descriptions
// of their contents.
package golden

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Manifest is the content of MANIFEST.json.
type Manifest struct {
	PythonBlosc2 string `json:"python_blosc2"` // version of the package that ran the generator
	CBlosc2      string `json:"c_blosc2"`      // version of the C library inside it
	Cases        []Case `json:"cases"`         // sorted by name
	Dir          string `json:"-"`             // absolute path of the directory with the files
}

// Kind is the type of a golden file.
type Kind string

// The kinds of golden files.
const (
	Frame Kind = "frame" // a super-chunk without dimensions
	B2ND  Kind = "b2nd"  // an array
	Chunk Kind = "chunk" // one bare chunk
	Huge  Kind = "huge"  // a frame too large to decode whole; its contents are not recorded

	// a frame damaged by the library: parts are missing or contradictory
	Broken Kind = "broken"
)

// Case is a golden file, or a directory for a sparse frame. Fields that do not apply to its kind
// are zero.
type Case struct {
	Name   string          `json:"name"`
	Kind   Kind            `json:"kind"`
	Note   string          `json:"note"`   // what is special about it, or ""
	Size   int64           `json:"size"`   // bytes of the file, or of all files of the directory
	SHA256 string          `json:"sha256"` // of the file; "" for a directory
	Files  map[string]File `json:"files"`  // of a directory

	DecodedSize   int64  `json:"decoded_size"`   // bytes of all chunks, or of the array in C order
	DecodedSHA256 string `json:"decoded_sha256"` // of those

	Offset int64 `json:"offset"` // where the frame starts in the file
	Sparse bool  `json:"sparse"` // a directory with a file per chunk
	// small and varied enough to be truncated and corrupted thousands of times
	Hostile bool `json:"hostile"`

	// the chunk does not record whether it uses the old bitshuffle: see chunk.DecodeOptions
	OldBitshuffle bool `json:"old_bitshuffle"`

	NeedsCodec  int `json:"needs_codec"`  // id of a codec a reader may lack, or 0
	NeedsFilter int `json:"needs_filter"` // id of a filter a reader may lack, or 0
	// a part of the format that readers may not support: "dictionary", "vl-blocks", or ""
	NeedsFeature string `json:"needs_feature"`

	TypeSize   int      `json:"typesize"`
	NBytes     int64    `json:"nbytes"` // of the frame, including padding of chunks
	ChunkCount int      `json:"chunk_count"`
	ChunkSize  int      `json:"chunk_size"` // 0 if sizes vary
	BlockSize  int      `json:"block_size"` // 0 if it differs between chunks
	Codec      uint8    `json:"codec"`
	Level      int      `json:"level"`
	Split      int      `json:"split"`
	Filters    [][2]int `json:"filters"` // id and parameter of each slot
	// per chunk: data, zeros, nan, value, uninit; nil if all are data
	Kinds []string `json:"kinds"`

	Shape      []int64 `json:"shape"`
	ChunkShape []int32 `json:"chunk_shape"`
	BlockShape []int32 `json:"block_shape"`
	DType      string  `json:"dtype"`
	OddDType   bool    `json:"odd_dtype"` // the item size differs from that of the dtype

	Meta map[string]Content `json:"meta"` // raw contents of fixed metalayers except "b2nd"
	// raw contents of variable-length metalayers, decompressed
	VLMeta map[string]Content `json:"vlmeta"`

	dir string
}

// File is one file of a directory.
type File struct {
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Content is the value of a metalayer.
type Content struct {
	Size   int    `json:"size"`
	SHA256 string `json:"sha256"`
}

// Path returns the path of the file or directory.
func (c *Case) Path() string { return filepath.Join(c.dir, c.Name) }

// Bytes reads the whole file; it fails for a directory.
func (c *Case) Bytes() ([]byte, error) { return os.ReadFile(c.Path()) }

// Check returns an error if decoded does not match the manifest.
func (c *Case) Check(decoded []byte) error {
	sum := sha256.Sum256(decoded)
	if int64(len(decoded)) != c.DecodedSize || hex.EncodeToString(sum[:]) != c.DecodedSHA256 {
		return fmt.Errorf("golden %s: decoded %d bytes that are not the recorded %d",
			c.Name, len(decoded), c.DecodedSize)
	}
	return nil
}

// Load reads the manifest of the module that contains the working directory, as in tests.
func Load() (*Manifest, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}

	m := &Manifest{Dir: filepath.Join(root, "testdata", "golden")}
	raw, err := os.ReadFile(filepath.Join(m.Dir, "MANIFEST.json"))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, m); err != nil {
		return nil, fmt.Errorf("golden manifest: %w", err)
	}
	if len(m.Cases) == 0 {
		return nil, errors.New("golden manifest: no cases")
	}

	for i := range m.Cases {
		m.Cases[i].dir = m.Dir
	}
	return m, nil
}

// Find returns the case with the given name.
func (m *Manifest) Find(name string) (*Case, error) {
	for i := range m.Cases {
		if m.Cases[i].Name == name {
			return &m.Cases[i], nil
		}
	}
	return nil, fmt.Errorf("golden %s: %w", name, fs.ErrNotExist)
}

// moduleRoot returns the nearest parent of the working directory that contains the manifest.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}

	for {
		if _, err := os.Stat(filepath.Join(dir, "testdata", "golden", "MANIFEST.json")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("no testdata/golden above the working directory")
		}
		dir = up
	}
}
