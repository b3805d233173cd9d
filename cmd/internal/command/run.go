package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/manual"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/show/table"
	"github.com/cairn-go/cairn/internal/suggest"
)

// run runs the command with the given arguments (without the program's name) and returns its exit
// code. It writes at most one line about an error, and a short usage if the arguments are wrong.
func (std *streams) run(ctx context.Context, args []string) int {
	if len(args) == 0 {
		io.WriteString(std.Err, std.Plain(manual.Overview(manualGroups(), console.TerminalWidth(std.Err), false)))
		return exitUsage
	}
	name := args[0]
	switch name {
	case "-h", "-help", "--help":
		name = "help"
	case "-version", "--version":
		name = "version"
	}
	var err error
	if std.at, err = operand.New(ctx, std.in, std.openers, os.Getenv(operand.CacheVariable)); err != nil {
		return std.conclude(ctx, nil, args[1:], err)
	}
	defer std.at.Close()

	v, err := findVerb(name)
	if err != nil {
		return std.conclude(ctx, v, args[1:], err)
	}

	std.verb = v
	std.args = args
	std.job.started = time.Now()
	err = v.run(ctx, std, args[1:])
	if err == nil || errors.Is(err, exitError(exitLost)) || errors.Is(err, cairn.ErrCommitted) {
		err = errors.Join(std.printOutcomes(ctx), err)
	}
	return std.conclude(ctx, v, args[1:], err)
}

// conclude reports an error of a verb, or of finding it, and returns the exit code.
func (std *streams) conclude(ctx context.Context, v *verb, args []string, err error) int {
	var wrong *usageError
	var done exitError
	switch {
	case err == nil:
		std.closeJob()
		return exitOK
	case errors.As(err, &wrong):
		return std.misused(v, wrong.text)
	case errors.As(err, &done):
		return int(done)
	case ctx.Err() != nil:
		std.Complain("interrupted")
		return interruptedCode(ctx)
	case errors.Is(err, syscall.EPIPE):
		return exitPipe // the reader has enough
	case errors.Is(err, cairn.ErrCommitted):
		std.Complain("everything is written, but something failed afterwards, so it may not survive a loss of power: " +
			err.Error())
		return exitAfter
	case errors.Is(err, errkind.ErrRank):
		return std.misused(v, err.Error())
	}

	std.Complain(err.Error() + remedy(v, err, args) + std.nearest(ctx, args, err))
	if bad := (*trouble)(nil); errors.As(err, &bad) {
		return exitUsage
	}
	return exitFailed
}

// misused reports a mistake in the arguments of a verb, and returns the exit code.
func (std *streams) misused(v *verb, text string) int {
	std.Complain(text)
	hint := table.Hang(std.Plain("usage: "+v.usageHint()), console.TerminalWidth(std.Err))
	fmt.Fprintln(std.Err, strings.Join(hint, "\n"))
	return exitUsage
}

// run parses the arguments and acts on them.
func (v *verb) run(ctx context.Context, std *streams, args []string) error {
	set, act := v.flags()
	operands, err := parseFlags(set, args, v.isExpression(set, args))
	if errors.Is(err, flag.ErrHelp) {
		return std.Print(ctx, v.ofManual().Text(std.Columns(), std.Color))
	}

	if err != nil {
		return usagef("%v", err)
	}

	if out := set.Lookup("o"); out != nil { // takes any text
		_ = out.Value.Set(std.at.Shown(out.Value.String()))
	}
	for i := range operands {
		if v.name != "meta" || i == 1 { // whose values are data
			operands[i] = std.at.Shown(operands[i])
		}
	}

	return act(ctx, std, operands)
}

// parseFlags parses flags that may come before, between and after the operands; "--" ends them.
//
// An array of standard input, "-::KEY", is an operand and no flag, and so is what isOperand says.
func parseFlags(set *flag.FlagSet, args []string, isOperand func(arg string) bool) (operands []string, err error) {
	const hidden = "\x00" // no argument has it
	args = slices.Clone(args)

	for i, arg := range args {
		if arg == "--" {
			break
		}
		if strings.HasPrefix(arg, place.Stream+place.Mark) || isOperand != nil && isOperand(arg) {
			args[i] = hidden + arg
		}
	}

	defer func() {
		for i := range operands {
			operands[i] = strings.TrimPrefix(operands[i], hidden)
		}
	}()

	for {
		before := len(args)
		if err := set.Parse(args); err != nil {
			return nil, flagMistake(set, args, err)
		}

		parsed := before - set.NArg()
		ended := parsed > 0 && args[parsed-1] == "--"
		args = set.Args()
		if ended || len(args) == 0 {
			return append(operands, args...), nil
		}

		operands = append(operands, args[0])
		args = args[1:]
	}
}

// flagMistake returns the error of package flag after it has parsed some arguments, with a
// suggestion if it does not have the flag.
func flagMistake(set *flag.FlagSet, args []string, err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return err
	}

	last := len(args) - set.NArg() - 1
	for i := 0; i <= last; i++ {
		name, _, valued := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		f := set.Lookup(name)
		if f == nil && i == last && name != "" {
			var names []string
			set.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
			return errors.New("unknown flag -" + name + suggest.Around(name, names, "-", ""))
		}

		if f != nil && !valued && !isBool(f) {
			i++ // its value
		}
	}
	return err
}

// isExpression returns a function that recognises an expression of calc that begins with a minus:
// it is no flag, and has the name of an operand NAME=PATH.
func (v *verb) isExpression(set *flag.FlagSet, args []string) func(arg string) bool {
	if v.name != "calc" {
		return nil
	}

	return func(arg string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !strings.HasPrefix(arg, "-") || arg == place.Stream || set.Lookup(name) != nil {
			return false
		}

		words := strings.FieldsFunc(arg, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		return slices.ContainsFunc(args, func(other string) bool {
			name, _, ok := strings.Cut(other, "=")
			return ok && slices.Contains(words, name)
		})
	}
}
