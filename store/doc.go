// Package store reads and writes trees of arrays: the containers of python-blosc2 that hold many
// arrays under names like "/group/temperature".
//
// There are three forms, which differ in where the leaves are:
//
//   - an embed store (.b2e) is one frame, whose decoded bytes are the frames of all leaves, one
//     after the other, and whose metalayer lists them;
//   - a directory (.b2d) has a file for each leaf, in folders as the names say, and an embed store
//     "embed.b2e" for what is not a file;
//   - a ZIP archive (.b2z) has the same files, uncompressed, so that they are read where they are.
//
// [Open] opens any of them for reading. [Create] makes an empty one and [Edit] opens one that
// exists, both for changes: with an [Editor] arrays are put into the tree, changed and deleted.
// [Store.Copy] copies all of it. A leaf is opened with [OpenAs], [Store.Array] or [Store.Frame]; it
// is an ordinary array or frame. What else python-blosc2 keeps in such trees, tables, lists and
// lazy expressions, is listed by its [Kind], and what it consists of can be read: columns of tables
// as arrays, see [Store.Table], objects with [Store.Values].
package store
