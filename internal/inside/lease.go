package inside

import (
	"runtime"

	"github.com/cairn-go/cairn/storage"
)

// A Lease is the temporary right to bytes of a file, whose memory may be mapped or its own. After
// release, a file in memory can reuse its memory, and a file on disk can be unmapped. The zero
// Lease is empty. A Lease must not be used concurrently.
type Lease struct {
	File  storage.File
	Owned bool // Release closes the file
	Count int  // number of leases of memory to release
	Owner any  // kept alive, since the file is closed when its owner is collected
}

// Release ends the use of the file and of its lent memory. The memory is valid until then, because
// leases are counted and the owner is kept alive by this method alone. It may be called on an empty
// lease and more than once.
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
