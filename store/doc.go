// Package store reads and writes trees of arrays: the containers of python-blosc2 that keep many
// arrays under keys such as "/group/temperature".
//
// There are three forms:
//
//   - a directory (.b2d) has one file per leaf, in folders named like the keys, and an embed store
//     "embed.b2e" for the other leaves;
//   - an archive (.b2z) is an uncompressed ZIP file of the same files, so that leaves can be read
//     in place;
//   - an embed store (.b2e) is one frame. Its decoded bytes are the frames of all leaves, and a
//     metalayer lists them.
//
// [Open] opens any of them for reading. [Create] makes an empty store and [Edit] opens an existing
// one for changes; both return an [Editor], which puts, changes and deletes leaves. [Store.Copy]
// copies a store to any form. [OpenAs], [Store.Array] and [Store.Frame] open a leaf, which is an
// ordinary array or frame.
//
// Trees of python-blosc2 also contain tables, lists and lazy expressions. [Store.Kind] returns the
// kind of a leaf. Columns of tables are arrays (see [Store.Table]), and [Store.Values] reads
// objects.
package store
