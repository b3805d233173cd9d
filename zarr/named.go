package zarr

import "github.com/cairn-go/cairn/meta"

// A web server lists nothing. Without consolidated metadata the members of a group are known if its
// attributes name them, as those of OME-Zarr do, in version 0.5 below "ome":
//
//	multiscales  a list of images, each with a list "datasets" of objects with a "path"
//	labels       a list of names
//	plate        an object with a list "wells" of objects with a "path"
//	well         an object with a list "images" of objects with a "path"
//
// An image may have the group "labels" besides.
//
// Source: ngff.openmicroscopy.org, versions 0.4 and 0.5.

// mostNamed bounds the members that attributes name.
const mostNamed = 10_000

// namedMembers returns the paths of members below a group with attributes.
func namedMembers(attributes meta.Map) (all []string) {
	if inner, ok := field(attributes, "ome").(meta.Map); ok {
		attributes = inner
	}

	images := objectsIn(attributes, "multiscales")
	for _, image := range images {
		all = append(all, pathsIn(image, "datasets")...)
	}
	if len(images) > 0 {
		all = append(all, "labels")
	}

	names, _ := field(attributes, "labels").([]any)
	for _, v := range names {
		if name, ok := v.(string); ok {
			all = append(all, name)
		}
	}

	for _, p := range [...][2]string{{"plate", "wells"}, {"well", "images"}} {
		if m, ok := field(attributes, p[0]).(meta.Map); ok {
			all = append(all, pathsIn(m, p[1])...)
		}
	}
	return all[:min(len(all), mostNamed)]
}

// objectsIn returns the objects in a list.
func objectsIn(m meta.Map, name string) (all []meta.Map) {
	list, _ := field(m, name).([]any)
	for _, v := range list {
		if o, ok := v.(meta.Map); ok {
			all = append(all, o)
		}
	}
	return all
}

// pathsIn returns the members "path" of the objects in a list.
func pathsIn(m meta.Map, name string) (all []string) {
	for _, o := range objectsIn(m, name) {
		if path, ok := field(o, "path").(string); ok {
			all = append(all, path)
		}
	}
	return all
}
