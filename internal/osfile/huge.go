package osfile

// HugePages asks the system for huge pages behind a large buffer that is new, so that filling it
// takes fewer page faults. For others, and where there are none, it does nothing.
func HugePages(b []byte) { hugePages(b) }
