package frame

import "fmt"

// VerifyMode says when chunks are compared with their checksums, where they have any.
type VerifyMode uint8

// The modes.
const (
	// VerifyOnFirstTouch compares a chunk when it is read for the first time through a handle. Reading a part of a chunk reads all of it then. A frame
	// that New made never left the memory of this process, so its chunks are not compared.
	VerifyOnFirstTouch VerifyMode = iota
	// VerifyAlways compares a chunk every time.
	VerifyAlways
	// VerifyOff compares nothing and believes every header, index and trailer that make sense. It opens frames whose commit record is damaged.
	VerifyOff
)

// Durability says what a commit waits for. Whatever it is, a process that is killed leaves the state before a commit or after it.
type Durability uint8

// The durabilities.
const (
	// Full means that what was committed survives a loss of power.
	Full Durability = iota
	// Ordered means that a loss of power leaves the state after some commit, but may lose the last ones.
	Ordered
	// None leaves it to the system when anything reaches the disk: a loss of power may damage the frame.
	None
)

// settings are what a handle does about checksums and durability.
type settings struct {
	Durability    Durability
	Deterministic bool
	NoCompact     bool
}

// syncs reports whether a sync happens that only durabilities of at least d need.
func (s settings) syncs(d Durability) bool { return s.Durability <= d }

func (o *Options) settings() settings {
	return settings{o.Durability, o.Deterministic, o.NoCompact}
}

func (o *OpenOptions) settings() settings {
	return settings{o.Durability, o.Deterministic, o.NoCompact}
}

func validateTrust(where string, v VerifyMode, d Durability) error {
	if v > VerifyOff {
		return fmt.Errorf("%s: Verify is %d, which does not exist", where, v)
	}
	if d > None {
		return fmt.Errorf("%s: Durability is %d, which does not exist", where, d)
	}
	return nil
}
