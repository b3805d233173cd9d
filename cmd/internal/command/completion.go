package command

import (
	"context"
	"flag"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/shellwords"
	"github.com/cairn-go/cairn/compute/regrid"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/show/chart"
	"github.com/cairn-go/cairn/internal/suggest"
)

// completeName is the name of the verb that the scripts for shells run. Help does not show it.
const completeName = "__complete"

// The scripts ask the command itself, so that they never need to change. Each passes all words up
// to the cursor, and gets candidates for the last one, one per line. Without any, the shell
// completes names of files.
//
// Candidates have names from files of other people. What a shell inserts is quoted, so that it runs
// nothing: for bash by the command, which knows how far the word is typed, and by zsh and fish
// themselves. Names with control characters are not offered.
const (
	// Bash replaces only what follows the last of its word breaks.
	bashCompletion = `_cairn() {
	local candidate
	COMPREPLY=()
	while IFS= read -r candidate; do
		COMPREPLY+=("$candidate")
	done < <(cairn __complete -breaks "$COMP_WORDBREAKS" -line "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
	[[ ${COMPREPLY[0]} == */ ]] && compopt -o nospace
}
complete -o default -F _cairn cairn
`
	zshCompletion = `#compdef cairn
_cairn() {
	local -a found
	found=("${(@f)$(cairn __complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
	found=(${found:#})
	if (( $#found )); then
		compadd -S '' -- ${(M)found:#*/}
		compadd -- ${found:#*/}
	else
		_files
	fi
}
if [[ $funcstack[1] == _cairn ]]; then
	_cairn "$@"
else
	compdef _cairn cairn
fi
`
	// Behind :: are no files.
	fishCompletion = `complete -c cairn -n 'string match -q "*::*" -- (commandline -ct)' -f
complete -c cairn -a '(cairn __complete -- (commandline -opc)[2..] (string unescape -- (commandline -ct); or commandline -ct) 2>/dev/null)'
`
)

func completionVerb(*flag.FlagSet) action {
	return func(ctx context.Context, std *streams, operands []string) error {
		if err := wantOperands(operands, "SHELL"); err != nil {
			return err
		}

		scripts := map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
		script, ok := scripts[operands[0]]
		if !ok {
			names := slices.Sorted(maps.Keys(scripts))
			return usagef("unknown shell %q: want %s%s", operands[0], oneOf(names), suggest.Question(operands[0], names))
		}

		_, err := std.Output(ctx).Write([]byte(script))
		return err
	}
}

// hiddenVerb completes words.
func hiddenVerb() verb {
	return verb{name: completeName, summary: "complete the last word", traits: traits{native: true}, setUp: func(set *flag.FlagSet) action {
		line := set.String("line", "", "complete the last word of the `COMMAND`, as bash writes it")
		breaks := set.String("breaks", "", "`CHARACTERS` that part words: bash replaces what follows the last one")
		return func(ctx context.Context, std *streams, operands []string) error {
			var found []string
			if *line == "" {
				found = std.complete(ctx, operands)
			} else {
				words := shellwords.Parse(*line, *breaks)
				for _, word := range std.complete(ctx, words.Unquoted()[1:]) {
					if quoted, ok := words.Insertion(word); ok {
						found = append(found, quoted)
					}
				}
			}

			found = slices.DeleteFunc(found, func(word string) bool { return console.OneLine(word) != word })
			return std.Print(ctx, strings.Join(append(found, ""), "\n"))
		}
	}}
}

