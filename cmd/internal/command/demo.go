package command

import (
	"context"
	"flag"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/demo"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/placing"
)

func demoVerb(set *flag.FlagSet) action {
	out := set.String("out", "", "write the files to `DIR`; a new temporary directory by default")
	days := set.Int("days", demo.Days, "generate `N` days; 730, two years, by default")
	workers := set.Int("workers", 0, workersUsage)
	force := set.Bool("force", false, forceUsage)

	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands); err != nil {
			return err
		}
		if *days < 1 || *days > demo.MostDays {
			return usagef("-days is %d, must be 1 to %d", *days, demo.MostDays)
		}
		if err := checkWorkers(*workers); err != nil {
			return err
		}

		err := demo.Run(ctx, &demo.Options{
			Dir: *out, Days: *days, Workers: parallel.Workers(*workers), Overwrite: *force,
			Print: func(text string) error { return std.Print(ctx, text) }, Bar: std.newBar,
		})
		return placing.Uncommitted(err) // one of two files
	}
}
