// Makes the vectors of one provider: genuine messages, and the forgeries that follow from its document.
import { Buffer } from "node:buffer";

/** The moment of every vector: 21 September 2026. */
export const NOW = 1_790_000_000_000;

const REASONS = {
  "too old": "The library does not compare the signed time with the clock.",
  "too far ahead":
    "The library has no upper bound: a message dated ahead stays valid until its time comes.",
  "repeated signature header":
    "A header that arrives twice has no single value: another reader may take the other one.",
  "moved boundary":
    "The same signed text, split at another place: the sender never signed these values.",
};

/**
 * Returns the vectors of a provider without the verdicts of its SDK: of its events, of the forgeries that follow from its
 * document, and of `more`: messages whose texts are replaced after they are signed.
 */
export async function vectorsOf(document, script, data) {
  const signed = (event, changes = {}) => messageOf(script, event, { name: "a", ...changes });
  const genuine = data.events.find(({ handshake }) => !handshake);
  const message = await signed(genuine);
  const vectors = [];
  const { keys } = script;
  const usual = script.secrets === undefined ? [] : ["a"];
  const add = (name, expected, made, more = {}) => {
    const { event, handshake, reason, secrets = usual, key = "a" } = more;
    const facts = { event, handshake, reason, secrets, key: keys?.[key] };
    vectors.push({ ...made, name, expected, ...facts });
  };

  for (const event of data.events)
    add(`genuine: ${event.name}`, "accepts", await signed(event), event);
  add(
    "header names in lower case",
    "accepts",
    renamed(message, (name) => name.toLowerCase()),
    genuine,
  );
  add(
    "header names in capitals",
    "accepts",
    renamed(message, (name) => name.toUpperCase()),
    genuine,
  );
  if (genuine.change !== null)
    add("changed byte", "refuses", { ...message, body: changed(message.body, genuine.change) });
  if (script.secrets) add("other secret", "refuses", message, { secrets: ["b"] });
  if (keys) add("other key", "refuses", message, { key: "b" });
  add(
    "truncated signature",
    "refuses",
    withSignature(document, message, (text) => text.slice(0, -4)),
  );
  add(
    "empty signature",
    "refuses",
    withSignature(document, message, () => ""),
  );
  add("missing signature", "refuses", withoutSignature(document, message));
  if (script.secrets)
    add("rotated: two secrets", "accepts", message, { ...genuine, secrets: ["b", "a"] });
  for (const [name, made] of bothSigned(document, message, await signed(genuine, { name: "b" })))
    add(name, "accepts", made, genuine);
  for (const [name, made] of repeated(document, message)) add(name, "refuses", made);
  const { toleranceSeconds } = document.timestamp ?? {};
  if (toleranceSeconds !== undefined) {
    const milliseconds = (toleranceSeconds + 1) * 1000;
    add("too old", "refuses", await signed(genuine, { now: NOW - milliseconds }));
    add("too far ahead", "refuses", await signed(genuine, { now: NOW + milliseconds }));
  }
  const covers = (part) => JSON.stringify(document.signature).includes(`"${part}"`);
  if (covers("url")) add("other URL", "refuses", { ...message, url: `${message.url}x` });
  if (covers("method")) add("other method", "refuses", { ...message, method: "PUT" });
  for await (const [name, made] of moved(document, message, (changes) =>
    signed({ ...genuine, ...changes }),
  ))
    add(name, "refuses", made);
  for (const more of data.more ?? []) {
    const { on, before, signedWith = "a", replace = {}, expected = "refuses" } = more;
    const event = { ...(data.events.find(({ name }) => name === on) ?? genuine), ...before };
    let made = await signed(event, { name: signedWith });
    for (const [place, texts] of Object.entries(replace))
      for (let n = 0; n < texts.length; n += 2)
        made = set(made, place, read(made, place).replace(texts[n], texts[n + 1]));
    const facts =
      expected === "accepts" ? { ...event, secrets: script.secrets ? [signedWith] : [] } : {};
    add(more.name, expected, made, { ...facts, ...more });
  }
  return vectors;
}

/** Returns the reason of a vector on which the SDK and this project differ. */
export const reasonOf = ({ name, reason }, { reasons = {} }) =>
  reason ?? reasons[name] ?? reasons[name.split(":")[0]] ?? REASONS[name.split(":")[0]];

/** Signs a message as the vendor does. */
export async function messageOf(script, event, { name, now = NOW, sign = script.sign }) {
  const { body = "", indent, headers = {}, url = script.url, method = "POST", id } = event;
  const text = typeof body === "string" ? body : JSON.stringify(body, null, indent);
  const unsigned = {
    headers: { "Content-Type": "application/json", ...headers },
    body: text,
    url,
    method,
  };
  const seconds = Math.floor(now / 1000);
  const made = await sign({ ...unsigned, id, now, seconds, name, secret: script.secrets?.[name] });
  return { ...unsigned, ...made, headers: { ...unsigned.headers, ...made.headers } };
}

/** Renames the headers of a message. */
function renamed(message, rename) {
  const entries = Object.entries(message.headers).map(([name, value]) => [rename(name), value]);
  return { ...message, headers: Object.fromEntries(entries) };
}

/** Replaces the last digit of a body, or what the event names. */
function changed(body, [from, to] = []) {
  if (from !== undefined) return body.replace(from, to);
  return body.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
}

