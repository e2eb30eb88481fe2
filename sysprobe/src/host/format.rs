//! The kernel's description of a tracepoint's record: `events/CATEGORY/NAME/format`.
//!
//! The text is C declarations and is read tolerantly: a line that does not parse is left out, so that a new kind of
//! field costs that field only. Layouts differ between kernels and are never assumed.

/// One field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatField {
    /// Its name.
    pub name: String,
    /// Its C type, with an array's length (`char[16]`, `__data_loc char[]`, `const char *`).
    pub type_name: String,
    /// Bytes from the record's start.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
    /// Whether the kernel calls it signed.
    pub signed: bool,
}

impl FormatField {
    /// Whether the field holds an offset and a length, and the data lies behind the record (`__data_loc`, `__rel_loc`).
    pub fn is_dynamic(&self) -> bool {
        self.type_name.starts_with("__data_loc ") || self.type_name.starts_with("__rel_loc ")
    }
}

/// A tracepoint's record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Format {
    /// The tracepoint's bare name.
    pub name: String,
    /// Its number among this boot's events.
    pub id: Option<u32>,
    /// The fields, the `common_` ones included, in the record's order.
    pub fields: Vec<FormatField>,
}

impl Format {
    /// Reads the text of a `format` file.
    pub fn parse(text: &str) -> Self {
        let mut format = Self::default();
        for line in text.lines().map(str::trim) {
            if let Some(name) = line.strip_prefix("name:") {
                format.name = name.trim().to_owned();
            } else if let Some(id) = line.strip_prefix("ID:") {
                format.id = id.trim().parse().ok();
            } else if let Some(declaration) = line.strip_prefix("field:") {
                format.fields.extend(field(declaration));
            }
        }
        format
    }

    /// A field by name.
    pub fn field(&self, name: &str) -> Option<&FormatField> {
        self.fields.iter().find(|f| f.name == name)
    }

    /// The fields that are the tracepoint's own.
    pub fn own_fields(&self) -> impl Iterator<Item = &FormatField> {
        self.fields.iter().filter(|f| !f.name.starts_with("common_"))
    }
}

/// `char prev_comm[16]; offset:8; size:16; signed:0;`
fn field(text: &str) -> Option<FormatField> {
    let mut parts = text.split(';').map(str::trim);
    let declaration = parts.next()?;
    let (mut offset, mut size, mut signed) = (None, None, false);
    for part in parts {
        match part.split_once(':') {
            Some(("offset", value)) => offset = value.trim().parse().ok(),
            Some(("size", value)) => size = value.trim().parse().ok(),
            Some(("signed", value)) => signed = value.trim() == "1",
            _ => {}
        }
    }
    // The array's length stands behind the name: it belongs to the type.
    let (plain, array) = match declaration.find('[') {
        Some(at) if declaration.ends_with(']') && !declaration.contains("[] ") => declaration.split_at(at),
        _ => (declaration, ""),
    };
    let at = plain.rfind(|c: char| !(c.is_alphanumeric() || c == '_'))?;
    let (type_name, name) = plain.split_at_checked(at + 1)?;
    if name.is_empty() {
        return None;
    }
    let type_name = format!("{}{array}", type_name.trim());
    Some(FormatField { name: name.to_owned(), type_name, offset: offset?, size: size?, signed })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const EXEC: &str = "name: sched_process_exec
ID: 325
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;

\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;
\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;
\tfield:char comm[16];\toffset:16;\tsize:16;\tsigned:0;
\tfield:const char * path;\toffset:32;\tsize:8;\tsigned:0;
\tfield:unsigned long args[6];\toffset:40;\tsize:48;\tsigned:0;
\tfield:struct page *page;\toffset:88;\tsize:8;\tsigned:0;

print fmt: \"filename=%s\", __get_str(filename)
";

    #[test]
    fn every_form_of_declaration_gives_name_and_type() {
        let format = Format::parse(EXEC);
        assert_eq!((format.name.as_str(), format.id), ("sched_process_exec", Some(325)));
        let own: Vec<_> = format.own_fields().map(|f| (f.type_name.as_str(), f.name.as_str(), f.offset)).collect();
        assert_eq!(
            own,
            [
                ("__data_loc char[]", "filename", 8),
                ("pid_t", "pid", 12),
                ("char[16]", "comm", 16),
                ("const char *", "path", 32),
                ("unsigned long[6]", "args", 40),
                ("struct page *", "page", 88),
            ]
        );
        assert!(format.field("filename").unwrap().is_dynamic());
        assert!(format.field("pid").unwrap().signed);
        assert_eq!(format.fields.len(), 8);
    }

    #[test]
    fn a_line_that_does_not_parse_costs_only_itself() {
        let format = Format::parse(
            "field:;offset:1;size:1;\nfield:int a\nfield:int b;offset:x;size:4;\nfield:int c;offset:4;size:4;",
        );
        assert_eq!(format.fields.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["c"]);
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "(field:|[ -~]|\\PC|\n|;|\\[|\\])*") {
            let _ = Format::parse(&text);
        }
    }
}
