//go:build !linux

package osfile

import "os"

// PeakMemory returns 0: the system does not tell, or in other units.
func PeakMemory(*os.ProcessState) int64 { return 0 }
