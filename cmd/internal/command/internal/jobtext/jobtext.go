// Package jobtext describes jobs in words.
package jobtext

import (
	"fmt"
	"strings"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/job"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// Plan says what was planned. box is the shape of boxes in words.
func Plan(p *job.Plan, box string) string {
	text := many(p.Tasks, "task")
	if p.Kind == job.Reduce {
		text += " of " + many(p.Together, "piece")
	} else {
		text += ", boxes of " + box
	}
	return text + fmt.Sprintf("; a process needs at most %s; reads the input %.2f times", progress.Size(p.Memory), p.Reads)
}

func many(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// TaskBytes returns about how many bytes of items a task writes, or reads to reduce them.
func TaskBytes(p *job.Plan) int64 {
	if p.Kind == job.Reduce {
		n := int64(0)
		for _, in := range p.Inputs {
			d, err := meta.ParseDType(in.Form.DType)
			if err != nil {
				continue
			}
			n += itemsOf(in.Form.Shape) * int64(d.Size())
		}
		return n / max(1, p.Tasks)
	}

	d, err := meta.ParseDType(p.Output.DType)
	if err != nil {
		return 0 // planned by a program that knows more
	}
	return itemsOf(p.Box) * p.Together * int64(d.Size())
}

func itemsOf(shape ndarray.Shape) int64 {
	n := int64(1)
	for _, extent := range shape {
		n *= extent
	}
	return n
}

// State names the state of a job.
func State(s job.Status) string {
	switch {
	case s.Cancelled:
		return "cancelled"
	case s.Sealed:
		return "sealed"
	case s.Sealing:
		return "sealing"
	case s.Done == s.Tasks:
		return "done"
	}
	return "working"
}

// Bar shows the shares of tasks that are done and running.
func Bar(s job.Status, width int) string {
	done := int(s.Done * int64(width) / s.Tasks)
	running := min(width-done, int((s.Running*int64(width)+s.Tasks-1)/s.Tasks))
	return strings.Repeat("█", done) + strings.Repeat("▒", running) + strings.Repeat("·", width-done-running)
}

// Missing lists tasks that are not done in at most the given number of ranges, as -tasks takes
// them.
func Missing(s job.Status, most int) string {
	var ranges []string
	for i := 0; i < len(s.Missing); {
		first := s.Missing[i]
		last := s.Missing[i]
		for i++; i < len(s.Missing) && s.Missing[i] == last+1; i++ {
			last++
		}

		if len(ranges) == most {
			return strings.Join(ranges, ", ") + fmt.Sprintf(" and others from %d on", first)
		}
		if text := fmt.Sprint(first); first == last {
			ranges = append(ranges, text)
		} else {
			ranges = append(ranges, fmt.Sprintf("%s-%d", text, last))
		}
	}

	text := strings.Join(ranges, ", ")
	if n := s.Tasks - s.Done - int64(len(s.Missing)); n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
