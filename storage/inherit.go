package storage

// An Inheritor is an FS whose files have more than bytes, such as permissions, which stay with a
// name when another file takes it.
type Inheritor interface {
	// CreateFor is Create of a file that is to take a place: while something else has that, nobody
	// but the owner may open the new file until Inherit. MkdirFor is the same for a directory.
	CreateFor(name, place string) (File, error)
	MkdirFor(name, place string) error
	// Inherit gives a file or directory what the one called from has besides its bytes, if there is
	// one. Like bytes that are written, it is durable after a Sync.
	Inherit(name, from string) error
}

// An Exchanger is an FS that can give two files or directories each other's name in a single step.
// The error matches errors.ErrUnsupported if it cannot after all.
type Exchanger interface {
	Exchange(a, b string) error
}
