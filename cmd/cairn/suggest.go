package main

import (
	"flag"
	"slices"
	"strings"
)

// suggestion returns a question that proposes the nearest of names, to append to an error about
// name, or nothing if none is near.
func suggestion(name string, names []string) string {
	best, least := "", 1+len(name)/3
	for _, candidate := range names {
		d := editDistance(strings.ToLower(name), candidate)
		if len(name) > 2 && strings.HasPrefix(candidate, name) {
			d = min(d, 1)
		}
		if d < least || d == least && best == "" {
			best, least = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// editDistance counts the characters to insert, remove, replace, or swap with their neighbours, to
// get from a to b.
func editDistance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			next[j+1] = min(row[j+1], next[j]) + 1
			if a[i] == b[j] {
				next[j+1] = min(next[j+1], row[j])
			} else {
				next[j+1] = min(next[j+1], row[j]+1)
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}

// flagMistake returns the error of package flag, shortened, with a suggestion for a misspelt flag.
func flagMistake(set *flag.FlagSet, err error) string {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return err.Error()
	}
	var names []string
	set.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	question := suggestion(name, names)
	if i := slices.Index(names, name); i < 0 && question != "" {
		question = strings.Replace(question, "mean ", "mean -", 1)
	}
	return "unknown flag -" + name + question
}
