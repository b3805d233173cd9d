package main

import "strings"

// A verbStep is verbs of the command, and what they wrote besides the array or table itself: paths,
// and keys of tables. A is the array or the store of the table, LEAF the table, and REV, NPY and
// TWO hold the array, or a column, in reverse.
type verbStep struct {
	verbs   []string
	wrote   []string
	needs   stepNeed
	changes bool // items of the array or table
}

// name returns the verbs of the step, with their flags.
func (s *verbStep) name() string { return strings.Join(s.verbs, "; ") }

// A stepNeed says for what a step is meant.
type stepNeed uint8

const (
	anything   stepNeed = iota
	numbers             // an array of numbers
	inGroup             // a table that is not the store
	isStore             // a table that is the store
	archivable          // a table whose indexes the library finds in archives
)

var arraySteps = []verbStep{
	{verbs: []string{"append A NPY"}, changes: true},
	{verbs: []string{"append A REV REV"}, changes: true},
	{verbs: []string{"resize A 7"}, changes: true},
	{verbs: []string{"resize A 7", "append A NPY"}, changes: true},
	{verbs: []string{"meta set A note 1"}},
	{verbs: []string{"meta set A note 1", "meta rm A note"}},
	{verbs: []string{"copy A OUT"}, wrote: []string{"OUT"}},
	{verbs: []string{"copy -recode -codec lz4 A OUT"}, wrote: []string{"OUT"}},
	{verbs: []string{"copy -chunks auto -verify A OUT"}, wrote: []string{"OUT"}},
	{verbs: []string{"copy -s ::-1 A OUT"}, wrote: []string{"OUT"}},
	{verbs: []string{"copy A DIR::/x/a"}, wrote: []string{"INNER"}},
	{verbs: []string{"copy A DIR::/x/a", "append DIR::/x/a NPY", "copy DIR ZIP", "copy ZIP::/x/a OUT"}, wrote: []string{"INNER", "OUT"}},
	{verbs: []string{"copy A DIR::/x/a", "copy A DIR::/x/b", "delete DIR::/x/b"}, wrote: []string{"INNER"}},
	{verbs: []string{"copy -force REV A"}, changes: true},
	{verbs: []string{"import -force NPY A"}, changes: true},
	{verbs: []string{"concat -force REV NPY A"}, changes: true},
	{verbs: []string{"concat -o OUT A REV"}, wrote: []string{"OUT"}},
	{verbs: []string{"split -size 5 A PARTS"}, wrote: []string{"PART0"}},
	{verbs: []string{"repair A OUT"}, wrote: []string{"OUT"}},
	{verbs: []string{"repair -force REV A"}, changes: true},
	{verbs: []string{"calc -force -o A where(r>r[0],r,r[0]) r=REV"}, needs: numbers, changes: true},
	{verbs: []string{"calc -o OUT a[::-1] a=A"}, wrote: []string{"OUT"}, needs: numbers},
	{verbs: []string{"reduce -force -op max -axis 0 TWO A"}, needs: numbers, changes: true},
}

var tableSteps = []verbStep{
	{verbs: []string{"copy A DIR"}, wrote: []string{"DIR KEY"}},
	{verbs: []string{"copy -recode -codec lz4 -chunks auto A DIR"}, wrote: []string{"DIR KEY"}},
	{verbs: []string{"copy A ZIP"}, wrote: []string{"ZIP KEY"}, needs: archivable},
	{verbs: []string{"copy A ZIP", "copy ZIP DIR"}, wrote: []string{"DIR KEY"}},
	{verbs: []string{"copy LEAF DIR::/x/u"}, wrote: []string{"DIR /x/u"}},
	{verbs: []string{"copy LEAF ZIP::/x/u"}, wrote: []string{"ZIP /x/u"}, needs: archivable},
	{verbs: []string{"copy LEAF ZIP::/x/u", "copy ZIP::/x/u DIR::/y"}, wrote: []string{"DIR /y"}},
	{verbs: []string{"copy REV DIR::/x/a", "copy LEAF DIR::/x/u", "copy -force LEAF DIR::/x/u"}, wrote: []string{"DIR /x/u"}},
	{verbs: []string{"copy LEAF DIR::/x/u", "delete DIR::/x/u", "copy -codec zstd LEAF DIR::/x/u"}, wrote: []string{"DIR /x/u"}},
	{verbs: []string{"copy LEAF DIR"}, wrote: []string{"DIR "}, needs: inGroup},
	{verbs: []string{"copy A DIR::/all"}, wrote: []string{"DIR /all/g/t"}, needs: inGroup},
	{verbs: []string{"meta set LEAF/_cols/a note 1"}},
	{verbs: []string{"copy REV A::/other/r", "copy -force REV A::/other/r"}, needs: inGroup},
	{verbs: []string{"copy -force REV A::/other/r", "delete A::/other"}, needs: inGroup},
	{verbs: []string{"concat -force -o A::/other/c REV REV"}, needs: inGroup},
	{verbs: []string{"split -force -size 5 REV A::/other/s%d"}, needs: inGroup},
	{verbs: []string{"import -force NPY A::/other/i", "append A::/other/i REV", "resize A::/other/i 3"}, needs: inGroup},
	{verbs: []string{"calc -force -o A::/other/e r+r r=REV", "reduce -force -op sum -axis 0 TWO A::/other/m"}, needs: inGroup},
	{verbs: []string{"meta set A::/g title 1"}, needs: inGroup},
	{verbs: []string{"!copy REV A::/other/r"}, needs: isStore},
	{verbs: []string{"!append LEAF/a REV", "!resize LEAF/_valid_rows 3"}},
	{verbs: []string{"!copy -force REV LEAF/a", "!import -force NPY LEAF/_cols/a", "!calc -force -o LEAF/a r+r r=REV"}},
	{verbs: []string{"!delete LEAF/_cols/a", "!copy LEAF/a LEAF/c"}},
}

// next returns the next step that suits the array or table: programs take turns.
func (v *verbProgram) next() *verbStep {
	steps := arraySteps
	if v.command.Table {
		steps = tableSteps
	}
	for {
		s := &steps[v.turns[v.command.Table]%len(steps)]
		v.turns[v.command.Table]++
		switch {
		case s.needs == numbers && !v.numeric, s.needs == inGroup && v.command.Key != "/g/t",
			s.needs == isStore && v.command.Key != "", s.needs == archivable && v.filesOfIndexes:
		default:
			return s
		}
	}
}
