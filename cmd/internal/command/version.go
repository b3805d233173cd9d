package command

import (
	"context"
	"flag"
	"runtime"
	"runtime/debug"
	"strings"
)

// A build says what the command was made from.
type build struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"` // of the revision
	Modified bool   `json:"modified,omitempty"`
	Tags     string `json:"tags,omitempty"`
}

func versionVerb(set *flag.FlagSet) action {
	asJSON := set.Bool("json", false, "print JSON")
	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands); err != nil {
			return err
		}
		if *asJSON {
			return std.PrintJSON(ctx, buildOf())
		}
		return std.Print(ctx, buildOf().text())
	}
}

// buildOf reads what the compiler has recorded.
func buildOf() build {
	b := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}

	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}

	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		case "-tags":
			b.Tags = s.Value
		}
	}
	return b
}

// text returns the build on one line.
func (b build) text() string {
	words := []string{"cairn", b.Version, b.Go, b.Platform}
	if b.Revision != "" {
		words = append(words, b.Revision[:min(12, len(b.Revision))], b.Time)
	}
	if b.Modified {
		words = append(words, "modified")
	}
	if b.Tags != "" {
		words = append(words, "tags="+b.Tags)
	}
	return strings.Join(words, " ") + "\n"
}
