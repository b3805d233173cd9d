package frame

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/storage"
)

// sparseIndex is the file of a sparse frame with header, index and trailer.
const sparseIndex = "chunks.b2frame"

// sparse is the source of a frame in a directory: entries are the numbers of chunk files.
type sparse struct {
	chunks book
	fs     storage.FS

	mu  sync.RWMutex // held for writing only while a new frame is renamed
	dir string
}

func newSparse(fsys storage.FS, dir string) *sparse {
	return &sparse{chunks: book{apart: true}, fs: fsys, dir: dir}
}

// chunkName returns the name of chunk file id. It depends only on the number, so an index cannot
// refer to other files.
func chunkName(id int64) string { return fmt.Sprintf("%08X.chunk", uint32(id)) }

func (s *sparse) path(entry int64) string { return s.dir + "/" + chunkName(entry) }

func (s *sparse) book() *book { return &s.chunks }

func (s *sparse) place(entry int64) place { return place{file: chunkName(entry)} }

func (s *sparse) check(entry, _ int64) error {
	if entry > math.MaxUint32 {
		return cairn.Corruptf("chunk", -1, "is in file number %d, which is beyond 32 bits", entry)
	}
	return nil
}

// openFile opens a chunk file. The lock prevents a rename of the directory meanwhile.
func (s *sparse) openFile(entry int64) (storage.File, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.fs.Open(s.path(entry))
}

func (s *sparse) open(entry, extent int64) (span, error) {
	if err := s.check(entry, extent); err != nil {
		return span{}, err
	}
	f, err := s.openFile(entry)
	if errors.Is(err, fs.ErrNotExist) {
		return span{}, wire.Because(cairn.Corruptf("chunk", -1, "its file %s is missing", chunkName(entry)), err)
	}
	if err != nil {
		return span{}, err
	}
	size, err := f.Size()
	if err != nil {
		_ = f.Close() // nothing was read, so the first error suffices
		return span{}, err
	}
	return span{Lease: inside.Lease{File: f, Owned: true}, limit: size}, nil
}

// survey reports the chunk files that the index does not refer to.
func (s *sparse) survey(v *findings) error {
	files, err := s.files()
	if err != nil {
		return err
	}
	used, err := v.index.Entries()
	if err != nil {
		return nil // already reported for the chunks; without the index, orphans are unknown
	}
	for _, f := range files {
		if _, ok := used[f.id]; !ok {
			v.report.Orphans = append(v.report.Orphans, f.Name)
		}
	}
	return nil
}

// A chunkFile is a file with the name of a chunk file.
type chunkFile struct {
	storage.Info
	id int64
}

// files returns the chunk files of the directory, sorted by number.
func (s *sparse) files() (files []chunkFile, err error) {
	entries, err := s.fs.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("list chunk files: %w", err)
	}
	for _, e := range entries {
		name, _ := strings.CutSuffix(e.Name, ".chunk")
		if id, err := strconv.ParseUint(name, 16, 32); err == nil && !e.Dir && e.Name == chunkName(int64(id)) {
			files = append(files, chunkFile{e, int64(id)})
		}
	}
	return files, nil
}
