package lint

import (
	"bytes"
	"regexp"
	"unicode/utf8"
)

// maxCommentColumns is how wide a line with a comment may be, with tabs that are tabColumns wide.
const (
	maxCommentColumns = 100
	tabColumns        = 4
)

// figure matches comments that are laid out by hand: tables, layouts of bytes, programs, and links,
// which cannot be wrapped.
var figure = regexp.MustCompile("^//(  |\t|[a-z]+:)|https?://")

func checkWidth(t *Tree) []Problem {
	var out []Problem
	for _, p := range t.Packages {
		for _, f := range p.Files {
			lines := bytes.Split(f.Source, []byte("\n"))
			for _, g := range f.Syntax.Comments {
				for _, c := range g.List {
					n := columns(lines[t.fset.Position(c.Pos()).Line-1])
					if n > maxCommentColumns && !figure.MatchString(c.Text) {
						out = append(out, t.problem("width", f.Name, c.Pos(),
							"%d columns with the comment; wrap it at %d", n, maxCommentColumns))
					}
				}
			}
		}
	}
	return out
}

func columns(line []byte) int {
	return utf8.RuneCount(line) + (tabColumns-1)*bytes.Count(line, []byte("\t"))
}
