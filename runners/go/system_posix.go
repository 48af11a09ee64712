//go:build !windows

package readfirst

import (
	"io/fs"
	"syscall"
)

func umask() { syscall.Umask(0o022) }

func chmod(path string, mode fs.FileMode) error { return syscall.Chmod(path, uint32(mode)) }

func modeIn(info fs.FileInfo) fs.FileMode {
	return fs.FileMode(info.Sys().(*syscall.Stat_t).Mode & 0o7777)
}

// identity returns the inode of a file, and the number of its names.
func identity(_ string, info fs.FileInfo) (inode, names uint64, err error) {
	status := info.Sys().(*syscall.Stat_t)
	return status.Ino, uint64(status.Nlink), nil
}
