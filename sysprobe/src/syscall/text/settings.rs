//! How lines are written.

/// What a line begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PidColumn {
    /// Nothing: one thread is traced.
    #[default]
    None,
    /// `[pid  1234] `, as on a terminal.
    Bracketed,
    /// `1234  `, as in a file (`-o`).
    Plain,
}

/// How lines are written. Durations and times of day follow strace's `-T` and `-tt`.
#[derive(Clone, Copy, Debug)]
pub struct TextSettings {
    /// Bytes shown of strings and buffers at most (strace's `-s`, 32).
    pub string_limit: usize,
    /// Lines begin with the time of day.
    pub show_time: bool,
    /// Lines end with the call's duration.
    pub show_duration: bool,
    /// Durations are followed by where the time went.
    pub show_wait: bool,
    /// Lines begin with the thread's id.
    pub pid_column: PidColumn,
    /// Results are aligned to this column (strace's `-a`, 40); 0: not at all.
    pub result_column: usize,
}

impl Default for TextSettings {
    fn default() -> Self {
        Self {
            string_limit: 32,
            show_time: true,
            show_duration: true,
            show_wait: true,
            pid_column: PidColumn::None,
            result_column: 40,
        }
    }
}
