package main

import (
	"bytes"
	"context"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/zarr"
)

// mostFiles is how many files of an array are in a seed.
const mostFiles = 7

// zarrSeeds returns the goldens of package zarr, one seed for each array, and some archives. dir is
// that of the other goldens.
func zarrSeeds(dir string) ([]*seedFile, error) {
	return seedsLike(filepath.Join(dir, "../../zarr/testdata/*.zip"), func(name string, b []byte) (seeds []*seedFile, err error) {
		whole, err := unzip(b)
		if err != nil {
			return nil, err
		}

		base := strings.TrimSuffix(name, ".zip")
		if strings.HasPrefix(base, "tree") || strings.HasPrefix(base, "consolidated") {
			seeds = append(seeds, newSeed(name, zarrs, map[string][]byte{"": b}), newSeed(base, zarrs, whole))
		}

		nodes := map[string]map[string][]byte{}
		for _, path := range slices.Sorted(maps.Keys(whole)) {
			node, rest, below := strings.Cut(path, "/")
			if below && nodes[node] == nil {
				nodes[node] = map[string][]byte{}
			}
			if below && len(nodes[node]) < mostFiles || strings.HasPrefix(rest, ".z") || rest == "zarr.json" {
				nodes[node][rest] = whole[path]
			}
		}

		for _, node := range slices.Sorted(maps.Keys(nodes)) {
			seeds = append(seeds, newSeed(base+"/"+node, zarrs, nodes[node]))
		}
		return seeds, nil
	})
}

// examineZarr finds the parts of a file of a store.
func examineZarr(name string, b []byte) *anatomy {
	a := &anatomy{}
	if bytes.HasPrefix(b, []byte("PK")) {
		return examineArchive(b)
	}
	if !strings.HasSuffix(name, ".json") && !strings.Contains(name, ".z") && len(b) >= 16 && b[0] == 2 {
		a.addChunk(b, 0) // as Blosc's is
	}
	return a
}

// token matches the parts of JSON.
var token = regexp.MustCompile(`"(\\.|[^"\\])*"|-?[0-9][0-9.e+-]*|[a-zA-Z]+|[{}\[\],:]`)

// tokens are what may stand in the place of others.
var tokens = []string{
	"0", "1", "-1", "3", "64", "65536", "2147483647", "4611686018427387904", "9223372036854775807",
	"18446744073709551615", "1e999",
	"0.5", "true", "false", "null", "NaN", "-Infinity", `""`, `"<f4"`, `"|O"`, `"|S0"`, `"<U536870911"`,
	`"string"`, `"int64"`, `"F"`, `"C"`,
	`[["a","<i4"],["b","|S3"]]`, `{"name":"raw_bytes","configuration":{"length_bytes":2147483647}}`,
	`"default"`, `"v2"`, `"/"`,
	"[", "]", "{", "}", ",", ":", "[[[[[[[[", "[]", "{}", "[0]", "[1,1]", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
	`{"id":"zlib"}`, `{"id":"lz4"}`, `{"id":"blosc"}`, `{"id":"zstd"}`, `{"id":"bz2"}`, `{"id":"packbits"}`,
	`{"id":"pcodec"}`, `{"name":"numcodecs.pcodec","configuration":{}}`,
	`{"id":"delta","dtype":"<i4"}`, `{"id":"shuffle","elementsize":0}`,
	`{"id":"fixedscaleoffset","scale":0,"offset":1e308,"dtype":"<i2"}`,
	`"bytes"`, `"gzip"`, `"crc32c"`, `{"name":"transpose","configuration":{"order":[1,0]}}`,
	`{"name":"sharding_indexed","configuration":{"chunk_shape":[1,1],"codecs":["bytes"]}}`,
	`{"name":"sharding_indexed","configuration":{"chunk_shape":[1,1],"codecs":["bytes","zstd"],` +
		`"index_location":"start"}}`,
}

// damageJSON replaces some parts of a document by others.
func damageJSON(p *mutation, _ string, _ *anatomy, b []byte) []byte {
	at := bytes.Index(b, []byte("{\n"))
	if at < 0 {
		return nil
	}
	return append(slices.Clone(b[:at]), p.damageText(b[at:], token, tokens)...)
}

// zarrMemory bounds a chunk of a store.
const zarrMemory = 1 << 16

// eachZarr opens a store and calls do with some of its arrays; it returns the first error.
func (s *subject) eachZarr(do func(a ndarray.Source, got *first)) error {
	o := &zarr.OpenOptions{Workers: 1, Limits: cairn.Limits{MaxHeader: 1 << 20, MaxMeta: 1 << 20,
		MaxChunk: zarrMemory,
		MaxAlloc: zarrMemory, MaxIndex: zarrMemory}}
	var z *zarr.Store
	var err error
	if b, ok := s.single(); ok {
		z, err = zarr.OpenReader(bytes.NewReader(b), int64(len(b)), o)
	} else {
		z, err = zarr.OpenFS(s.folder(), ".", o)
	}
	if err != nil {
		return err
	}
	return s.each(z, nil, do)
}

// zarrFormat are arrays of Zarr stores, whose copies are written as Zarr arrays too.
func zarrFormat() *format {
	return &format{
		each:     (*subject).eachZarr,
		cost:     func(s *subject) uint64 { return scratch + 16*s.folderCost() },
		costRead: func(s *subject) uint64 { return scratch + 64*s.folderCost() },
		boxes:    3, mostBytes: zarrMemory,
		read:    8*scratch + 8*zarrMemory, // bzip2 takes some megabytes
		copying: 64 * scratch, copied: 64,
		look: func(a ndarray.Source, _ *first) { a.(*zarr.Array).Info() },
		large: func(a ndarray.Source) bool {
			return slices.ContainsFunc(a.(*zarr.Array).Info().Chunks, func(n int64) bool { return n > 1<<10 })
		},
		also: func(u *ndarray.Untyped, got *first) {
			o := &zarr.SaveOptions{FS: storage.NewMemory(), Workers: 1, Memory: zarrMemory, Durability: frame.None}
			got.take(zarr.Save(context.Background(), "out.zarr", u, o))
		},
	}
}
