//go:build !linux && !darwin && !freebsd && !windows

package osfile

// SpaceAt returns false: it is unknown here.
func SpaceAt(string) (Space, bool) { return Space{}, false }
