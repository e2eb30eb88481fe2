//! Calls that change the machine or the caller's rights: reboot, modules, keys, seccomp, landlock, randomness.
//!
//! Source: include/uapi/linux/reboot.h, kexec.h, module.h, keyctl.h, seccomp.h, landlock.h, random.h.

use super::set::{FlagSet, names};

/// `reboot` commands.
pub static REBOOT: FlagSet = FlagSet::new(
    "LINUX_REBOOT_CMD_???",
    names! {
        LINUX_REBOOT_CMD_CAD_OFF, LINUX_REBOOT_CMD_RESTART, LINUX_REBOOT_CMD_POWER_OFF, LINUX_REBOOT_CMD_KEXEC,
        LINUX_REBOOT_CMD_CAD_ON, LINUX_REBOOT_CMD_RESTART2, LINUX_REBOOT_CMD_HALT, LINUX_REBOOT_CMD_SW_SUSPEND,
    },
);

/// The first magic number of `reboot`.
pub static REBOOT_MAGIC: FlagSet = FlagSet::new(
    "LINUX_REBOOT_MAGIC_???",
    names! {
        LINUX_REBOOT_MAGIC1,
    },
);

/// The second.
pub static REBOOT_MAGIC2: FlagSet = FlagSet::new(
    "LINUX_REBOOT_MAGIC_???",
    names! {
        LINUX_REBOOT_MAGIC2A, LINUX_REBOOT_MAGIC2B, LINUX_REBOOT_MAGIC2C, LINUX_REBOOT_MAGIC2,
    },
);

/// `kexec_load`: the architecture, then flags.
pub static KEXEC: FlagSet = FlagSet::new(
    "KEXEC_???",
    names! {
        KEXEC_ON_CRASH, KEXEC_PRESERVE_CONTEXT, KEXEC_UPDATE_ELFCOREHDR = 4, KEXEC_CRASH_HOTPLUG_SUPPORT = 8,
    },
)
.head(
    0xffff_0000,
    names! {
        KEXEC_ARCH_DEFAULT = 0, KEXEC_ARCH_386 = 196608, KEXEC_ARCH_X86_64 = 4063232,
    },
    "KEXEC_ARCH_???",
);

/// `kexec_file_load`.
pub static KEXEC_FILE: FlagSet = FlagSet::new(
    "KEXEC_FILE_???",
    names! {
        KEXEC_FILE_UNLOAD, KEXEC_FILE_ON_CRASH, KEXEC_FILE_NO_INITRAMFS,
    },
);

/// `finit_module`.
pub static INIT_MODULE: FlagSet = FlagSet::new(
    "MODULE_INIT_???",
    names! {
        MODULE_INIT_IGNORE_MODVERSIONS, MODULE_INIT_IGNORE_VERMAGIC, MODULE_INIT_COMPRESSED_FILE = 4,
    },
);

/// `delete_module`.
pub static DELETE_MODULE: FlagSet = FlagSet::new(
    "O_???",
    names! {
        O_NONBLOCK, O_TRUNC,
    },
);

/// `syslog` actions: strace shows the number, with the name beside it.
pub static SYSLOG: FlagSet = FlagSet::new(
    "SYSLOG_ACTION_???",
    names! {
        "0 /* SYSLOG_ACTION_CLOSE */" = 0, "1 /* SYSLOG_ACTION_OPEN */" = 1, "2 /* SYSLOG_ACTION_READ */" = 2,
        "3 /* SYSLOG_ACTION_READ_ALL */" = 3, "4 /* SYSLOG_ACTION_READ_CLEAR */" = 4,
        "5 /* SYSLOG_ACTION_CLEAR */" = 5, "6 /* SYSLOG_ACTION_CONSOLE_OFF */" = 6,
        "7 /* SYSLOG_ACTION_CONSOLE_ON */" = 7, "8 /* SYSLOG_ACTION_CONSOLE_LEVEL */" = 8,
        "9 /* SYSLOG_ACTION_SIZE_UNREAD */" = 9, "10 /* SYSLOG_ACTION_SIZE_BUFFER */" = 10,
    },
);

/// `getrandom`.
pub static GETRANDOM: FlagSet = FlagSet::new(
    "GRND_???",
    names! {
        GRND_NONBLOCK, GRND_RANDOM, GRND_INSECURE,
    },
);

