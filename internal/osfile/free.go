package osfile

// A Space is the space of a file system.
type Space struct {
	Free       int64 // bytes that this process may still write
	Compresses bool  // files may take less than their bytes
}
