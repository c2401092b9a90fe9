//! A receiver on Rust's standard library alone, as somebody without crates writes one by hand.
//!
//! Reads COUNTERSIGN_SECRET (secrets, separated by white space) and prints `ready
//! http://127.0.0.1:PORT`. POST /webhooks takes attempts; GET /effects tells what has run, PUT
//! /effects {"failNext": n} makes the next n runs fail. Its argument is the folder of the published
//! schemas.

mod http;
mod json;
mod schema;
mod sha256;

use http::{serve, Answer, Request};
use json::Json;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const TOLERANCE_SECONDS: i64 = 300;

struct Known {
    is_handled: bool,
    body: Vec<u8>,
}

#[derive(Default)]
struct Inbox {
    known: HashMap<String, Known>,
    effects: HashMap<String, (String, u32)>,
    fail_next: u64,
}

struct Receiver {
    keys: Vec<Vec<u8>>,
    schemas: PathBuf,
    inbox: Mutex<Inbox>,
}

fn main() {
    let secrets = std::env::var("COUNTERSIGN_SECRET").expect("COUNTERSIGN_SECRET");
    let keys = secrets
        .split_whitespace()
        .map(|secret| decode_base64(secret.trim_start_matches("whsec_")).expect("base64"))
        .collect();
    let schemas = PathBuf::from(std::env::args().nth(1).expect("the schemas' folder"));
    let receiver = Receiver { keys, schemas, inbox: Mutex::default() };
    serve(move |request| receiver.answer(request));
}

impl Receiver {
    fn answer(&self, request: &mut Request) -> Answer {
        match request.path.as_str() {
            "/webhooks" => self.receive(request),
            "/effects" => self.effects(request),
            _ => Answer::code(404, "path"),
        }
    }

    fn receive(&self, request: &mut Request) -> Answer {
        if request.method != "POST" {
            return Answer::code(405, "method").with("allow", "POST");
        }
        if request.all("content-encoding").iter().any(|one| !one.eq_ignore_ascii_case("identity")) {
            return Answer::code(415, "encoding");
        }
        let media = request.all("content-type");
        let kind = media.first().map(|one| one.split(';').next().unwrap_or("").trim());
        if media.len() != 1 || !kind.is_some_and(|one| one.eq_ignore_ascii_case("application/json")) {
            return Answer::code(415, "media_type");
        }
        let body = match request.read_body() {
            Ok(body) => body,
            Err(answer) => return answer,
        };
        if !self.is_genuine(request, &body) {
            return Answer::code(401, "signature");
        }
        let Some(event) = std::str::from_utf8(&body).ok().and_then(Json::parse) else {
            return Answer::code(400, "body");
        };
        let (Some(id), Some(kind)) = (event.text("id"), event.text("type")) else {
            return Answer::code(400, "body");
        };
        if event.text("timestamp").is_none() || !matches!(event.get("data"), Some(Json::Object(_))) {
            return Answer::code(400, "body");
        }
        if request.all("webhook-id") != [id] {
            return Answer::code(400, "id");
        }
        if !schema::fits(&event, kind, &self.schemas) {
            return Answer::code(422, "schema");
        }
        self.handle_once(id, kind, &body)
    }

    /// Standard Webhooks v1: every key and every signature is tried, over the bytes as they came.
    fn is_genuine(&self, request: &Request, body: &[u8]) -> bool {
        let values = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(|name| request.all(name));
        let [[id], [timestamp], [signatures]] = values.each_ref().map(Vec::as_slice) else {
            return false;
        };
        let is_id = |one: char| one.is_ascii_alphanumeric() || one == '_' || one == '-';
        if id.is_empty() || id.len() > 256 || !id.chars().all(is_id) {
            return false;
        }
        let is_plain = timestamp.len() <= 12 && timestamp.bytes().all(|one| one.is_ascii_digit());
        if !is_plain || (timestamp.starts_with('0') && timestamp.len() > 1) {
            return false;
        }
        let Ok(sent) = timestamp.parse::<i64>() else { return false };
        let mut text = format!("{id}.{timestamp}.").into_bytes();
        text.extend_from_slice(body);
        let mut is_signed = false;
        for key in &self.keys {
            let digest = encode_base64(&sha256::hmac(key, &text));
            for one in signatures.split(' ').filter_map(|one| one.strip_prefix("v1,")) {
                is_signed |= is_same(digest.as_bytes(), one.as_bytes());
            }
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |one| one.as_secs());
        is_signed && (now as i64 - sent).abs() <= TOLERANCE_SECONDS
    }

    fn handle_once(&self, id: &str, kind: &str, body: &[u8]) -> Answer {
        let fails = {
            let mut inbox = self.inbox.lock().expect("the inbox");
            match inbox.known.get(id) {
                Some(known) if known.body != body => return Answer::code(409, "id_reused"),
                Some(known) if known.is_handled => return Answer::empty(204),
                Some(_) => return Answer::code(409, "in_progress").with("retry-after", "1"),
                None => {}
            }
            inbox.known.insert(id.into(), Known { is_handled: false, body: body.into() });
            let fails = inbox.fail_next > 0;
            inbox.fail_next -= u64::from(fails);
            fails
        };
        std::thread::sleep(Duration::from_millis(15));
        let mut inbox = self.inbox.lock().expect("the inbox");
        if fails {
            inbox.known.remove(id);
            return Answer::code(503, "failed").with("retry-after", "1");
        }
        inbox.effects.entry(id.into()).or_insert_with(|| (kind.into(), 0)).1 += 1;
        inbox.known.insert(id.into(), Known { is_handled: true, body: body.into() });
        Answer::empty(204)
    }

    fn effects(&self, request: &mut Request) -> Answer {
        let mut inbox = self.inbox.lock().expect("the inbox");
        if request.method == "PUT" {
            let asked = request.read_body().ok().and_then(|body| String::from_utf8(body).ok());
            let asked = asked.as_deref().and_then(Json::parse);
            if let Some(Json::Number(count)) = asked.as_ref().and_then(|one| one.get("failNext")) {
                inbox.fail_next = count.parse().unwrap_or(0);
            }
            return Answer::empty(204);
        }
        let list: Vec<String> = inbox
            .effects
            .iter()
            .map(|(id, (kind, count))| {
                let (id, kind) = (json::quoted(id), json::quoted(kind));
                format!("{{\"eventId\":{id},\"type\":{kind},\"count\":{count}}}")
            })
            .collect();
        Answer::json(200, format!("[{}]", list.join(",")))
    }
}

/// In a time that does not depend on where they differ.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let differing = one.iter().zip(other).fold(0, |sum, (left, right)| sum | (left ^ right));
    one.len() == other.len() && std::hint::black_box(differing) == 0
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn encode_base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0u32, |sum, byte| sum << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let index = (group >> (18 - 6 * place)) as usize & 63;
            text.push(if place <= chunk.len() { ALPHABET[index] as char } else { '=' });
        }
    }
    text
}

fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut group, mut bits) = (0u32, 0);
    for letter in text.trim_end_matches('=').bytes() {
        group = group << 6 | ALPHABET.iter().position(|one| *one == letter)? as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((group >> bits) as u8);
        }
    }
    (encode_base64(&bytes) == text).then_some(bytes)
}
