package whole

import (
	"strings"
	"time"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/shellwords"
)

// History returns the line that the attribute history of an output begins with, in the form that
// NCO and CDO have: the time, and the command with its arguments.
func History(args []string, at time.Time) string {
	words := []string{"cairn"}
	for _, arg := range args {
		words = append(words, shellwords.Quote(arg))
	}
	return at.Format(time.ANSIC) + ": " + strings.Join(words, " ")
}
