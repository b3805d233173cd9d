// Package derived knows the metadata that python-blosc2 derives from data and stores beside it:
// indexes of arrays and of tables, generated columns, and numbers of rows. Writers use it to mark
// that metadata as stale. It works on the values of metalayers and accesses no files;
// docs/format/indexes.md describes the format.
package derived

import "github.com/cairn-go/cairn/meta"

// Metalayers of variable length of an array with indexes.
const (
	IndexesLayer = "blosc2_indexes"      // the indexes and the paths of their files
	QueriesLayer = "_blosc2_query_cache" // cached results of queries
)

// IsPlaced reports whether a metalayer of variable length refers to the file that contains it or to
// neighbouring files, so that it would be wrong in a copy.
func IsPlaced(layer string) bool { return layer == IndexesLayer || layer == QueriesLayer }

// MarkIndexes returns the value of [IndexesLayer] with every index marked as stale; nil if the
// layer is invalid and must be deleted. If nothing changes, the result is value itself.
func MarkIndexes(value []byte) []byte {
	v, err := meta.Unpack(value)
	if err != nil {
		return nil
	}

	layer, _ := v.(meta.Map) // Python treats anything else as no indexes
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

// markAll marks the descriptors in a map as stale, and reports whether that changed any.
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
				descriptor[k].Value = true
				stale = true
			}
		}
		if !stale { // Python would use such an index
			m[i].Value = append(descriptor, meta.Pair{Key: "stale", Value: true})
			changed = true
		}
	}
	return changed
}
