package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/golden"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

// seedFile is a file, or a directory of files, to damage.
type seedFile struct {
	name  string
	class class
	files map[string][]byte // by name; a single file has the name ""
	order []string          // sorted names
	parts map[string]*anatomy
}

// maxSeed is the size of the largest seeds. Larger files take long and test nothing more.
const maxSeed = 40 << 10

// loadSeeds returns the files to damage: goldens, generated files, and those in the directory for
// hostile files.
func loadSeeds(c *config) ([]*seedFile, error) {
	m, err := golden.Load()
	if err != nil {
		return nil, err
	}

	var seeds []*seedFile
	for _, load := range []func(dir string) ([]*seedFile, error){
		goldenSeeds, makeSeeds, treeSeeds, numpySeeds, zarrSeeds, hdf5Seeds, netcdfSeeds, weightSeeds,
		pcodecSeeds,
		func(dir string) ([]*seedFile, error) {
			return bucketSeeds(filepath.Join(dir, "../../check/hostile/testdata"))
		},
	} {
		more, err := load(m.Dir)
		if err != nil {
			return nil, err
		}
		seeds = append(seeds, more...)
	}

	if c.hostile != "" {
		more, err := seedsLike(filepath.Join(c.hostile, "*"), as(frames))
		if err != nil {
			return nil, err
		}
		seeds = append(seeds, more...)
	}

	if c.only != "" {
		seeds = slices.DeleteFunc(seeds, func(s *seedFile) bool { return classes[s.class].name != c.only })
	}
	if len(seeds) == 0 {
		return nil, fmt.Errorf("-only %s: no such files", c.only)
	}

	for _, s := range seeds {
		s.study()
	}
	return seeds, nil
}

// goldenSeeds returns the small goldens.
func goldenSeeds(string) ([]*seedFile, error) {
	m, err := golden.Load()
	if err != nil {
		return nil, err
	}

	var seeds []*seedFile
	for _, g := range m.Cases {
		if g.Kind == golden.Huge || g.Offset != 0 || g.Size > maxSeed {
			continue
		}

		class := frames
		if g.Kind == golden.Chunk {
			class = chunks
		}
		s, err := loadSeed(g.Name, filepath.Join(m.Dir, g.Name), class)
		if err != nil {
			return nil, err
		}
		seeds = append(seeds, s)
	}
	return seeds, nil
}

// The goldens of packages hdf5 and netcdf. dir is that of the other goldens.
func hdf5Seeds(dir string) ([]*seedFile, error) {
	return seedsLike(filepath.Join(dir, "../../hdf5/testdata/*.h5"), as(hdf5s))
}

func netcdfSeeds(dir string) ([]*seedFile, error) {
	return seedsLike(filepath.Join(dir, "../../netcdf/testdata/*.nc"), as(netcdfs))
}

// seedsLike returns the seeds that take makes of the files that a pattern matches.
func seedsLike(pattern string, take func(name string, b []byte) ([]*seedFile, error)) ([]*seedFile, error) {
	names, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}

	var seeds []*seedFile
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		more, err := take(filepath.Base(name), b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		seeds = append(seeds, more...)
	}

	if len(seeds) == 0 {
		return nil, fmt.Errorf("no seed is like %s", pattern)
	}
	return seeds, nil
}

// as makes seeds of a class of single files, but for large ones.
func as(c class) func(name string, b []byte) ([]*seedFile, error) {
	return func(name string, b []byte) ([]*seedFile, error) {
		if len(b) > maxSeed {
			return nil, nil
		}
		return []*seedFile{newSeed(name, c, map[string][]byte{"": b})}, nil
	}
}

func loadSeed(name, path string, class class) (*seedFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}

	files := map[string][]byte{}
	if !info.IsDir() {
		files[""], err = os.ReadFile(path)
		return newSeed(name, class, files), err
	}

	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(path, e.Name())); err != nil {
			return nil, err
		}
	}
	return newSeed(name, class, files), nil
}

func newSeed(name string, class class, files map[string][]byte) *seedFile {
	return &seedFile{name: name, class: class, files: files, order: slices.Sorted(maps.Keys(files))}
}

