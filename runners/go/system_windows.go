package readfirst

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

func umask() {}

func chmod(path string, mode fs.FileMode) error { return os.Chmod(path, mode.Perm()) }

// modeIn returns the default mode, because Windows only stores whether a file may be written.
func modeIn(info fs.FileInfo) fs.FileMode {
	switch {
	case info.IsDir():
		return 0o755
	case info.Mode()&0o200 == 0:
		return 0o444
	}
	return 0o644
}

// identity returns the inode of a file, and the number of its names.
func identity(path string, _ fs.FileInfo) (inode, names uint64, err error) {
	name, err := syscall.UTF16PtrFromString(`\\?\` + filepath.FromSlash(path))
	if err != nil {
		return 0, 0, err
	}
	const shared = syscall.FILE_SHARE_READ | syscall.FILE_SHARE_WRITE | syscall.FILE_SHARE_DELETE
	const flags = syscall.FILE_FLAG_BACKUP_SEMANTICS | syscall.FILE_FLAG_OPEN_REPARSE_POINT
	handle, err := syscall.CreateFile(name, 0, shared, nil, syscall.OPEN_EXISTING, flags, 0)
	if err != nil {
		return 0, 0, err
	}
	defer syscall.CloseHandle(handle)
	var status syscall.ByHandleFileInformation
	err = syscall.GetFileInformationByHandle(handle, &status)
	return uint64(status.FileIndexHigh)<<32 | uint64(status.FileIndexLow), uint64(status.NumberOfLinks), err
}
