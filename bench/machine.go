package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// machine returns the names of the processor and the system.
func machine() string {
	name, _ := cpuInfo("model name")
	if name == "" {
		name = "unknown processor"
	}
	return fmt.Sprintf("%s, %d CPUs, %s/%s", name, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
}

// hasGFNI reports whether the processor has GFNI and AVX-512 VBMI, which the fastest bit shuffle
// uses.
func hasGFNI() bool {
	flags, _ := cpuInfo("flags")
	return strings.Contains(flags+" ", " gfni ") && strings.Contains(flags+" ", " avx512vbmi ")
}

// cpuInfo returns a field of /proc/cpuinfo for the first processor, if the system has it.
func cpuInfo(key string) (string, bool) {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "", false
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value), true
		}
	}
	return "", false
}

// loadAverage returns the load average of the last minute, if the system has it.
func loadAverage() string {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	one, _, _ := strings.Cut(string(raw), " ")
	return one
}

// moduleVersions returns the versions of Go and of the Go libraries that are peers.
func moduleVersions() []string {
	out := []string{runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return out
	}
	for _, m := range info.Deps {
		switch m.Path {
		case "github.com/klauspost/compress", "github.com/pierrec/lz4/v4":
			out = append(out, m.Path+" "+m.Version)
		}
	}
	return out
}
