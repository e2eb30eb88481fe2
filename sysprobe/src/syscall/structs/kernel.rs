//! Kernel facilities: perf events, io_uring, futex vectors, message queues, semaphores, landlock, robust lists.
//!
//! Layouts: include/uapi/linux/perf_event.h, io_uring.h, futex.h, mqueue.h, sem.h, landlock.h, asm-generic/socket.h (`linger`).

use super::StructSpec;
use super::fields::Fields;
use crate::syscall::flags::number::{write_hex, write_uint};
use crate::syscall::flags::{admin, fd, futex, io_uring, ipc, perf, write_value};

/// `struct perf_event_attr`: what is counted and how often; the bits that are set.
pub static PERF_EVENT_ATTR: StructSpec = StructSpec { size: 136, write: perf_event_attr };
/// `struct io_uring_params` as given.
pub static IO_URING_PARAMS_IN: StructSpec = StructSpec { size: 120, write: io_uring_params_in };
/// `struct io_uring_params` as filled in.
pub static IO_URING_PARAMS: StructSpec = StructSpec { size: 120, write: io_uring_params };
/// `struct futex_waitv`.
pub static FUTEX_WAITV: StructSpec = StructSpec { size: 24, write: futex_waitv };
/// `struct mq_attr` as given to `mq_open`, which reads no flags from it.
pub static MQ_ATTR: StructSpec = StructSpec { size: 64, write: mq_attr };
/// `struct mq_attr` of `mq_getsetattr`.
pub static MQ_ATTR_FLAGS: StructSpec = StructSpec { size: 64, write: mq_attr_flags };
/// `struct sembuf`.
pub static SEMBUF: StructSpec = StructSpec { size: 6, write: sembuf };
/// `struct linger`.
pub static LINGER: StructSpec = StructSpec { size: 8, write: linger };
/// `struct landlock_ruleset_attr`.
pub static LANDLOCK_RULESET: StructSpec = StructSpec { size: 16, write: landlock_ruleset };
/// `struct landlock_path_beneath_attr` (packed).
pub static LANDLOCK_PATH: StructSpec = StructSpec { size: 12, write: landlock_path };
/// `struct robust_list_head`.
pub static ROBUST_LIST: StructSpec = StructSpec { size: 24, write: robust_list };
/// `struct rseq`, its first four fields.
pub static RSEQ: StructSpec = StructSpec { size: 32, write: rseq };

/// The bits of `perf_event_attr` from bit 0; `precise_ip` takes two.
static PERF_BITS: [(u32, &str); 37] = [
    (0, "disabled"),
    (1, "inherit"),
    (2, "pinned"),
    (3, "exclusive"),
    (4, "exclude_user"),
    (5, "exclude_kernel"),
    (6, "exclude_hv"),
    (7, "exclude_idle"),
    (8, "mmap"),
    (9, "comm"),
    (10, "freq"),
    (11, "inherit_stat"),
    (12, "enable_on_exec"),
    (13, "task"),
    (14, "watermark"),
    (15, "precise_ip"),
    (17, "mmap_data"),
    (18, "sample_id_all"),
    (19, "exclude_host"),
    (20, "exclude_guest"),
    (21, "exclude_callchain_kernel"),
    (22, "exclude_callchain_user"),
    (23, "mmap2"),
    (24, "comm_exec"),
    (25, "use_clockid"),
    (26, "context_switch"),
    (27, "write_backward"),
    (28, "namespaces"),
    (29, "ksymbol"),
    (30, "bpf_event"),
    (31, "aux_output"),
    (32, "cgroup"),
    (33, "text_poke"),
    (34, "build_id"),
    (35, "inherit_thread"),
    (36, "remove_on_exec"),
    (37, "sigtrap"),
];

fn perf_event_attr(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    let kind = fields.peek(0, 4).unwrap_or(0);
    let bits = fields.peek(40, 8).unwrap_or(0);
    fields.value("type", 0, 4, &perf::TYPE);
    fields.value("size", 4, 4, &perf::SIZE);
    fields.with("config", 8, 8, |out, config| write_perf_config(out, kind, config));
    fields.uint(if bits >> 10 & 1 == 1 { "sample_freq" } else { "sample_period" }, 16, 8);
    fields.flags("sample_type", 24, 8, &perf::SAMPLE);
    fields.flags("read_format", 32, 8, &perf::FORMAT);
    for (bit, name) in PERF_BITS {
        if bit == 15 {
            fields.with(name, 40, 8, |out, bits| {
                write_uint(out, bits >> 15 & 3);
                out.extend_from_slice(match bits >> 15 & 3 {
                    0 => b" /* arbitrary skid */",
                    1 => b" /* constant skid */",
                    2 => b" /* requested to have 0 skid */",
                    _ => b" /* must have 0 skid */",
                });
            });
        } else if bits >> bit & 1 == 1 {
            fields.with(name, 40, 8, |out, _| out.push(b'1'));
        }
    }
    if bits >> 38 != 0 {
        fields.with("__reserved_1", 40, 8, |out, bits| {
            write_hex(out, bits >> 38);
            out.extend_from_slice(b" /* Bits 63..38 */");
        });
    }
    fields.close_abbreviated();
}

