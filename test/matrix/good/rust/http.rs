//! As much of HTTP/1.1 as a receiver needs: one thread a connection, bodies by their length.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

const MAX_HEAD_BYTES: u64 = 16_384;
const MAX_BODY_BYTES: usize = 1 << 20;
const TIMEOUT: Duration = Duration::from_secs(10);

pub struct Request {
    pub method: String,
    pub path: String,
    headers: Vec<(String, String)>,
    stream: BufReader<TcpStream>,
    /// Whether what is still to come of it is no next request.
    is_unread: bool,
}

pub struct Answer {
    status: u16,
    headers: Vec<(&'static str, &'static str)>,
    body: String,
}

impl Answer {
    pub fn empty(status: u16) -> Answer {
        Answer { status, headers: Vec::new(), body: String::new() }
    }

    pub fn code(status: u16, code: &str) -> Answer {
        Answer::json(status, format!("{{\"code\":\"{code}\"}}"))
    }

    pub fn json(status: u16, body: String) -> Answer {
        Answer { status, headers: vec![("content-type", "application/json")], body }
    }

    pub fn with(mut self, name: &'static str, value: &'static str) -> Answer {
        self.headers.push((name, value));
        self
    }
}

impl Request {
    /// Every value of a header, in the order in which they came.
    pub fn all(&self, name: &str) -> Vec<&str> {
        let own = self.headers.iter().filter(|(one, _)| one.eq_ignore_ascii_case(name));
        own.map(|(_, value)| value.as_str()).collect()
    }

    /// The whole body, or the refusal of one that is too long, too slow or of unknown length.
    pub fn read_body(&mut self) -> Result<Vec<u8>, Answer> {
        let lengths = self.all("content-length");
        if !self.all("transfer-encoding").is_empty() || lengths.len() != 1 {
            return Err(Answer::code(411, "length"));
        }
        let is_plain = lengths[0].len() < 13 && lengths[0].bytes().all(|one| one.is_ascii_digit());
        let length = lengths[0].parse().ok().filter(|_| is_plain).unwrap_or(usize::MAX);
        if length > MAX_BODY_BYTES {
            return Err(Answer::code(413, "too_large"));
        }
        if self.all("expect").iter().any(|one| one.eq_ignore_ascii_case("100-continue")) {
            let _ = self.stream.get_mut().write_all(b"HTTP/1.1 100 Continue\r\n\r\n");
        }
        let deadline = Instant::now() + TIMEOUT;
        let mut body = vec![0; length];
        let mut have = 0;
        while have < length {
            let left = deadline.saturating_duration_since(Instant::now());
            let _ = self.stream.get_ref().set_read_timeout(Some(left.max(Duration::from_millis(1))));
            match self.stream.read(&mut body[have..]) {
                Ok(0) => return Err(Answer::code(400, "aborted")),
                Ok(count) => have += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(Answer::code(408, "slow")),
            }
        }
        self.is_unread = false;
        Ok(body)
    }
}

pub fn serve(answer: impl Fn(&mut Request) -> Answer + Send + Sync + 'static) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    println!("ready http://{}", listener.local_addr().expect("an address"));
    let answer = Arc::new(answer);
    for stream in listener.incoming().flatten() {
        let answer = Arc::clone(&answer);
        std::thread::spawn(move || converse(stream, &*answer));
    }
}

/// Requests and answers in turn, as long as a connection is kept.
fn converse(stream: TcpStream, answer: &dyn Fn(&mut Request) -> Answer) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut stream = BufReader::new(stream);
    loop {
        stream.get_ref().set_read_timeout(Some(TIMEOUT)).ok()?;
        let mut request = read_head(stream)?;
        let has_body = !request.all("content-length").iter().all(|one| *one == "0")
            || !request.all("transfer-encoding").is_empty();
        request.is_unread = has_body;
        let said = answer(&mut request);
        let is_last = request.is_unread || request.all("connection").iter().any(|one| one.eq_ignore_ascii_case("close"));
        let mut text = format!("HTTP/1.1 {} \r\n", said.status);
        for (name, value) in &said.headers {
            text += &format!("{name}: {value}\r\n");
        }
        if said.status != 204 {
            text += &format!("content-length: {}\r\n", said.body.len());
        }
        if is_last {
            text += "connection: close\r\n";
        }
        let body = if request.method == "HEAD" { "" } else { &said.body };
        stream = request.stream;
        stream.get_mut().write_all(format!("{text}\r\n{body}").as_bytes()).ok()?;
        if is_last {
            return linger(stream);
        }
    }
}

/// Reads on for a moment: a reset would take the answer with it.
fn linger(mut stream: BufReader<TcpStream>) -> Option<()> {
    stream.get_ref().shutdown(std::net::Shutdown::Write).ok()?;
    stream.get_ref().set_read_timeout(Some(Duration::from_millis(500))).ok()?;
    std::io::copy(&mut stream.by_ref().take(1 << 22), &mut std::io::sink()).ok()?;
    Some(())
}

fn read_head(mut stream: BufReader<TcpStream>) -> Option<Request> {
    let mut head = stream.by_ref().take(MAX_HEAD_BYTES);
    let mut lines = Vec::new();
    loop {
        let mut line = Vec::new();
        head.read_until(b'\n', &mut line).ok()?;
        let line = line.strip_suffix(b"\r\n")?;
        if line.is_empty() && lines.is_empty() {
            return None;
        }
        if line.is_empty() {
            break;
        }
        // A byte is a character, as in latin-1.
        lines.push(line.iter().map(|byte| *byte as char).collect::<String>());
    }
    let mut words = lines[0].split(' ');
    let (method, path) = (words.next()?.into(), words.next()?.into());
    let header = |line: &String| line.split_once(':').map(|(name, value)| (name.into(), value.trim().into()));
    let headers = lines[1..].iter().map(header).collect::<Option<Vec<(String, String)>>>()?;
    Some(Request { method, path, headers, stream, is_unread: false })
}
