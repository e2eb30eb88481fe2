//! Enough of JSON Schema to hold records against the published file: the keywords that it uses, and an error for any
//! other, so that none is passed over. (A validator crate brings sixty others with it.)

use serde_json::{Map, Value};

/// Checks `value` against `schema`, a part of `root`.
pub(super) fn check(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    let rules = match schema {
        Value::Bool(true) => return Ok(()),
        Value::Object(rules) => rules,
        other => return Err(format!("no schema: {other}")),
    };
    for (keyword, rule) in rules {
        one(root, keyword, rule, rules, value).map_err(|e| format!("{keyword}: {e}"))?;
    }
    Ok(())
}

fn one(root: &Value, keyword: &str, rule: &Value, rules: &Map<String, Value>, value: &Value) -> Result<(), String> {
    let list = |rule: &Value| rule.as_array().cloned().ok_or("no list");
    match keyword {
        "$id" | "$schema" | "title" | "description" | "$defs" | "format" | "default" => Ok(()),
        "$ref" => {
            let pointer = rule.as_str().and_then(|r| r.strip_prefix('#')).ok_or("no reference")?;
            check(root, root.pointer(pointer).ok_or("dangling reference")?, value)
        }
        "type" => {
            let names = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
            let fits = names.iter().filter_map(Value::as_str).any(|name| is_type(name, value));
            if fits { Ok(()) } else { Err(format!("{value} is no {rule}")) }
        }
        "const" if rule == value => Ok(()),
        "const" => Err(format!("{value} is not {rule}")),
        "minimum" => match (rule.as_f64(), value.as_f64()) {
            (Some(least), Some(number)) if number < least => Err(format!("{number} is below {least}")),
            _ => Ok(()),
        },
        "maximum" => match (rule.as_f64(), value.as_f64()) {
            (Some(most), Some(number)) if number > most => Err(format!("{number} is above {most}")),
            _ => Ok(()),
        },
        "required" => {
            let lacking =
                list(rule)?.iter().filter_map(Value::as_str).find(|name| value.get(*name).is_none()).map(str::to_owned);
            lacking.map_or(Ok(()), |name| Err(format!("{name} is missing")))
        }
        "properties" => {
            let parts = rule.as_object().ok_or("no object")?;
            parts.iter().try_for_each(|(name, part)| match value.get(name) {
                Some(inner) => check(root, part, inner).map_err(|e| format!("{name}: {e}")),
                None => Ok(()),
            })
        }
        "additionalProperties" => {
            let known = rules.get("properties").and_then(Value::as_object);
            let others = value
                .as_object()
                .into_iter()
                .flatten()
                .filter(|(name, _)| known.is_none_or(|k| !k.contains_key(*name)));
            others.map(|(_, inner)| inner).try_for_each(|inner| check(root, rule, inner))
        }
        "items" => value.as_array().into_iter().flatten().try_for_each(|item| check(root, rule, item)),
        "oneOf" | "anyOf" => {
            let fitting = list(rule)?.iter().filter(|option| check(root, option, value).is_ok()).count();
            let wanted = if keyword == "oneOf" { fitting == 1 } else { fitting > 0 };
            if wanted { Ok(()) } else { Err(format!("{fitting} options fit")) }
        }
        unknown => Err(format!("keyword {unknown} is not known here")),
    }
}

fn is_type(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}
