package whole

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/ndarray"
)

// A Scratch has the results of reductions that have no room in memory, as files in a folder of its
// own among those for temporary files. The zero value has none.
type Scratch struct {
	mu  sync.Mutex
	dir string
	all []*ndarray.Untyped
}

// New creates an array; see [compute.CalcOptions].
func (s *Scratch) New(dtype string, shape ndarray.Shape, o *ndarray.Options) (*ndarray.Untyped, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.dir == "" {
		var err error
		if s.dir, err = os.MkdirTemp("", "cairn-"); err != nil {
			return nil, err
		}
	}
	own := *o
	own.Codec = codecs.LZ4 // they are read once, and soon
	u, err := ndarray.CreateUntyped(filepath.Join(s.dir, strconv.Itoa(len(s.all))+".b2nd"), dtype, shape, &own)
	if err == nil {
		s.all = append(s.all, u)
	}
	return u, err
}

// Close removes the arrays.
func (s *Scratch) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()

	var errs []error
	for _, u := range s.all {
		errs = append(errs, u.Abort())
	}
	if s.dir != "" {
		errs = append(errs, os.RemoveAll(s.dir))
	}
	s.all = nil
	s.dir = ""
	return errors.Join(errs...)
}
