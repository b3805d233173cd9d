package formats

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// A Changer changes a file in place, which has all changes or none whatever happens meanwhile.
type Changer interface {
	// SetAttribute sets an attribute of an array or a group to a value of JSON.
	SetAttribute(ctx context.Context, key, name string, value any) error
	DeleteAttribute(ctx context.Context, key, name string) error
	// Delete deletes an array, or a group with all that is in it.
	Delete(ctx context.Context, key string) error
	// Close makes the changes durable, and closes the file. Abort closes it as it was.
	Close() error
	Abort() error
}

// An hdf5Changer changes files of HDF5, and of NetCDF-4.
type hdf5Changer struct {
	*hdf5.Changer
	netcdf bool
}

func changeHDF5(path string) (Changer, error) {
	c, err := hdf5.Change(path, nil)
	return hdf5Changer{c, false}, err
}

// changeNetCDF fails for classic files.
func changeNetCDF(path string) (c Changer, err error) {
	f, err := storage.OS().Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	if !hdf5.Is(f, size) {
		return nil, fmt.Errorf("%s is a NetCDF file of a classic format, which is not changed in place; 'cairn copy' makes "+
			"one of NetCDF-4 (.nc) that can be: %w", path, cairn.ErrUnsupported)
	}

	made, err := hdf5.Change(path, nil)
	return hdf5Changer{made, true}, err
}

// SetAttribute keeps the datatype of an attribute that is there, if that can have the value.
func (c hdf5Changer) SetAttribute(ctx context.Context, key, name string, value any) error {
	if err := c.mayHave(name, value); err != nil {
		return err
	}
	old, had, err := c.File().Attribute(ctx, key, name)
	if err != nil {
		return err
	}

	_, isText := value.(string)
	_, isList := value.([]any)
	if !isText && !isList && value != nil && (c.netcdf || had && len(old.Shape) == 1) {
		value = []any{value} // as NetCDF-4 has numbers
	}
	made := hdf5.Attribute{Name: name, Value: value}
	chars := had && old.Type != nil && old.Type.Class == hdf5.StringType
	switch {
	case isText && (chars || !had && c.netcdf):
		made.Type = &hdf5.Type{Class: hdf5.StringType, Size: int64(max(1, len(value.(string))))}
		if value == "" {
			made.Value = nil
		}
	case had && old.Type != nil && !chars:
		made.Type = old.Type
		if made.Check() != nil {
			made.Type = nil
		}
	}
	return c.Changer.SetAttribute(ctx, key, made)
}

// mayHave returns an error if NetCDF-4 does not know such attributes, or keeps the name for itself.
func (c hdf5Changer) mayHave(name string, value any) error {
	if !c.netcdf {
		return nil
	}
	if reservedName(name) {
		return fmt.Errorf("the attribute %q belongs to the library of NetCDF: %w", name, cairn.ErrUnsupported)
	}
	switch value.(type) {
	case nil, bool, meta.Map:
		return fmt.Errorf("the attribute %q: NetCDF has text, numbers and lists of them, and no %v: %w", name, value,
			cairn.ErrUnsupported)
	}
	return nil
}

func reservedName(name string) bool {
	return strings.HasPrefix(name, "_Netcdf4") || name == "_NCProperties" || name == "_nc3_strict"
}

// DeleteAttribute deletes an attribute that does not belong to the library of NetCDF.
func (c hdf5Changer) DeleteAttribute(ctx context.Context, key, name string) error {
	if err := c.mayHave(name, ""); err != nil {
		return err
	}
	return c.Changer.DeleteAttribute(ctx, key, name)
}