/// `keyctl` commands.
pub static KEYCTL: FlagSet = FlagSet::new(
    "KEYCTL_???",
    names! {
        KEYCTL_GET_KEYRING_ID, KEYCTL_JOIN_SESSION_KEYRING, KEYCTL_UPDATE, KEYCTL_REVOKE, KEYCTL_CHOWN,
        KEYCTL_SETPERM, KEYCTL_DESCRIBE, KEYCTL_CLEAR, KEYCTL_LINK, KEYCTL_UNLINK, KEYCTL_SEARCH, KEYCTL_READ,
        KEYCTL_INSTANTIATE, KEYCTL_NEGATE, KEYCTL_SET_REQKEY_KEYRING, KEYCTL_SET_TIMEOUT, KEYCTL_ASSUME_AUTHORITY,
        KEYCTL_GET_SECURITY, KEYCTL_SESSION_TO_PARENT, KEYCTL_REJECT, KEYCTL_INSTANTIATE_IOV, KEYCTL_INVALIDATE,
        KEYCTL_GET_PERSISTENT, KEYCTL_DH_COMPUTE, KEYCTL_PKEY_QUERY, KEYCTL_PKEY_ENCRYPT, KEYCTL_PKEY_DECRYPT,
        KEYCTL_PKEY_SIGN, KEYCTL_PKEY_VERIFY, KEYCTL_RESTRICT_KEYRING, KEYCTL_MOVE, KEYCTL_CAPABILITIES,
        KEYCTL_WATCH_KEY = 32,
    },
);

/// Special key ids.
pub static KEYRING: FlagSet = FlagSet::new(
    "",
    names! {
        KEY_SPEC_REQUESTOR_KEYRING, KEY_SPEC_REQKEY_AUTH_KEY, KEY_SPEC_GROUP_KEYRING, KEY_SPEC_USER_SESSION_KEYRING,
        KEY_SPEC_USER_KEYRING, KEY_SPEC_SESSION_KEYRING, KEY_SPEC_PROCESS_KEYRING, KEY_SPEC_THREAD_KEYRING,
    },
);

/// `seccomp` operations.
pub static SECCOMP: FlagSet = FlagSet::new(
    "SECCOMP_SET_MODE_???",
    names! {
        SECCOMP_SET_MODE_STRICT, SECCOMP_SET_MODE_FILTER, SECCOMP_GET_ACTION_AVAIL, SECCOMP_GET_NOTIF_SIZES,
    },
);

/// `seccomp` with `SECCOMP_SET_MODE_FILTER`.
pub static SECCOMP_FILTER: FlagSet = FlagSet::new(
    "SECCOMP_FILTER_FLAG_???",
    names! {
        SECCOMP_FILTER_FLAG_TSYNC, SECCOMP_FILTER_FLAG_LOG, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
        SECCOMP_FILTER_FLAG_NEW_LISTENER, SECCOMP_FILTER_FLAG_TSYNC_ESRCH, SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
    },
);

/// `landlock_add_rule`.
pub static LANDLOCK_RULE: FlagSet = FlagSet::new(
    "LANDLOCK_RULE_???",
    names! {
        LANDLOCK_RULE_PATH_BENEATH = 1, LANDLOCK_RULE_NET_PORT = 2,
    },
);

/// `landlock_create_ruleset`.
pub static LANDLOCK_CREATE: FlagSet = FlagSet::new(
    "LANDLOCK_CREATE_RULESET_???",
    names! {
        LANDLOCK_CREATE_RULESET_VERSION = 1, LANDLOCK_CREATE_RULESET_ERRATA = 2,
    },
);

/// `landlock_ruleset_attr.handled_access_fs`.
pub static LANDLOCK_FS: FlagSet = FlagSet::new(
    "LANDLOCK_ACCESS_FS_???",
    names! {
        LANDLOCK_ACCESS_FS_EXECUTE = 1, LANDLOCK_ACCESS_FS_WRITE_FILE = 2, LANDLOCK_ACCESS_FS_READ_FILE = 4,
        LANDLOCK_ACCESS_FS_READ_DIR = 8, LANDLOCK_ACCESS_FS_REMOVE_DIR = 0x10, LANDLOCK_ACCESS_FS_REMOVE_FILE = 0x20,
        LANDLOCK_ACCESS_FS_MAKE_CHAR = 0x40, LANDLOCK_ACCESS_FS_MAKE_DIR = 0x80, LANDLOCK_ACCESS_FS_MAKE_REG = 0x100,
        LANDLOCK_ACCESS_FS_MAKE_SOCK = 0x200, LANDLOCK_ACCESS_FS_MAKE_FIFO = 0x400,
        LANDLOCK_ACCESS_FS_MAKE_BLOCK = 0x800, LANDLOCK_ACCESS_FS_MAKE_SYM = 0x1000,
        LANDLOCK_ACCESS_FS_REFER = 0x2000, LANDLOCK_ACCESS_FS_TRUNCATE = 0x4000,
        LANDLOCK_ACCESS_FS_IOCTL_DEV = 0x8000,
    },
);

/// `landlock_ruleset_attr.handled_access_net`.
pub static LANDLOCK_NET: FlagSet = FlagSet::new(
    "LANDLOCK_ACCESS_NET_???",
    names! {
        LANDLOCK_ACCESS_NET_BIND_TCP = 1, LANDLOCK_ACCESS_NET_CONNECT_TCP = 2,
    },
)
.wide();
