package scale

import (
	"slices"
	"sort"
	"strings"
)

// names is a sorted set of names, in leaves of at most leafLen.
type names struct{ leaves [][]string }

const leafLen = 512

// leaf returns the leaf that has a name, or would have it.
func (s *names) leaf(name string) int {
	return max(0, sort.Search(len(s.leaves), func(i int) bool { return s.leaves[i][0] > name })-1)
}

func (s *names) insert(name string) {
	if len(s.leaves) == 0 {
		s.leaves = [][]string{{name}}
		return
	}
	i := s.leaf(name)
	at, ok := slices.BinarySearch(s.leaves[i], name)
	if ok {
		return
	}
	l := slices.Insert(s.leaves[i], at, name)
	s.leaves[i] = l
	if len(l) > leafLen {
		s.leaves[i] = slices.Clone(l[:leafLen/2])
		s.leaves = slices.Insert(s.leaves, i+1, slices.Clone(l[leafLen/2:]))
	}
}

func (s *names) remove(name string) {
	if len(s.leaves) == 0 {
		return
	}
	i := s.leaf(name)
	at, ok := slices.BinarySearch(s.leaves[i], name)
	if !ok {
		return
	}
	if s.leaves[i] = slices.Delete(s.leaves[i], at, at+1); len(s.leaves[i]) == 0 {
		s.leaves = slices.Delete(s.leaves, i, i+1)
	}
}

// after returns at most n names with a prefix that are greater than last.
func (s *names) after(prefix, last string, n int) (page []string) {
	from := max(prefix, last)
	for i := s.leaf(from); i < len(s.leaves); i++ {
		at, _ := slices.BinarySearch(s.leaves[i], from)
		for _, name := range s.leaves[i][at:] {
			switch {
			case name == last:
			case !strings.HasPrefix(name, prefix) || len(page) == n:
				return page
			default:
				page = append(page, name)
			}
		}
	}
	return page
}