/** Changes every signature of a message. */
function withSignature({ batch, signature }, message, change) {
  let { headers, body } = message;
  for (const { at, separator, pair, equals = "=", prefix = "" } of signature.carrier) {
    const [kind, place] = [at.slice(0, at.indexOf(":")), at.slice(at.indexOf(":") + 1)];
    const start = pair === undefined ? prefix : `${pair}${equals}${prefix}`;
    const one = (token) =>
      token.startsWith(start) ? start + change(token.slice(start.length)) : token;
    const all = (value) =>
      separator ? value.split(separator).map(one).join(separator) : one(value);
    if (kind === "header" && headers[place] !== undefined)
      headers = { ...headers, [place]: all(headers[place]) };
    else if (kind === "form")
      body = body.replace(
        new RegExp(`(^|&)${place}=([^&]*)`),
        (_, before, value) =>
          `${before}${place}=${encodeURIComponent(all(decodeURIComponent(value)))}`,
      );
    else if (kind === "item" || kind === "body") {
      const root = JSON.parse(body);
      const items = kind === "body" ? [root] : pointer(root, batch.slice("body:".length));
      const names = place.split("/").slice(1);
      for (const item of items) {
        const parent = pointer(
          item,
          names
            .slice(0, -1)
            .map((name) => `/${name}`)
            .join(""),
        );
        parent[names.at(-1)] = all(parent[names.at(-1)]);
      }
      body = JSON.stringify(root);
    }
  }
  return { ...message, headers, body };
}

const pointer = (root, path) =>
  path
    .split("/")
    .slice(1)
    .reduce((value, name) => value?.[name], root);

/** Removes the headers of signatures; in a body, the signature stays as an empty text. */
function withoutSignature(document, message) {
  const names = document.signature.carrier.map(({ at }) => at.replace("header:", ""));
  const kept = Object.entries(message.headers).filter(([name]) => !names.includes(name));
  if (kept.length === Object.keys(message.headers).length)
    return withSignature(document, message, () => "");
  return { ...message, headers: Object.fromEntries(kept) };
}

/** Returns one message with the signatures of two secrets in each order, if the header can list several. */
function* bothSigned({ signature }, message, other) {
  for (const { at, separator, pair, prefix = "" } of signature.carrier) {
    const name = at.replace("header:", "");
    if (!separator || message.headers[name] === undefined) continue;
    const start = pair ?? prefix;
    const [ours, theirs] = [message, other].map(({ headers }) => headers[name].split(separator));
    const [mine, foreign] = [ours, theirs].map((all) => all.filter((one) => one.startsWith(start)));
    const rest = ours.filter((one) => !one.startsWith(start));
    const joined = (...lists) => ({ ...message.headers, [name]: lists.flat().join(separator) });
    yield ["rotated: two signatures", { ...message, headers: joined(rest, mine, foreign) }];
    yield [
      "rotated: two signatures, the other first",
      { ...message, headers: joined(rest, foreign, mine) },
    ];
    return;
  }
}

/** Returns a message whose first header of signatures arrives twice, as Node.js joins it. */
function* repeated({ signature }, message) {
  const name = signature.carrier[0].at.replace("header:", "");
  const value = message.headers[name];
  if (value !== undefined)
    yield [
      "repeated signature header",
      { ...message, headers: { ...message.headers, [name]: `${value}, ${value}` } },
    ];
}

/** Returns messages with the same signed text, split at another place. */
async function* moved(document, message, sign) {
  const { id, timestamp, signature } = document;
  const parts = signature.signed ?? [];
  const at = { id: id?.at, timestamp: timestamp?.at, url: "url", body: "body" };
  for (const [n, left] of parts.entries()) {
    const text = parts[n + 1]?.text ?? "";
    const right = parts[n + (text === "" ? 1 : 2)];
    if (at[left] === undefined || at[right] === undefined) continue;
    const place = { left: at[left], right: at[right] };
    const label = (from, to) => `moved boundary: ${from} into ${to}`;
    if (text === "") {
      const [before, after] = [read(message, place.left), read(message, place.right)];
      const write = (one, two) => set(set(message, place.left, one), place.right, two);
      yield [label(right, left), write(before + after[0], after.slice(1))];
      if (left !== "url")
        yield [label(left, right), write(before.slice(0, -1), before.at(-1) + after)];
    } else if (right === "body") {
      // What the sender signs as the start of a body becomes the time, and the time a part of what is before it.
      const time = read(message, place.left);
      const longer = await sign({ body: `${time}${text}${message.body}` });
      const grown = (name) => set(longer, at[name], `${read(longer, at[name])}${text}${time}`);
      yield [label("body", left), { ...grown(left), body: message.body }];
      if (left === "timestamp" && id !== undefined)
        yield [label("body", "id"), { ...grown("id"), body: message.body }];
    }
  }
}

function read(message, place) {
  if (place === "body" || place === "url") return message[place];
  const [name, pair] = place.replace("header:", "").split("#");
  const value = message.headers[name];
  return pair === undefined ? value : new RegExp(`(?:^|[,; ])${pair}=([^,; ]*)`).exec(value)[1];
}

function set(message, place, value) {
  if (place === "body" || place === "url") return { ...message, [place]: value };
  const [name, pair] = place.replace("header:", "").split("#");
  const old = read(message, place);
  const whole =
    pair === undefined
      ? value
      : message.headers[name].replace(`${pair}=${old}`, `${pair}=${value}`);
  return { ...message, headers: { ...message.headers, [name]: whole } };
}

/** Returns a message as a judge reads it: headers as Node.js gives them, a form as Express parses it. */
export function attemptOf({ headers, body, url, method, now, key }) {
  const bytes = Buffer.from(body, "utf8");
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const header = (name) => lower[name.toLowerCase()];
  const values = (prefix, ...names) => names.map((name) => header(prefix + name));
  const fields = new URLSearchParams(body);
  const valueOf = (name) =>
    fields.getAll(name).length > 1 ? fields.getAll(name) : fields.get(name);
  const form = () => Object.fromEntries([...fields.keys()].map((name) => [name, valueOf(name)]));
  return { headers: lower, header, values, body, bytes, url, method, now, key, form };
}
