//! What a tracepoint passes to its programs, as the kernel declares it.
//!
//! Every tracepoint has a typedef `btf_trace_NAME` of its probe function's pointer (include/trace/bpf_probe.h); its
//! first parameter is the registration's own data and no argument. Numbers and types of arguments change between
//! kernels, also by backport, so they are looked up here and never inferred from a version.

use super::KernelBtf;
use super::blob::{Kind, word};

/// Pointers to pointers and qualifiers nest a few levels; a cycle would not end.
const MAX_DEPTH: u32 = 32;

/// One argument of a tracepoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracepointArg {
    /// Its type as C writes it (`struct task_struct *`, `unsigned int`); qualifiers left out.
    pub type_name: String,
}

impl KernelBtf {
    /// The arguments of a tracepoint by its bare name (`sched_switch`); `None` if this kernel does not have it.
    pub fn tracepoint_args(&self, name: &str) -> Option<Vec<TracepointArg>> {
        let typedef = self.get(self.tracepoint_id(name)?)?;
        let pointer = self.bare(typedef.size_or_type).filter(|t| t.kind == Kind::Ptr)?;
        let proto = self.bare(pointer.size_or_type).filter(|t| t.kind == Kind::FuncProto)?;
        let params = proto.tail.chunks_exact(8).skip(1);
        Some(params.map(|p| TracepointArg { type_name: self.type_name(word(p, 4).unwrap_or(0)) }).collect())
    }

    /// The number of a tracepoint's typedef, which a program of kind `tp_btf` is loaded for.
    pub fn tracepoint_id(&self, name: &str) -> Option<u32> {
        let typedef = format!("btf_trace_{name}");
        self.ids_of_name(&typedef).find(|&id| self.get(id).is_some_and(|t| t.kind == Kind::Typedef))
    }

    /// The number of a function, which a program of kind `fentry` is loaded for. Looks at every type.
    pub fn function_id(&self, name: &str) -> Option<u32> {
        let is_it =
            |id: &u32| self.get(*id).is_some_and(|t| t.kind == Kind::Func && self.string(t.name_at) == name.as_bytes());
        (1..=u32::try_from(self.len()).ok()?).find(is_it)
    }

    /// A type as C writes it, qualifiers left out.
    fn type_name(&self, type_id: u32) -> String {
        let mut id = type_id;
        let mut stars = 0;
        let mut base = "?".to_owned();
        for _ in 0..MAX_DEPTH {
            let Some(ty) = self.get(id) else {
                if id == 0 {
                    base = "void".to_owned();
                }
                break;
            };
            let named = |prefix: &str| format!("{prefix}{}", String::from_utf8_lossy(self.string(ty.name_at)));
            base = match ty.kind {
                Kind::Ptr => {
                    stars += 1;
                    id = ty.size_or_type;
                    continue;
                }
                Kind::Volatile | Kind::Const | Kind::Restrict | Kind::TypeTag => {
                    id = ty.size_or_type;
                    continue;
                }
                Kind::Struct => named("struct "),
                Kind::Union => named("union "),
                Kind::Fwd => named(if ty.kind_flag { "union " } else { "struct " }),
                Kind::Enum | Kind::Enum64 => named("enum "),
                Kind::FuncProto => "function".to_owned(),
                Kind::Array => "array".to_owned(),
                _ => named(""),
            };
            break;
        }
        if stars > 0 {
            base.push(' ');
        }
        base.extend(std::iter::repeat_n('*', stars));
        base
    }
}
