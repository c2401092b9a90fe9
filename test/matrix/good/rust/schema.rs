//! As much of JSON Schema as the events use, as a reader reads it: unknown members pass.

use crate::json::Json;
use std::path::Path;

/// Whether an event of a known type is as its schema says; of any other type it is.
pub fn fits(event: &Json, kind: &str, folder: &Path) -> bool {
    let is_name = kind.bytes().all(|one| one.is_ascii_lowercase() || one == b'.');
    if !is_name || kind.split('.').count() != 2 || kind.contains("..") {
        return true;
    }
    let events = folder.join("events");
    match document(&events.join(format!("{kind}.schema.json"))) {
        Some(schema) => holds(event, &schema, &events),
        None => true,
    }
}

fn holds(value: &Json, schema: &Json, folder: &Path) -> bool {
    if let Some(reference) = schema.text("$ref") {
        let path = folder.join(reference);
        let schema = document(&path).expect("a schema");
        return holds(value, &schema, path.parent().expect("a folder"));
    }
    if let Some(Json::List(branches)) = schema.get("oneOf") {
        let name = schema.get("discriminator").and_then(|one| one.text("propertyName")).expect("a name");
        return branch_of(branches, name, value.get(name)).is_some_and(|one| holds(value, one, folder));
    }
    match schema.get("type") {
        Some(Json::Text(kind)) if !is_kind(value, kind) => return false,
        Some(Json::List(kinds)) if !kinds.iter().any(|one| matches!(one, Json::Text(kind) if is_kind(value, kind))) => {
            return false;
        }
        _ => {}
    }
    if schema.get("const").is_some_and(|one| one != value) {
        return false;
    }
    if let (Some(Json::List(values)), None) = (schema.get("enum"), schema.get("x-open")) {
        if !values.contains(value) {
            return false;
        }
    }
    match value {
        Json::Text(text) => {
            let length = text.chars().count() as f64;
            within(length, schema, "minLength", "maxLength")
                && schema.text("pattern").is_none_or(|pattern| matches(text, pattern))
        }
        Json::Number(number) => within(number.parse().unwrap_or(f64::NAN), schema, "minimum", "maximum"),
        Json::Object(_) => members_hold(value, schema, folder),
        _ => true,
    }
}

fn members_hold(value: &Json, schema: &Json, folder: &Path) -> bool {
    if let Some(Json::List(names)) = schema.get("required") {
        let is_there = |one: &Json| matches!(one, Json::Text(name) if value.get(name).is_some());
        if !names.iter().all(is_there) {
            return false;
        }
    }
    let Some(Json::Object(properties)) = schema.get("properties") else { return true };
    properties.iter().all(|(name, one)| value.get(name).is_none_or(|member| holds(member, one, folder)))
}

/// The kind that says so, else the open one.
fn branch_of<'a>(branches: &'a [Json], name: &str, said: Option<&Json>) -> Option<&'a Json> {
    let told = |one: &'a Json| one.get("properties").and_then(|all| all.get(name));
    let named = |one: &&'a Json| told(one).and_then(|of| of.get("const")).is_some_and(|of| Some(of) == said);
    let open = |one: &&'a Json| told(one).is_some_and(|of| of.get("x-open").is_some());
    branches.iter().find(named).or_else(|| branches.iter().find(open))
}

fn within(value: f64, schema: &Json, least: &str, most: &str) -> bool {
    let bound = |name| match schema.get(name) {
        Some(Json::Number(text)) => text.parse::<f64>().ok(),
        _ => None,
    };
    bound(least).is_none_or(|one| value >= one) && bound(most).is_none_or(|one| value <= one)
}

/// The patterns that the schemas of events have; the standard library knows no regular expressions.
fn matches(text: &str, pattern: &str) -> bool {
    let are = |allowed: fn(char) -> bool| !text.is_empty() && text.chars().all(allowed);
    match pattern {
        "^[A-Za-z0-9_-]+$" => are(|one| one.is_ascii_alphanumeric() || one == '_' || one == '-'),
        "^[0-9]+$" => are(|one| one.is_ascii_digit()),
        "^[A-Z][A-Z0-9_]*$" => {
            are(|one| one.is_ascii_uppercase() || one.is_ascii_digit() || one == '_')
                && text.starts_with(|one: char| one.is_ascii_uppercase())
        }
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z$" => {
            let form = "0000-00-00T00:00:00.000Z";
            let fits = |(one, of): (u8, u8)| if of == b'0' { one.is_ascii_digit() } else { one == of };
            text.len() == form.len() && text.bytes().zip(form.bytes()).all(fits)
        }
        r"^[^@\s]+@[^@\s]+$" => {
            let parts: Vec<&str> = text.split('@').collect();
            parts.len() == 2 && parts.iter().all(|one| !one.is_empty() && !one.contains(char::is_whitespace))
        }
        _ => true,
    }
}

fn is_kind(value: &Json, kind: &str) -> bool {
    match kind {
        "object" => matches!(value, Json::Object(_)),
        "array" => matches!(value, Json::List(_)),
        "string" => matches!(value, Json::Text(_)),
        "number" | "integer" => matches!(value, Json::Number(_)),
        "boolean" => matches!(value, Json::Bool(_)),
        _ => matches!(value, Json::Null),
    }
}

fn document(path: &Path) -> Option<Json> {
    Json::parse(&std::fs::read_to_string(path).ok()?)
}
