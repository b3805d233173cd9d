package frame

import (
	"github.com/cairn-go/cairn/frame/internal/index"
)

// chunkFiles knows which chunk files a writer may use or remove. It follows the committed states by
// what changes from one to the next, so that a commit does not look at every chunk.
type chunkFiles struct {
	used     map[int64]struct{} // numbers of files that belong to some state
	spare    map[int64]struct{} // those of used to which the followed state does not refer
	followed index.Index
	repeats  bool  // followed may refer to a file more than once
	highest  int64 // no number in used is higher
}

func newChunkFiles() chunkFiles {
	return chunkFiles{used: map[int64]struct{}{}, spare: map[int64]struct{}{}, followed: index.New()}
}

// add adds a new file, to which no committed state refers yet.
func (c *chunkFiles) add(id int64) {
	c.used[id] = struct{}{}
	c.spare[id] = struct{}{}
	c.highest = max(c.highest, id)
}

func (c *chunkFiles) remove(id int64) {
	delete(c.used, id)
	delete(c.spare, id)
}

// follow makes x, the index of a committed state, the followed one. It returns the numbers to which
// the one before referred, and x may not.
func (c *chunkFiles) follow(x index.Index) (left []int64, err error) {
	if c.repeats {
		return c.followAll(x)
	}
	var came []int64
	err = index.Diff(c.followed, x, func(old, new int64) {
		if old >= 0 {
			left = append(left, old)
		}
		came = append(came, new)
	})
	if err != nil {
		return nil, err
	}

	for _, id := range left {
		c.spare[id] = struct{}{}
	}
	for _, id := range came { // after left: an entry may have moved
		delete(c.spare, id)
	}
	c.followed = x
	return left, nil
}

// followAll does the same from x alone.
func (c *chunkFiles) followAll(x index.Index) (left []int64, err error) {
	entries, err := x.Entries()
	if err != nil {
		return nil, err
	}
	stored, err := x.Stored()
	if err != nil {
		return nil, err
	}

	for id := range c.used {
		_, spare := c.spare[id]
		if _, ok := entries[id]; !ok && !spare {
			c.spare[id] = struct{}{}
			left = append(left, id)
		}
	}

	for id := range entries {
		c.used[id] = struct{}{}
		delete(c.spare, id)
		c.highest = max(c.highest, id)
	}

	c.followed = x
	c.repeats = stored != len(entries)
	return left, nil
}
