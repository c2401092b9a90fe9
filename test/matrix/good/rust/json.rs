//! JSON, strictly: no member stands twice, and nothing is deeper than 16 levels.

const MAX_DEPTH: usize = 16;

/// A number is its source text.
#[derive(PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub fn parse(text: &str) -> Option<Json> {
        let mut reader = Reader { whole: text, text: text.as_bytes(), at: 0 };
        let value = reader.value(0)?;
        reader.space();
        (reader.at == text.len()).then_some(value)
    }

    pub fn get(&self, name: &str) -> Option<&Json> {
        let Json::Object(members) = self else { return None };
        members.iter().find(|(one, _)| one == name).map(|(_, value)| value)
    }

    /// A member that is a text with something in it.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(Json::Text(text)) if !text.is_empty() => Some(text),
            _ => None,
        }
    }
}

pub fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|one| match one {
        '"' | '\\' | '\u{0}'..='\u{1f}' => format!("\\u{:04x}", one as u32),
        _ => one.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

struct Reader<'a> {
    whole: &'a str,
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Option<Json> {
        self.space();
        match self.peek()? {
            b'{' => self.object(depth + 1),
            b'[' => self.list(depth + 1),
            b'"' => self.string().map(Json::Text),
            b't' => self.word("true", Json::Bool(true)),
            b'f' => self.word("false", Json::Bool(false)),
            b'n' => self.word("null", Json::Null),
            _ => self.number(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Json> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut members: Vec<(String, Json)> = Vec::new();
        self.at += 1;
        self.space();
        if self.takes(b'}') {
            return Some(Json::Object(members));
        }
        loop {
            self.space();
            let name = self.string()?;
            self.space();
            if !self.takes(b':') || members.iter().any(|(one, _)| *one == name) {
                return None;
            }
            let value = self.value(depth)?;
            members.push((name, value));
            self.space();
            if !self.takes(b',') {
                return self.takes(b'}').then_some(Json::Object(members));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<Json> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut items = Vec::new();
        self.at += 1;
        self.space();
        if self.takes(b']') {
            return Some(Json::List(items));
        }
        loop {
            items.push(self.value(depth)?);
            self.space();
            if !self.takes(b',') {
                return self.takes(b']').then_some(Json::List(items));
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        if !self.takes(b'"') {
            return None;
        }
        // UTF-16 units, so that the two halves of an escaped character come together.
        let mut units: Vec<u16> = Vec::new();
        loop {
            let next = self.whole[self.at..].chars().next()?;
            self.at += next.len_utf8();
            match next {
                '"' => return String::from_utf16(&units).ok(),
                '\\' => units.push(self.escaped()?),
                '\u{0}'..='\u{1f}' => return None,
                _ => units.extend(next.encode_utf16(&mut [0; 2]).iter()),
            }
        }
    }

    fn escaped(&mut self) -> Option<u16> {
        let kind = self.peek()?;
        self.at += 1;
        Some(match kind {
            b'"' | b'\\' | b'/' => u16::from(kind),
            b'b' => 8,
            b'f' => 12,
            b'n' => 10,
            b'r' => 13,
            b't' => 9,
            b'u' => {
                let digits = self.text.get(self.at..self.at + 4)?;
                if !digits.iter().all(u8::is_ascii_hexdigit) {
                    return None;
                }
                self.at += 4;
                u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?
            }
            _ => return None,
        })
    }

    fn number(&mut self) -> Option<Json> {
        let start = self.at;
        self.takes(b'-');
        if !self.takes(b'0') && self.digits() == 0 {
            return None;
        }
        if self.takes(b'.') && self.digits() == 0 {
            return None;
        }
        if self.takes(b'e') || self.takes(b'E') {
            let _ = self.takes(b'+') || self.takes(b'-');
            if self.digits() == 0 {
                return None;
            }
        }
        let text = std::str::from_utf8(&self.text[start..self.at]).ok()?;
        Some(Json::Number(text.into()))
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|one| one.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    fn word(&mut self, word: &str, value: Json) -> Option<Json> {
        let is_there = self.text[self.at..].starts_with(word.as_bytes());
        self.at += word.len();
        is_there.then_some(value)
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn takes(&mut self, expected: u8) -> bool {
        let is_there = self.peek() == Some(expected);
        self.at += usize::from(is_there);
        is_there
    }

    fn space(&mut self) {
        while self.peek().is_some_and(|one| b" \t\r\n".contains(&one)) {
            self.at += 1;
        }
    }
}