fn write_perf_config(out: &mut Vec<u8>, kind: u64, config: u64) {
    match kind {
        0 => write_value(out, &perf::HARDWARE, config),
        1 => write_value(out, &perf::SOFTWARE, config),
        // A tracepoint's id.
        2 => write_uint(out, config),
        3 => {
            if config >> 24 != 0 {
                write_hex(out, config >> 24);
                out.extend_from_slice(b"<<24|");
            }
            write_value(out, &perf::CACHE_RESULT, config >> 16 & 0xff);
            out.extend_from_slice(b"<<16|");
            write_value(out, &perf::CACHE_OP, config >> 8 & 0xff);
            out.extend_from_slice(b"<<8|");
            write_value(out, &perf::CACHE, config & 0xff);
        }
        _ => write_hex(out, config),
    }
}

fn ring_setup(fields: &mut Fields<'_, '_>) {
    fields.flags("flags", 8, 4, &io_uring::SETUP);
    fields.hex("sq_thread_cpu", 12, 4);
    fields.uint("sq_thread_idle", 16, 4);
    if fields.peek(8, 4).is_some_and(|flags| flags & IORING_SETUP_ATTACH_WQ != 0) {
        fields.int("wq_fd", 24, 4);
    }
}

/// include/uapi/linux/io_uring.h: share the workers of `wq_fd`.
const IORING_SETUP_ATTACH_WQ: u64 = 1 << 5;

fn io_uring_params_in(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    ring_setup(&mut fields);
    fields.close();
}

fn io_uring_params(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    ring_setup(&mut fields);
    fields.uint("sq_entries", 0, 4);
    fields.uint("cq_entries", 4, 4);
    fields.flags("features", 20, 4, &io_uring::FEATURES);
    fields.nested("sq_off", 40, 40, |out, bytes| {
        offsets(out, bytes, ["head", "tail", "ring_mask", "ring_entries", "flags", "dropped", "array"]);
    });
    fields.nested("cq_off", 80, 40, |out, bytes| {
        offsets(out, bytes, ["head", "tail", "ring_mask", "ring_entries", "overflow", "cqes", "flags"]);
    });
    fields.close();
}

fn offsets(out: &mut Vec<u8>, bytes: &[u8], names: [&str; 7]) {
    let mut fields = Fields::open(out, bytes);
    for (at, name) in (0..).step_by(4).zip(names) {
        fields.uint(name, at, 4);
    }
    fields.close();
}

fn futex_waitv(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.hex("val", 0, 8);
    fields.pointer("uaddr", 8);
    fields.flags("flags", 16, 4, &futex::FUTEX_WAITER);
    fields.close();
}

fn mq_attr(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.hex("mq_flags", 0, 8);
    queue_limits(fields);
}

fn mq_attr_flags(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.flags("mq_flags", 0, 8, &fd::PIPE);
    queue_limits(fields);
}

fn queue_limits(mut fields: Fields<'_, '_>) {
    for (at, name) in (8..).step_by(8).zip(["mq_maxmsg", "mq_msgsize", "mq_curmsgs"]) {
        fields.int(name, at, 8);
    }
    fields.close();
}

fn sembuf(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.uint("sem_num", 0, 2);
    fields.int("sem_op", 2, 2);
    fields.flags("sem_flg", 4, 2, &ipc::SEMOP);
    fields.close();
}

fn linger(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.int("l_onoff", 0, 4);
    fields.int("l_linger", 4, 4);
    fields.close();
}

fn landlock_ruleset(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.flags("handled_access_fs", 0, 8, &admin::LANDLOCK_FS);
    if bytes.len() > 8 {
        fields.flags("handled_access_net", 8, 8, &admin::LANDLOCK_NET);
    }
    fields.close();
}

fn landlock_path(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.flags("allowed_access", 0, 8, &admin::LANDLOCK_FS);
    fields.int("parent_fd", 8, 4);
    fields.close();
}

fn robust_list(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.pointer("list", 0);
    fields.int("futex_offset", 8, 8);
    fields.pointer("list_op_pending", 16);
    fields.close();
}

fn rseq(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut fields = Fields::open(out, bytes);
    fields.uint("cpu_id_start", 0, 4);
    fields.int("cpu_id", 4, 4);
    fields.pointer("rseq_cs", 8);
    fields.hex("flags", 16, 4);
    fields.close();
}
