//! Pasted text to verdicts: the labelled real stalls and OOM kills, and golden outputs. Needs nothing of this host.

mod stall;
