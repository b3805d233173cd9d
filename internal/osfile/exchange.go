package osfile

// Exchange gives two files or directories each other's name, in a single step. The error matches
// errors.ErrUnsupported where the operating system or the file system has no such step.
func Exchange(a, b string) error { return exchange(a, b) }
