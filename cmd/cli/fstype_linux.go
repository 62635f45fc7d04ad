package cli

import "golang.org/x/sys/unix"

// fileSystem names the kind of file system that dir is on, "" when it is an unknown one, and says what it cannot be trusted with.
func fileSystem(dir string) (kind, caution string) {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return "", ""
	}
	const network = "a network file system: locks and syncs depend on its server; set LOBSTER_STATE_DIR to a folder on a local disk"
	switch uint32(st.Type) {
	case unix.TMPFS_MAGIC, unix.RAMFS_MAGIC:
		return "tmpfs", "it lives in memory: paused runs do not survive a restart of the machine"
	case unix.NFS_SUPER_MAGIC:
		return "nfs", network
	case unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC:
		return "smb", network
	case unix.V9FS_MAGIC:
		return "9p", network
	case unix.FUSE_SUPER_MAGIC:
		return "fuse", "what a sync does depends on the program behind the mount"
	case unix.OVERLAYFS_SUPER_MAGIC:
		return "overlayfs", "it is part of a container: paused runs go with it unless the folder is a volume"
	case unix.EXT4_SUPER_MAGIC:
		return "ext4", ""
	case unix.XFS_SUPER_MAGIC:
		return "xfs", ""
	case unix.BTRFS_SUPER_MAGIC:
		return "btrfs", ""
	}
	return "", ""
}
