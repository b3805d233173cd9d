// Package format reads the structures of HDF5 files: the superblock, object headers and their
// messages, groups, heaps, B-trees and the indexes of chunks. It knows bytes and addresses, but
// neither dtypes nor boxes of items.
//
// Facts about the format are from the HDF5 File Format Specification, version 3.0, and, where it is
// silent, from the files that HDF5 1.8 to 1.14 write.
//
// Every number of a file is compared with the file's size and with [cairn.Limits] before anything
// is allocated. A structure that is checksummed is compared with its checksum whenever it is read.
package format