// size returns the size of all files.
func (s *seedFile) size() (n int64) {
	for _, b := range s.files {
		n += int64(len(b))
	}
	return n
}

// A maker collects generated files, until one fails.
type maker struct {
	seeds []*seedFile
	err   error
}

// add returns a function that takes the bytes of a generated file, and the error of making it.
func (m *maker) add(class class, format string, args ...any) func(b []byte, err error) {
	return func(b []byte, err error) {
		name := fmt.Sprintf(format, args...)
		if err != nil && m.err == nil {
			m.err = fmt.Errorf("making %s: %w", name, err)
		}
		m.seeds = append(m.seeds, newSeed(name, class, map[string][]byte{"": b}))
	}
}

// frame is add for frames.
func (m *maker) frame(format string, args ...any) func(b []byte, err error) {
	return m.add(frames, format, args...)
}

// makeSeeds makes small frames with every codec and filter, arrays, and files that were hostile to
// other readers.
func makeSeeds(string) ([]*seedFile, error) {
	m := &maker{}
	goldens, err := golden.Load()
	if err != nil {
		return nil, err
	}

	filters := [][]shuffle.Spec{{shuffle.None}, {shuffle.Byte}, {shuffle.Bit}, {shuffle.Delta}, {shuffle.Delta, shuffle.Byte}}
	for _, codec := range []codecs.Codec{codecs.BloscLZ, codecs.LZ4, codecs.LZ4HC, codecs.Zlib, codecs.Zstd} {
		for k, f := range filters {
			o := &frame.Options{TypeSize: 1 << (k % 4), Codec: codec, Filters: f, BlockSize: 128}
			m.frame("made-%v-%d", codec, k)(smallFrame(o))
		}
	}
	for k := range 4 {
		o := &frame.Options{TypeSize: 1 << k, Codec: codecs.Numeric, BlockSize: 512}
		m.frame("made-numeric-%d", k)(smallFrame(o))
	}
	m.frame("made-numeric-multiples")(multiples())
	m.frame("made-numeric-digits")(digits())
	for dims := range 5 {
		m.frame("made-%dd", dims)(smallArray(dims))
	}

	m.frame("made-packed")(packedArray(4, "<i4", 5, 4, 6))
	m.frame("made-packed-large")(packedArray(1, "|S300", 2, 2))
	m.frame("made-bomb")(bomb())
	m.frame("made-repeated")(repeated())
	m.frame("made-short-vlmeta")(shortVL())
	m.frame("made-vl-blocks")(overreadVL(goldens))
	m.farFrames()
	m.bombs()
	return m.seeds, m.err
}

// built makes a frame in memory, and returns its bytes.
func built(o *frame.Options, fill func(ctx context.Context, f *frame.Frame) error) ([]byte, error) {
	f, err := frame.New(o)
	if err != nil {
		return nil, err
	}
	defer f.Abort()
	if err := fill(context.Background(), f); err != nil {
		return nil, err
	}
	return f.Bytes()
}

// sample returns bytes that compress moderately.
func sample(n int, seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 9))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i/7) + byte(rng.Uint32N(3))
	}
	return b
}

// smallFrame makes a frame of four chunks, one of them an index entry, and metalayers.
func smallFrame(o *frame.Options) ([]byte, error) {
	return built(o, func(ctx context.Context, f *frame.Frame) error {
		for k := range uint64(3) {
			if _, err := f.Append(ctx, sample(320, k)); err != nil {
				return err
			}
		}
		return cmp.Or(
			f.AppendSpecial(ctx, chunk.SpecialZeros, 320), f.SetMeta("fixed", []byte("\xa5value")),
			f.SetVL("variable", sample(60, 8)), f.SetVL("other", nil),
		)
	})
}

// multiples makes an array of sums, which are multiples of a number but for their last bits.
func multiples() ([]byte, error) {
	o := &ndarray.Options{Codec: codecs.Numeric, Filters: []shuffle.Spec{shuffle.None}}
	a, err := ndarray.New[float64](ndarray.Shape{40}, o)
	if err != nil {
		return nil, err
	}
	items := make([]float64, a.Len())
	for i := range items {
		items[i] = float64(float64(i*i%29)*0.7) + 17.1
	}
	if err := a.Write(context.Background(), items); err != nil {
		return nil, err
	}
	return a.Bytes()
}

