package main

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/golden"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/zarr"
)

// zarrKind is the kind of seeds that are Zarr stores: the files of one array, or an archive.
const zarrKind golden.Kind = "zarr"

// mostFiles is how many files of an array are in a seed.
const mostFiles = 7

// zarrSeeds returns the goldens of package zarr, one seed for each array, and some archives. dir is
// that of the other goldens.
func zarrSeeds(dir string) ([]*seedFile, error) {
	names, err := filepath.Glob(filepath.Join(dir, "../../zarr/testdata/*.zip"))
	if err != nil {
		return nil, err
	}
	var seeds []*seedFile
	for _, name := range names {
		z, err := zip.OpenReader(name)
		if err != nil {
			return nil, err
		}
		nodes, whole := map[string]map[string][]byte{}, map[string][]byte{}
		for _, f := range z.File {
			in, err := f.Open()
			if err != nil {
				return nil, err
			}
			b, err := io.ReadAll(in)
			if err != nil {
				return nil, err
			}
			whole[f.Name] = b
			node, rest, below := strings.Cut(f.Name, "/")
			if below && nodes[node] == nil {
				nodes[node] = map[string][]byte{}
			}
			if below && len(nodes[node]) < mostFiles || strings.HasPrefix(rest, ".z") || rest == "zarr.json" {
				nodes[node][rest] = b
			}
		}
		base := strings.TrimSuffix(filepath.Base(name), ".zip")
		if strings.HasPrefix(base, "tree") || strings.HasPrefix(base, "consolidated") {
			loaded, err := loadSeed(base+".zip", name, zarrKind)
			if err != nil {
				return nil, err
			}
			seeds = append(seeds, loaded, newSeed(base, zarrKind, whole))
		}
		for node, files := range nodes {
			seeds = append(seeds, newSeed(base+"/"+node, zarrKind, files))
		}
		_ = z.Close()
	}
	slices.SortFunc(seeds, func(a, b *seedFile) int { return strings.Compare(a.name, b.name) })
	return seeds, nil
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

func (s *seedFile) isZarr() bool { return s.class() == zarrs }

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
	text := slices.Clone(b[at:])
	for range 1 + p.rng.IntN(3) {
		found := token.FindAllIndex(text, -1)
		if len(found) == 0 {
			break
		}
		w := found[p.rng.IntN(len(found))]
		with := tokens[p.rng.IntN(len(tokens))]
		if p.rng.IntN(3) == 0 {
			other := found[p.rng.IntN(len(found))]
			with = string(text[other[0]:other[1]])
		}
		text = slices.Replace(text, w[0], w[1], []byte(with)...)
	}
	return append(slices.Clone(b[:at]), text...)
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
	ctx := context.Background()
	_, err = z.Attributes(ctx, "/")
	got := first{err}
	count := 0
	for n, err := range ndarray.Walk(ctx, z, "/") {
		got.take(err)
		if count++; count > someLeaves {
			break
		}
		_, err = z.Attributes(ctx, n.Key)
		got.take(err)
		if n.Kind == ndarray.GroupNode {
			continue
		}
		a, err := z.Array(ctx, n.Key)
		got.take(err)
		if err == nil {
			do(a, &got)
		}
	}
	got.take(z.Close())
	return got.err
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
