//go:build purego || (!amd64 && !arm64)

package inflate

func (l *Loop) run() Status { return l.generic() }
