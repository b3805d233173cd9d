// Package derived knows what python-blosc2 works out from data and keeps beside them, so that a
// writer that changes the data can mark it as stale: indexes of arrays and of tables, generated
// columns, and numbers of rows. It works on the values of metalayers and touches no file; what they
// look like is in docs/format/indexes.md.
package derived

import "github.com/cairn-go/cairn/meta"

// The metalayers of variable length of an array that has indexes.
const (
	IndexesLayer = "blosc2_indexes"      // what indexes there are, and the paths of their files
	QueriesLayer = "_blosc2_query_cache" // where answers to queries are kept
)

// IsPlaced reports whether a metalayer of variable length says something about the file that has it
// and its neighbours, so that it would be wrong in a copy.
func IsPlaced(layer string) bool { return layer == IndexesLayer || layer == QueriesLayer }

// MarkIndexes returns the value of [IndexesLayer] with every index marked as stale; nil if the
// layer must go, because it cannot be understood. The result is value itself if nothing is to be
// changed.
func MarkIndexes(value []byte) []byte {
	v, err := meta.Unpack(value)
	if err != nil {
		return nil
	}
	layer, _ := v.(meta.Map) // Python takes anything else for no indexes
	indexes, _ := layer.Get("indexes")
	m, _ := indexes.(meta.Map)
	if !markAll(m) {
		return value
	}
	marked, err := meta.Pack(layer)
	if err != nil {
		return nil
	}
	return marked
}

// markAll marks the descriptors in a map as stale, and reports whether one was not.
func markAll(m meta.Map) (changed bool) {
	for i := range m {
		descriptor, ok := m[i].Value.(meta.Map)
		if !ok {
			continue
		}
		stale := false
		for k := range descriptor {
			if descriptor[k].Key == "stale" {
				changed = changed || descriptor[k].Value != true
				descriptor[k].Value, stale = true, true
			}
		}
		if !stale { // Python takes that for an index that is good
			m[i].Value, changed = append(descriptor, meta.Pair{Key: "stale", Value: true}), true
		}
	}
	return changed
}