// complete returns what the last word may become. Nothing means that it may be the name of a file.
func (std *streams) complete(ctx context.Context, words []string) []string {
	if len(words) == 0 {
		return nil
	}
	last := len(words) - 1
	word := words[last]

	if last == 0 {
		return beginningWith(word, verbNames())
	}
	v, err := findVerb(words[0])
	if err != nil {
		return nil
	}

	set, _ := v.flags()
	if name, value, ok := strings.Cut(strings.TrimLeft(word, "-"), "="); ok && strings.HasPrefix(word, "-") {
		found := valuesBeginningWith(v.name, name, value)
		for i, candidate := range found {
			found[i] = strings.TrimSuffix(word, value) + candidate
		}
		return found
	}

	if strings.HasPrefix(word, "-") {
		var all []string
		set.VisitAll(func(f *flag.Flag) { all = append(all, "-"+f.Name) })
		return beginningWith("-"+strings.TrimLeft(word, "-"), all)
	}
	if f := set.Lookup(strings.TrimLeft(words[last-1], "-")); f != nil && strings.HasPrefix(words[last-1], "-") {
		if !isBool(f) {
			return valuesBeginningWith(v.name, f.Name, word)
		}
	}

	// Other words are files, which the shell completes, but for the actions of verbs such as job.
	actions, _, _ := strings.Cut(v.operands, " ")
	switch operand := last == 1; {
	case v.name == "help" && operand:
		return beginningWith(word, verbNames())
	case operand && strings.Contains(actions, "|"):
		return beginningWith(word, strings.Split(actions, "|"))
	case strings.Contains(word, place.Mark):
		return std.keysBeginningWith(ctx, word)
	}
	return nil
}

func verbNames() []string {
	var names []string
	for _, v := range verbs() {
		names = append(names, v.name)
	}
	return names
}

// valuesOf returns the words that a flag of a verb takes.
func valuesOf(verb, name string) []string {
	switch name {
	case "codec":
		return codecNames()
	case "filters":
		return append(filterNames(), "none")
	case "chunks", "blocks":
		return []string{"auto"}
	case "color":
		return []string{"always", "auto", "never"}
	case "map":
		return chart.ColourNames()
	case "reduce": // of view; that of job takes operations
		if verb == "job" {
			return completedOps()
		}
		return []string{"max", "mean", "min", "nearest"}
	case "op":
		return completedOps()
	case "method":
		return regridMethods()
	case "form":
		return []string{string(regrid.ESMFForm), string(regrid.SCRIPForm)}
	case "to":
		return regrid.Names()
	case "nan":
		return []string{nanPropagate, nanSkip}
	case "format":
		return itemFormats()
	case "for":
		return adviceGoals()
	case "progress":
		return []string{"auto", "json", "lines", "none"}
	case "log":
		return []string{"json", "none", "text"}
	case "fill":
		return []string{"false", "nan", "true", "zeros"}
	}

	return nil
}

// completedOps returns the operations of -op, as far as they are known: Q is a number.
func completedOps() []string {
	ops := reduceOps()
	for i, op := range ops {
		ops[i] = strings.TrimSuffix(op, "Q")
	}
	return ops
}

// valuesBeginningWith completes the value of a flag of a verb; of a list, the last of its words.
func valuesBeginningWith(verb, name, value string) []string {
	before := ""
	if name == "op" || name == "filters" || name == "reduce" && verb == "job" {
		before = value[:strings.LastIndexByte(value, ',')+1]
	}

	found := beginningWith(value[len(before):], valuesOf(verb, name))
	for i, word := range found {
		found[i] = before + word
	}
	return found
}

// isBool reports whether a flag takes no value.
func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// keysBeginningWith completes the name of an array or group in a store or in a foreign file, up to
// the next slash.
func (std *streams) keysBeginningWith(ctx context.Context, word string) []string {
	p := place.Of(word)

	name := p.Name
	key := p.Key
	o, err := std.at.Open(ctx, p.Whole(), inAnyOrder(1))
	if err != nil {
		return nil
	}
	defer o.Close()

	keys := slices.Clone(o.Keys())
	for _, l := range o.Links() {
		keys = append(keys, l.Key)
	}

	var found []string
	for _, k := range keys {
		if k == "" {
			continue
		}
		if k = formats.Key(k); !strings.HasPrefix(key, "/") {
			k = k[1:]
		}
		rest, ok := strings.CutPrefix(k, key)
		if !ok {
			continue
		}
		if i := strings.Index(rest, "/"); i >= 0 {
			k = key + rest[:i+1]
		}
		found = append(found, name+place.Mark+k)
	}

	slices.Sort(found)
	return slices.Compact(found)
}

// beginningWith returns those names that begin with a word, in order.
func beginningWith(word string, names []string) []string {
	var found []string
	for _, name := range names {
		if strings.HasPrefix(name, word) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}
