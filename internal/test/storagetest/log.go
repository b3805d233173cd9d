package storagetest

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/storage"
)

// A Log is a sequence of operations on an initially empty file system. [Log.Image] computes what a
// crash could leave. A Log must not be used concurrently.
type Log struct {
	Ops []Op

	settled []int // per operation: the number of operations after which it was durable
	base    image // the result of the first operations, all of them durable
	done    int
}

const never = math.MaxInt

// NewLog returns a log of operations, such as those of [Recorder.Ops].
func NewLog(ops []Op) *Log {
	l := &Log{Ops: ops, settled: make([]int, len(ops))}
	for i := range ops {
		l.settled[i] = settledAt(ops, i)
	}
	l.rewind()
	return l
}

func (l *Log) rewind() {
	l.base = newImage()
	l.done = 0
}

// settledAt returns the number of operations after which operation i was durable.
func settledAt(ops []Op, i int) int {
	op := ops[i]
	if op.Kind == OpSync || op.Kind == OpSyncDir {
		return i + 1
	}

	dirs := op.dirs()
	for k := i + 1; k < len(ops); k++ {
		later := ops[k]
		switch {
		case later.Kind == OpSync && op.onData() && later.File == op.File:
			return k + 1
		case later.Kind == OpSyncDir && !op.onData():
			dirs = slices.DeleteFunc(dirs, func(d string) bool { return d == path.Clean(later.Name) })
			if len(dirs) == 0 {
				return k + 1
			}
		case !op.onData() && later.moves(op.Name):
			// A later sync of the directory would use another name. Directories must be synced
			// before they are moved.
			return never
		}
	}
	return never
}

// dirs returns the directories whose entries an operation changes.
func (o Op) dirs() []string {
	dirs := []string{path.Dir(o.Name)}
	if o.To != "" && path.Dir(o.To) != dirs[0] {
		dirs = append(dirs, path.Dir(o.To))
	}
	return dirs
}

// moves reports whether an operation moves the directory that contains name.
func (o Op) moves(name string) bool {
	return (o.Kind == OpRename || o.Kind == OpExchange) && strings.HasPrefix(name, o.Name+"/") ||
		o.Kind == OpExchange && strings.HasPrefix(name, o.To+"/")
}

// onData reports whether an operation changes bytes of a file rather than directory entries.
func (o Op) onData() bool { return o.Kind == OpWrite || o.Kind == OpTruncate }

// start returns the result and the number of the operations that precede all operations that a
// crash after at operations may lose. Operations before from are durable.
func (l *Log) start(at, from int) (image, int) {
	first := 0
	for first < at && (first < from || l.settled[first] <= at) {
		first++
	}

	if first < l.done {
		l.rewind()
	}

	for ; l.done < first; l.done++ {
		l.base.run(l.Ops[l.done])
	}
	return l.base.clone(), first
}

// Describe returns the operations around a crash, one per line, for messages.
func (l *Log) Describe(c Crash) string {
	var b strings.Builder
	for i := max(0, c.At-12); i < c.At; i++ {
		mark := ' '
		if i >= c.From && l.settled[i] > c.At {
			mark = '?' // may be lost
		}
		fmt.Fprintf(&b, "%6d %c %v\n", i, mark, l.Ops[i])
	}
	return b.String()
}

// A Mark is an action in a log: the operations between two states that are visible from outside.
type Mark struct {
	Name     string
	From, To int // number of operations before it began and after it ended
}

// Before returns the image at the beginning of a mark, with everything kept.
func (l *Log) Before(m Mark) storage.FS {
	return l.Image(Crash{Model: Kill, At: m.From, From: m.From})
}

// After returns the image at the end of a mark, with everything kept.
func (l *Log) After(m Mark) storage.FS { return l.Image(Crash{Model: Kill, At: m.To, From: m.To}) }
