//! Latency sums a call, kept in the kernel for `-c`: counts, errors, time split and a log-linear histogram.

/// Sub-buckets a power of two: a percentile is at most 1/8 (12.5 %) off.
pub const SUB_BUCKETS: usize = 8;
/// Powers of two told apart: 2^5 ns (the first bucket holds all below) to 2^41 ns (36 minutes; the last holds all above).
pub const OCTAVES: usize = 36;
/// First octave's exponent.
pub const FIRST_OCTAVE: u32 = 5;
/// Buckets of the histogram.
pub const BUCKETS: usize = OCTAVES * SUB_BUCKETS;

/// Sums of one system call on one CPU.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CallStats {
    /// Calls that ended.
    pub calls: u64,
    /// Of those, with a result of -1 to -4095.
    pub errors: u64,
    /// Sum of durations in ns.
    pub total_ns: u64,
    /// Of that, waiting for a CPU.
    pub runnable_ns: u64,
    /// Of that, in uninterruptible sleep (D).
    pub blocked_ns: u64,
    /// Of that, in interruptible sleep.
    pub sleeping_ns: u64,
    /// The longest call in ns.
    pub max_ns: u64,
    /// Calls by duration; see [`bucket_of`].
    pub histogram: [u32; BUCKETS],
}

/// The bucket a duration falls in.
#[inline(always)]
pub fn bucket_of(duration_ns: u64) -> usize {
    let floor = 1u64 << FIRST_OCTAVE;
    if duration_ns < floor {
        return 0;
    }
    // VERIFIER: a count of leading zeros by halves; the BPF target has no such instruction.
    let mut value = duration_ns;
    let mut exponent = 0u32;
    if value >= 1 << 32 {
        value >>= 32;
        exponent += 32;
    }
    if value >= 1 << 16 {
        value >>= 16;
        exponent += 16;
    }
    if value >= 1 << 8 {
        value >>= 8;
        exponent += 8;
    }
    if value >= 1 << 4 {
        value >>= 4;
        exponent += 4;
    }
    if value >= 1 << 2 {
        value >>= 2;
        exponent += 2;
    }
    if value >= 2 {
        exponent += 1;
    }
    let sub = ((duration_ns >> (exponent - 3)) & 7) as usize;
    let bucket = (exponent - FIRST_OCTAVE) as usize * SUB_BUCKETS + sub;
    if bucket >= BUCKETS { BUCKETS - 1 } else { bucket }
}

/// The middle of a bucket's range in ns: what a percentile in it is reported as.
pub fn bucket_middle_ns(bucket: usize) -> u64 {
    let octave = FIRST_OCTAVE + (bucket / SUB_BUCKETS) as u32;
    let width = 1u64 << (octave - 3);
    (1u64 << octave) + (bucket % SUB_BUCKETS) as u64 * width + width / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_grow_with_the_duration_and_hold_their_middle() {
        let mut last = 0;
        for shift in 0..45 {
            for step in 0..16 {
                let bucket = bucket_of((1u64 << shift) + step * ((1u64 << shift) / 16));
                assert!(bucket >= last && bucket < BUCKETS);
                last = bucket;
            }
        }
        for bucket in 0..BUCKETS {
            assert_eq!(bucket_of(bucket_middle_ns(bucket)), bucket);
        }
    }
}
