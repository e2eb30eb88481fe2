//! sysprobe's build tasks.
fn main() {}
