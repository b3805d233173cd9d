package osfile

import (
	"os"
	"syscall"
)

// PeakMemory returns the most memory in bytes that was resident while a process that has ended ran,
// or 0 if the system does not tell.
func PeakMemory(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return int64(usage.Maxrss) << 10
}
