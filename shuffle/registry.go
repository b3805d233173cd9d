package shuffle

import (
	"fmt"

	"github.com/cairn-go/cairn"
)

// firstUserID is the first id that the format leaves to users (160 to 255).
const firstUserID ID = 160

// Registry contains additional filters, with ids from 160 to 255. The zero value is empty and ready
// to use; a nil *Registry contains only the built-in filters. Lookup is safe for concurrent use,
// but Add must not be called concurrently with other methods.
type Registry struct {
	rows []Row
}

// Add registers a filter. It fails if the id is not a user's id or is in use, or if the row is
// incomplete.
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

// Lookup returns the built-in or registered filter of an id; r may be nil. Otherwise the error
// matches [cairn.ErrUnsupported] and names the filter.
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
