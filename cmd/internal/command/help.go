package command

import (
	"context"
	"flag"
	"slices"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/manual"
)

func helpVerb(set *flag.FlagSet) action {
	man := set.Bool("man", false, "print the manual page, in the format of man")

	return func(ctx context.Context, std *streams, operands []string) error {
		switch {
		case *man && len(operands) > 0:
			return usagef("-man describes all verbs; unexpected argument %q", operands[0])
		case *man:
			all := flag.NewFlagSet("", flag.ContinueOnError)
			new(commonFlags).declare(all, ofAllVerbs)
			return std.Print(ctx, manual.Page(manualGroups(), flagsOf(all), buildOf().Version))
		case len(operands) == 0:
			return std.Print(ctx, manual.Overview(manualGroups(), std.Columns(), std.Color))
		}

		if err := wantOperands(operands, "VERB"); err != nil {
			return err
		}
		v, err := findVerb(operands[0])
		if err != nil {
			return err
		}
		return std.Print(ctx, v.ofManual().Text(std.Columns(), std.Color))
	}
}

// ofManual returns a verb as the manual needs it: without the flags of all verbs, which are
// described once.
func (v *verb) ofManual() *manual.Verb {
	all := flag.NewFlagSet("", flag.ContinueOnError)
	new(commonFlags).declare(all, ofAllVerbs)

	set, _ := v.flags()
	own := slices.DeleteFunc(flagsOf(set), func(f *flag.Flag) bool { return all.Lookup(f.Name) != nil })
	return &manual.Verb{Name: v.name, Operands: v.operands, Brief: v.brief, Summary: v.summary, Flags: own}
}

// manualGroups returns the table of verbs as the manual needs it.
func manualGroups() []manual.Group {
	var groups []manual.Group
	for _, g := range verbGroups() {
		group := manual.Group{Title: g.title}
		for _, v := range g.verbs {
			group.Verbs = append(group.Verbs, *v.ofManual())
		}
		groups = append(groups, group)
	}
	return groups
}

func flagsOf(set *flag.FlagSet) (all []*flag.Flag) {
	set.VisitAll(func(f *flag.Flag) { all = append(all, f) })
	return all
}

// usageHint is the line after a mistake in the arguments; v is nil if the verb is wrong.
func (v *verb) usageHint() string {
	if v == nil {
		return "cairn VERB …; 'cairn help' lists the verbs"
	}
	return v.ofManual().Usage() + "; 'cairn help " + v.name + "' shows more"
}
