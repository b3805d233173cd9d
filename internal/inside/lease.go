package inside

import (
	"runtime"

	"github.com/cairn-go/cairn/storage"
)

// A Lease is the right to bytes of a file, which may be its own memory or mapped, for as long as
// somebody needs them and not longer: a file in memory can use memory again that was only leased,
// and one on disk stays mapped until the last lease is released. The zero Lease is none. It serves
// one goroutine at a time.
type Lease struct {
	File  storage.File
	Owned bool // whether Release closes the file
	Count int  // pieces of memory that Release gives back
	Owner any  // kept, and with it the file that is closed when nobody refers to it
}

// Release ends the use of the file and of what it has lent, which is as good as before until then:
// pieces are counted, and the owner of the file is kept alive here and nowhere else. It may be
// called for no lease, and more than once.
func (l *Lease) Release() error {
	defer runtime.KeepAlive(l.Owner)
	for ; l.Count > 0; l.Count-- {
		l.File.(storage.Lender).Release()
	}
	if !l.Owned {
		return nil
	}
	l.Owned = false
	return l.File.Close()
}
