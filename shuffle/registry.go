package shuffle

import (
	"fmt"

	"github.com/cairn-go/cairn"
)

// firstUserID is the first of the ids that the format leaves to users (160 to 255).
const firstUserID ID = 160

// Registry holds filters of the caller's own, with ids from 160 to 255. The zero value is empty and
// ready; a nil *Registry has the built-in filters only. Add everything before the registry is used:
// Lookup is safe for concurrent use, Add is not.
type Registry struct {
	rows []Row
}

// Add registers a filter. It fails if the id is not a user's id or taken, or if the row lacks a
// part.
func (r *Registry) Add(row Row) error {
	switch {
	case r == nil:
		return fmt.Errorf("shuffle: filter %d added to a nil Registry", row.ID)
	case row.ID < firstUserID:
		return fmt.Errorf("shuffle: filter id %d is not a user's id (%d to 255)", row.ID, firstUserID)
	case row.Name == "":
		return fmt.Errorf("shuffle: filter %d has no name", row.ID)
	case row.Forward == nil:
		return fmt.Errorf("shuffle: filter %d (%s) has no Forward", row.ID, row.Name)
	}
	if set := row.Planes != nil; set != (row.ForwardPlanes != nil) || set != (row.BackwardPlanes != nil) {
		return fmt.Errorf("shuffle: filter %d (%s) has only some of Planes, ForwardPlanes and BackwardPlanes", row.ID, row.Name)
	}
	for i := range r.rows {
		if r.rows[i].ID == row.ID {
			return fmt.Errorf("shuffle: filter id %d is taken by %s", row.ID, r.rows[i].Name)
		}
	}
	r.rows = append(r.rows, row)
	return nil
}

// Lookup returns the filter with the given id, built-in or registered; r may be nil. The error for
// any other id matches [cairn.ErrUnsupported] and names the filter.
func (r *Registry) Lookup(id ID) (Row, error) {
	if row := builtin(id); row != nil {
		return *row, nil
	}
	if r != nil {
		for i := range r.rows {
			if r.rows[i].ID == id {
				return r.rows[i], nil
			}
		}
	}
	if id >= firstUserID {
		return Row{}, fmt.Errorf("%w filter %d: a user's filter that is not in the shuffle.Registry of the options",
			cairn.ErrUnsupported, id)
	}
	return Row{}, fmt.Errorf("%w filter %d: the format does not assign this id", cairn.ErrUnsupported, id)
}
