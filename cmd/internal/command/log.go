package command

import (
	"context"
	"flag"
	"fmt"
	"strconv"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/bucketurl"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/show/table"
)

// A commit is a version of a frame in a bucket; its fields are those of the JSON output.
type commit struct {
	Version   int64     `json:"version"`
	Time      time.Time `json:"time"`
	NumChunks int       `json:"num_chunks"`
	Padded    int64     `json:"padded_bytes"`
	CBytes    int64     `json:"cbytes"`
}

func logVerb(set *flag.FlagSet) action {
	n := set.Int("n", 0, "list the newest `N` versions; all by default")
	asJSON := set.Bool("json", false, "print a JSON list")

	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "URL"); err != nil {
			return err
		}
		if *n < 0 {
			return usagef("-n is %d, must not be negative", *n)
		}
		p := place.Of(operands[0])
		if err := std.wantVersions(p); err != nil {
			return err
		}

		commits := []commit{}
		for v, err := range frame.Versions(ctx, operands[0], &frame.OpenOptions{FS: std.at.FS(p)}) {
			if err != nil {
				return err
			}
			commits = append(commits, commit{v.Seq, v.Time, v.NumChunks, v.NBytes, v.CBytes})
			if len(commits) == *n {
				break
			}
		}

		if *asJSON {
			return std.PrintJSON(ctx, commits)
		}

		right := func(name string) table.Column { return table.Column{Name: name, Right: true} }
		t := table.New(right("version"), table.Column{Name: "time", Keep: true}, right("chunks"), right("decoded"),
			right("stored"))
		for _, c := range commits {
			t.Add("", strconv.FormatInt(c.Version, 10), c.Time.Format("2006-01-02T15:04:05Z"), strconv.Itoa(c.NumChunks),
				progress.Size(c.Padded), progress.Size(c.CBytes))
		}
		return std.Print(ctx, t.Text(std.Columns(), std.Color))
	}
}

// wantVersions fails for an operand that is no array or frame in the layout of buckets.
func (std *streams) wantVersions(p place.Place) error {
	mark, err := std.at.Mark(p)
	if err == nil && mark != bucketurl.AFrame {
		err = fmt.Errorf("%s keeps no versions; 'cairn copy -sparse' makes an array in a bucket, which does: %w", p,
			cairn.ErrUnsupported)
	}
	return err
}

// pruned is what prune has removed; its fields are those of the JSON output.
type pruned struct {
	Path    string `json:"path"`
	Objects int    `json:"objects"`
	Bytes   int64  `json:"bytes"`
	Planned bool   `json:"planned"` // nothing was removed yet
}

func pruneVerb(set *flag.FlagSet) action {
	keep := set.Int("keep", 0, "keep the newest `N` versions, at least 1; must be given")
	age := set.Duration("age", 24*time.Hour, "keep objects that are younger than `DURATION`, such as 90m, whose "+
		"commit may be under way; 24h by default")
	plan := set.Bool("plan", false, "print how much would be removed, and remove nothing")
	asJSON := set.Bool("json", false, "print a JSON object")

	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "URL"); err != nil {
			return err
		}
		switch {
		case *keep < 1:
			return usagef("-keep says how many versions stay, and must be at least 1")
		case *age <= 0:
			return usagef("-age is %v, must be positive: a commit that is under way must stay", *age)
		}

		// A commit that is under way has objects that no version names yet, hence -age.
		p := place.Of(operands[0])
		if at, version := std.at.Version(p); version > 0 {
			return usagef("%s is one version; prune takes the array %s", p, at)
		}
		if err := std.wantVersions(p); err != nil {
			return err
		}

		removed, err := frame.Collect(ctx, operands[0], &frame.CollectOptions{
			FS: std.at.FS(p), Keep: *keep - 1, Age: *age, DryRun: *plan})
		if err != nil {
			return err
		}
		if *asJSON {
			return std.PrintJSON(ctx, pruned{operands[0], removed.Objects, removed.Bytes, *plan})
		}

		verb := "removed"
		if *plan {
			verb = "would remove"
		}
		text := fmt.Sprintf("%s %s, %s", verb, console.Count(removed.Objects, "object"), progress.Size(removed.Bytes))
		if removed.Young > 0 {
			text += fmt.Sprintf("; %s younger than %v kept, see -age", console.Count(removed.Young, "object"), *age)
		}
		return std.Print(ctx, text+"\n")
	}
}
