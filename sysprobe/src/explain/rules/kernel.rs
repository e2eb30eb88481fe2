//! The rest of the core kernel: RCU, workqueues, modules, processes, freezers, cgroups, io_uring, terminals, power.

use super::wait::WaitKinds;
use super::{Rule, rule};
use crate::explain::cause::Class;

const FLUSHERS: &[&str] = &[
    "flush_work",
    "__flush_work",
    "start_flush_work",
    "flush_workqueue*",
    "__flush_workqueue*",
    "drain_workqueue",
    "destroy_workqueue",
    "cancel_work_sync",
    "cancel_delayed_work_sync",
    "__cancel_work*",
    "flush_delayed_work",
    "flush_scheduled_work",
    "flush_rcu_work",
    "kthread_flush_work*",
    "kthread_cancel_*",
    "__kthread_cancel_*",
    "flush_kthread_work*",
    "work_on_cpu*",
    "schedule_on_each_cpu",
    "flush_all_cpus_locked",
];

const GPU: &[&str] = super::device::GPU;

/// Rules of this subsystem.
pub const RULES: &[Rule] = &[
    // RCU.
    rule(
        Class::Rcu,
        &[
            "synchronize_rcu*",
            "synchronize_sched*",
            "synchronize_net",
            "__synchronize_srcu*",
            "synchronize_srcu*",
            "rcu_barrier*",
            "_rcu_barrier*",
            "srcu_barrier",
            "wait_rcu_gp*",
            "__wait_rcu_gp",
            "wait_rcu_exp_gp",
            "kvfree_rcu_barrier*",
            "rcu_sync_enter",
            "rcu_sync_*",
            "cleanup_srcu_struct",
            "exp_funnel_lock",
            "rcu_exp_*",
            "kfree_rcu_*",
            "rcu_tasks_*",
            "synchronize_sched_expedited",
        ],
        "an RCU or SRCU grace period",
    ),
    // Work items.
    rule(Class::GpuDriver, FLUSHERS, "a work item of the GPU driver").wait(WaitKinds::NO_LOCK).under(GPU).within(3),
    rule(Class::WorkqueueFlush, FLUSHERS, "a work item to finish").wait(WaitKinds::NO_LOCK),
    rule(
        Class::WorkqueueFlush,
        &[
            "kthread_stop",
            "kthread_park",
            "kthread_stop_put",
            "stop_one_cpu",
            "__stop_cpus",
            "stop_machine*",
            "stop_cpus",
            "affine_move_task",
            "__set_cpus_allowed_ptr*",
        ],
        "a kernel thread to stop or to answer",
    )
    .wait(WaitKinds::NO_LOCK)
    .low(),
    // Modules and probing.
    rule(
        Class::Module,
        &[
            "async_synchronize_*",
            "wait_for_device_probe",
            "do_init_module",
            "load_module",
            "add_unformed_module",
            "resolve_symbol_wait",
            "resolve_symbol*",
            "simplify_symbols",
            "init_module_from_file",
            "idempotent_*",
            "module_patient_check_exists",
            "try_stop_module",
            "wait_for_zero_refcount",
            "finished_loading",
            "wait_for_initramfs",
            "__x64_sys_delete_module",
            "sys_delete_module",
            "SyS_delete_module",
        ],
        "a kernel module: its loading, its probing of devices or its last user",
    )
    .wait(WaitKinds::NO_LOCK),
    rule(Class::PowerManagement, &["async_synchronize_*"], "devices to suspend or resume").under(&["dpm_*"]).within(3),
    rule(
        Class::Module,
        &["__request_module", "call_usermodehelper*", "call_modprobe"],
        "a user-space helper such as modprobe",
    )
    .wait(WaitKinds::NO_LOCK)
    .killable(),
    rule(
        Class::Module,
        &[
            "_request_firmware*",
            "request_firmware*",
            "fw_load_*",
            "fw_sysfs_*",
            "firmware_fallback_*",
            "fw_state_wait*",
            "__fw_state_wait*",
        ],
        "firmware to be loaded by user space",
    )
    .wait(WaitKinds::NO_LOCK)
    .medium(),
    // Processes.
    rule(
        Class::Vfork,
        &[
            "wait_for_vfork_done",
            "kernel_clone",
            "_do_fork",
            "do_fork",
            "__do_sys_vfork",
            "sys_vfork",
            "SyS_vfork",
            "__x64_sys_vfork",
        ],
        "its vfork child to exec or exit",
    )
    .wait(WaitKinds::PLAIN.or(WaitKinds::COMPLETION))
    .killable(),
    rule(
        Class::Coredump,
        &[
            "coredump_wait",
            "do_coredump",
            "vfs_coredump",
            "coredump_task_exit",
            "wait_for_dump_helpers",
            "dump_emit",
            "__dump_emit",
            "dump_user_range",
            "dump_write",
            "elf_core_dump",
            "zap_threads",
            "coredump_write",
        ],
        "a core dump: the other threads, the dumping thread or the dump's reader",
    ),
    rule(
        Class::Coredump,
        &["pipe_wait*", "pipe_write", "anon_pipe_write", "wait_event_interruptible_exclusive"],
        "the reader of the core dump",
    )
    .under(&["do_coredump", "vfs_coredump", "dump_emit", "__dump_emit"]),
    rule(Class::Coredump, &["do_exit", "exit_mm", "make_task_dead"], "the thread that writes the core dump")
        .wait(WaitKinds::PLAIN)
        .under(&["get_signal*", "do_group_exit", "do_signal"])
        .within(4)
        .medium(),
    rule(Class::CgroupTeardown, &["zap_pid_ns_processes"], "the processes of a dying pid namespace to exit").medium(),
    // io_uring.
    rule(
        Class::IoUring,
        &[
            "io_ring_exit_work",
            "io_wq_*",
            "io_uring_cancel_generic",
            "__io_uring_cancel",
            "io_uring_cancel*",
            "io_uring_files_cancel*",
            "io_uring_clean_tctx",
            "io_ring_ctx_wait_and_kill",
            "io_uring_try_cancel*",
            "io_rsrc_ref_quiesce",
            "io_uring_del_tctx_node",
            "io_uring_task_cancel",
            "__io_uring_task_cancel",
            "io_sq_thread_*",
            "io_sqpoll_wait_sq",
            "io_uring_release",
            "io_uring_flush",
        ],
        "io_uring requests or workers to end",
    )
    .wait(WaitKinds::NO_LOCK),
    rule(
        Class::IoUring,
        &["io_cqring_wait*", "io_uring_enter", "__do_sys_io_uring_enter", "io_cqring_schedule_*"],
        "io_uring completions",
    )
    .wait(WaitKinds::NO_LOCK)
    .medium(),
    // Freezers.
    rule(
        Class::Freezer,
        &[
            "__refrigerator",
            "refrigerator",
            "do_freezer_trap",
            "cgroup_enter_frozen",
            "cgroup_leave_frozen",
            "__set_task_frozen",
            "freezer_do_not_count",
        ],
        "the freezer (cgroup or suspend) to thaw it",
    ),
    rule(
        Class::PowerManagement,
        &["freeze_processes", "try_to_freeze_tasks", "freeze_kernel_threads"],
        "all tasks to freeze for suspend",
    ),
    // cgroups.
    rule(
        Class::CgroupTeardown,
        &[
            "cgroup_drain_*",
            "cgroup_lock_and_drain_offline",
            "cgroup_destroy_locked",
            "cgroup_kill_sb",
            "cgroup_rmdir",
            "css_killed_*",
            "mem_cgroup_force_empty*",
            "mem_cgroup_css_offline",
            "mem_cgroup_reparent*",
            "cgroup_release_agent",
        ],
        "the last tasks or references of a dying cgroup",
    )
    .wait(WaitKinds::NO_LOCK),
    rule(
        Class::CgroupTeardown,
        &["kernfs_drain", "__kernfs_remove", "kernfs_remove*", "kernfs_deactivate", "sysfs_deactivate"],
        "an open file of a cgroup that is being removed",
    )
    .under(&["cgroup_*", "css_*", "rdtgroup_*"]),
    rule(
        Class::DeviceDriver,
        &[
            "kernfs_drain",
            "__kernfs_remove",
            "kernfs_remove*",
            "kernfs_deactivate",
            "sysfs_deactivate",
            "sysfs_addrm_finish",
        ],
        "an open sysfs file of a device that is being removed",
    )
    .under(&["device_*", "sysfs_*", "kobject_*", "*_unregister*", "*_remove*", "del_gendisk"])
    .medium(),
    rule(Class::CgroupTeardown, &["kernfs_drain"], "an open kernfs file to be released"),
    // Terminals.
    rule(
        Class::Tty,
        &[
            "tty_*",
            "__tty_*",
            "n_tty_*",
            "ldsem_*",
            "__ldsem_*",
            "uart_*",
            "pty_*",
            "ptmx_*",
            "con_*",
            "vt_*",
            "vc_*",
            "do_con_*",
            "hvc_*",
            "serial8250_*",
            "gsm_*",
            "redirected_tty_*",
            "do_tty_*",
            "n_hdlc_*",
            "tiocs*",
            "set_termios",
        ],
        "a terminal: its output to drain, its line discipline or its lock",
    ),
    // Power.
    rule(
        Class::PowerManagement,
        &[
            "rpm_*",
            "__rpm_*",
            "pm_runtime_*",
            "__pm_runtime_*",
            "dpm_*",
            "device_pm_wait_for_dev",
            "dpm_wait*",
            "suspend_*",
            "hibernat*",
            "pm_suspend",
            "enter_state",
            "wait_for_suspend*",
            "device_links_*",
            "genpd_*",
        ],
        "a device to suspend or resume",
    )
    .wait(WaitKinds::NO_LOCK),
    // Kernel threads that idle.
    rule(
        Class::KthreadIdle,
        &[
            "kthread",
            "kthreadd",
            "kthread_parkme",
            "__kthread_parkme",
            "smpboot_thread_fn",
            "rescuer_thread",
            "kthread_worker_fn",
            "worker_thread",
            "cpu_stopper_thread",
            "cpuhp_thread_fun",
            "rcu_gp_kthread*",
            "rcu_nocb_*",
            "rcu_gp_fqs_loop",
            "rcu_tasks_kthread",
            "khungtaskd",
            "watchdog",
            "oom_reaper",
            "kauditd_thread",
            "md_thread",
            "svc_recv",
            "nfsd",
            "loop_thread",
            "irq_thread",
            "irq_wait_for_interrupt",
            "xfs_buf_delwri_daemon",
            "scsi_eh_idle",
            "usb_stor_control_thread",
            "mmc_queue_thread",
            "vchiq_*_func",
            "slot_handler_func",
            "recycle_func",
            "sync_func",
            "bcm2835_*_thread",
            "txg_thread_wait",
            "arc_reap_*",
            "kvm_nx_*_worker",
            "devtmpfsd",
            "kdevtmpfs",
            "ecryptfs_threadfn",
            "ubi_thread",
            "jffs2_garbage_collect_thread",
            "cleaner_kthread",
            "transaction_kthread",
            "issue_flush_thread",
            "issue_discard_thread",
            "gc_thread_func",
            "balance_clean_thread",
            "hwrng_fillfn",
            "ksoftirqd*",
            "run_ksoftirqd",
        ],
        "its first wake-up or new work: an idle kernel thread, harmless",
    )
    .wait(WaitKinds::PLAIN.or(WaitKinds::SLEEP).or(WaitKinds::SEMAPHORE).or(WaitKinds::COMPLETION)),
    // Known waits the taxonomy has no class for: said in words.
    rule(
        Class::Unknown,
        &["audit_log_start", "audit_receive*", "wait_for_auditd"],
        "room in the audit backlog (auditd is slow or stopped)",
    ),
    rule(
        Class::Unknown,
        &["fanotify_get_response", "fanotify_handle_event"],
        "a fanotify listener (such as a virus scanner) to allow the access",
    )
    .killable(),
    rule(
        Class::Unknown,
        &["wait_for_random_bytes", "wait_for_key_construction", "request_key*"],
        "random numbers or a key",
    ),
    rule(
        Class::Unknown,
        &["do_wait", "ptrace_stop", "ptrace_notify", "do_signal_stop", "do_jobctl_trap"],
        "another process (debugger, child or stop signal)",
    ),
    rule(Class::SwapIn, &["kvm_async_pf_task_wait*"], "the hypervisor to bring back a page of this guest's memory")
        .medium(),
];