// digits makes an array of a walk with steps of all sizes, whose digits are compressed.
func digits() ([]byte, error) {
	o := &ndarray.Options{Codec: codecs.Numeric, Filters: []shuffle.Spec{shuffle.None}}
	a, err := ndarray.New[int16](ndarray.Shape{3000}, o)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(1, 9))
	items := make([]int16, a.Len())
	for i := range items {
		items[i] = items[max(0, i-1)] + int16(rng.NormFloat64()*30)
	}
	if err := a.Write(context.Background(), items); err != nil {
		return nil, err
	}
	return a.Bytes()
}

func smallArray(dims int) ([]byte, error) {
	shape := ndarray.Shape{}
	chunks := ndarray.Shape{}
	blocks := ndarray.Shape{}
	for i := range dims {
		shape = append(shape, int64(7+i))
		chunks = append(chunks, 4)
		blocks = append(blocks, int64(2+i%2))
	}

	a, err := ndarray.New[int16](shape, &ndarray.Options{ChunkShape: chunks, BlockShape: blocks, Codec: codecs.LZ4})
	if err != nil {
		return nil, err
	}

	items := make([]int16, a.Len())
	for i := range items {
		items[i] = int16(i % 50)
	}
	if err := a.Write(context.Background(), items); err != nil {
		return nil, err
	}
	return a.Bytes()
}

// bomb makes a frame of some 170 bytes that states 200 million chunks of 1 GiB. C-Blosc2 needs 1.5
// GiB of memory to open it.
func bomb() ([]byte, error) {
	return built(&frame.Options{ChunkSize: 1 << 30}, func(ctx context.Context, f *frame.Frame) error {
		return f.AppendSpecial(ctx, chunk.SpecialZeros, 200_000_000<<30)
	})
}

// repeated makes a frame that states 200 million chunks, all with the same offset.
func repeated() ([]byte, error) {
	b, err := built(&frame.Options{Commits: frame.Commits{Deterministic: true}},
		func(ctx context.Context, f *frame.Frame) error {
			_, err := f.Append(ctx, sample(1000, 1))
			return err
		})
	if err != nil {
		return nil, err
	}
	a := examine(b)
	const count = 200_000_000
	index, err := chunk.AppendSpecial(nil, chunk.SpecialValue, make([]byte, 8), 8*count, 8, 8*count)
	if err != nil {
		return nil, err
	}
	b = slices.Replace(b, a.index.from, a.index.to, index...)
	binary.BigEndian.PutUint64(b[atNBytes:], 1000*count)
	return fix(a, b), nil
}

// shortVL makes a frame with a metalayer in the trailer whose content is shorter than a chunk
// header.
func shortVL() ([]byte, error) {
	b, err := built(nil, func(ctx context.Context, f *frame.Frame) error {
		_, err := f.Append(ctx, sample(100, 1))
		return cmp.Or(err, f.SetVL("short", sample(40, 2)))
	})
	if err != nil {
		return nil, err
	}
	for i := len(b) - 30; i > 0; i-- {
		if b[i] == 0xc6 { // marker of the content; its length follows
			copy(b[i+1:], []byte{0, 0, 0, 9})
			return b, nil
		}
	}
	return nil, fmt.Errorf("no metalayer in %d bytes", len(b))
}

// overreadVL changes the golden with blocks of variable length: the first block of each chunk
// extends to the end of the chunk. C-Blosc2 read beyond it.
func overreadVL(m *golden.Manifest) ([]byte, error) {
	for _, c := range m.Cases {
		if c.NeedsFeature != "vl-blocks" || c.Sparse {
			continue
		}
		b, err := c.Bytes()
		if err != nil {
			return nil, err
		}
		a := examine(b)
		for _, e := range a.chunks {
			if e.to-e.from > 48 {
				copy(b[e.from+32:], []byte{byte(e.to - e.from - 4), byte((e.to - e.from - 4) >> 8), 0, 0})
			}
		}
		return b, nil
	}
	return nil, fmt.Errorf("no golden has blocks of variable length")
}
