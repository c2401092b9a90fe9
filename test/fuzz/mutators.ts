import { refundAuthorized } from "../../packages/receiver/test/fixtures.ts";
import type { Draft } from "./hostile-request.ts";
import type { Random } from "./random.ts";

type Mutate<T> = readonly [name: string, mutate: T];
type MutateDraft = (draft: Draft, random: Random) => void;

const HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature", "content-type"];

const VALUES = [
  "",
  " ",
  ",",
  ", ",
  "v1",
  "v1,",
  `v1,${"A".repeat(43)}=`,
  `v1a,${"A".repeat(86)}==`,
  "v1,v1,v1",
  "0",
  "-1",
  "1e9",
  "9".repeat(400),
  "x".repeat(5000),
  "__proto__",
  "constructor",
  "evt.1.2",
  "\u00e9\u00ff",
  "\t",
  "identity",
  "gzip",
  "chunked",
  "100-continue",
  "text/plain",
  "application/json; charset=utf-7",
  "application/json, application/json",
];

const NAMES = [
  ...HEADERS,
  "__proto__",
  "constructor",
  "content-encoding",
  "transfer-encoding",
  "content-length",
  "expect",
  "connection",
  "host",
  "upgrade",
  "x-forwarded-for",
  "WEBHOOK-ID",
];

/** What becomes of a header that is there. */
function changeOne(draft: Draft, random: Random, change: (entry: [string, string]) => void): void {
  const entry = draft.headers[random.int(Math.max(1, draft.headers.length))];
  if (entry !== undefined) change(entry);
}

export const headerMutators: readonly Mutate<MutateDraft>[] = [
  [
    "drop a header",
    (draft, random) => void draft.headers.splice(random.int(draft.headers.length + 1), 1),
  ],
  [
    "repeat a header",
    (draft, random) => changeOne(draft, random, (entry) => void draft.headers.push([...entry])),
  ],
  [
    "repeat a header with another value",
    (draft, random) =>
      changeOne(draft, random, ([name]) => void draft.headers.unshift([name, random.pick(VALUES)])),
  ],
  [
    "replace a value",
    (draft, random) =>
      changeOne(draft, random, (entry) => {
        entry[1] = random.pick(VALUES);
      }),
  ],
  [
    "change a character of a value",
    (draft, random) =>
      changeOne(draft, random, (entry) => {
        const at = random.int(Math.max(1, entry[1].length));
        const other = String.fromCharCode(33 + random.int(94));
        entry[1] = entry[1].slice(0, at) + other + entry[1].slice(at + 1);
      }),
  ],
  [
    "write a name in capitals",
    (draft, random) =>
      changeOne(draft, random, (entry) => {
        entry[0] = entry[0].toUpperCase();
      }),
  ],
  [
    "add a header",
    (draft, random) => void draft.headers.push([random.pick(NAMES), random.pick(VALUES)]),
  ],
  [
    "add many headers",
    (draft, random) => {
      const count = random.int(150);
      for (let index = 0; index < count; index += 1)
        draft.headers.push([`x-${String(index)}`, random.pick(VALUES)]);
    },
  ],
  [
    "turn the headers round",
    (draft, random) => {
      const at = random.int(draft.headers.length + 1);
      draft.headers = [...draft.headers.slice(at), ...draft.headers.slice(0, at)];
    },
  ],
  [
    "lie about the length",
    (draft, random) => {
      const lies = ["0", "1", "-1", "1e3", "0x10", "99999999999999999999", "1048577", " 7", "+7"];
      draft.headers = draft.headers.filter(([name]) => name !== "content-length");
      draft.headers.push(["content-length", random.pick(lies)]);
    },
  ],
  [
    "ask for another method",
    (draft, random) => {
      draft.method = random.pick([
        "GET",
        "PUT",
        "HEAD",
        "OPTIONS",
        "TRACE",
        "post",
        "CONNECT",
        "X",
      ]);
    },
  ],
  [
    "ask for another target",
    (draft, random) => {
      draft.target = random.pick([
        "/webhooks?x=1",
        "/webhooks/",
        "//webhooks",
        "/%",
        "/webhooks%00",
        "*",
        "http://localhost/webhooks",
        "http://[::1",
        "/webhooks#x",
        "/../webhooks",
        `/${"a".repeat(5000)}`,
      ]);
    },
  ],
  [
    "speak another version",
    (draft, random) => {
      draft.version = random.pick(["HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.1 ", "HTTP/9", "x"]);
    },
  ],
];

export const bodyMutators: readonly Mutate<MutateDraft>[] = [
  [
    "change a byte",
    ({ body }, random) => {
      const at = random.int(Math.max(1, body.length));
      if (at < body.length) body[at] = random.int(256);
    },
  ],
  [
    "cut the body",
    (draft, random) => {
      draft.body = draft.body.subarray(0, random.int(draft.body.length + 1));
    },
  ],
  [
    "add to the body",
    (draft, random) => {
      draft.body = Buffer.concat([draft.body, random.bytes(random.int(64))]);
    },
  ],
  [
    "swap two parts of the body",
    (draft, random) => {
      const at = random.int(draft.body.length + 1);
      draft.body = Buffer.concat([draft.body.subarray(at), draft.body.subarray(0, at)]);
    },
  ],
  [
    "send a large body",
    (draft, random) => {
      draft.body = Buffer.alloc(random.pick([70_000, 1_048_576, 1_100_000]), 0x20);
    },
  ],
  [
    "send the body in chunks",
    (draft, random) => {
      const size = random.pick([
        draft.body.length.toString(16),
        "0",
        "ffffffffff",
        "-1",
        "zz",
        "1;x",
      ]);
      draft.headers = draft.headers.filter(([name]) => name !== "content-length");
      draft.headers.push(["transfer-encoding", "chunked"]);
      const [before, after] = [Buffer.from(`${size}\r\n`), Buffer.from("\r\n0\r\n\r\n")];
      draft.body = Buffer.concat([before, draft.body, after]);
    },
  ],
];

export const wireMutators: readonly Mutate<(wire: Buffer, random: Random) => Buffer>[] = [
  ["cut the request", (wire, random) => wire.subarray(0, random.int(wire.length))],
  ["send noise", (_wire, random) => random.bytes(1 + random.int(2000))],
  [
    "put noise inside",
    (wire, random) => {
      const at = random.int(wire.length);
      return Buffer.concat([wire.subarray(0, at), random.bytes(random.int(20)), wire.subarray(at)]);
    },
  ],
  ["send it twice", (wire) => Buffer.concat([wire, wire])],
  [
    "end lines by a line feed alone",
    (wire) => Buffer.from(wire.toString("latin1").replaceAll("\r\n", "\n"), "latin1"),
  ],
  [
    "fold a header",
    (wire) => Buffer.from(wire.toString("latin1").replace(": ", ":\r\n "), "latin1"),
  ],
  [
    "hide a second request",
    (wire) => Buffer.concat([wire, Buffer.from("POST /webhooks HTTP/1.1\r\nHost: x\r\n\r\n")]),
  ],
];

interface SignedBody {
  readonly name: string;
  readonly body: string | Buffer;
  /** Whether a receiver may take it. */
  readonly acceptable: boolean;
}

/** Bodies with the sender's own signature: nothing of them may end the process or reach a handler wrongly. */
export const signedBodies: readonly ((id: string, random: Random) => SignedBody)[] = [
  (id, random) => {
    const member = random.pick(["id", "type", "data", "timestamp"]);
    const body = JSON.stringify(refundAuthorized(id)).replace(
      `"${member}"`,
      `"${member}":1,"${member}"`,
    );
    return { name: `signed: ${member} twice`, body, acceptable: false };
  },
  (id, random) => {
    const member = random.pick(["__proto__", "constructor", "prototype", "\\u005f_proto__"]);
    const body = JSON.stringify(refundAuthorized(id)).replace('"id"', `"${member}":{"x":1},"id"`);
    return { name: `signed: a member ${member}`, body, acceptable: false };
  },
  (id, random) => {
    const type = random.pick(["__proto__", "constructor", "toString", "x".repeat(256), "é"]);
    const body = JSON.stringify({ ...refundAuthorized(id), type });
    return { name: "signed: a strange type", body, acceptable: true };
  },
  (id, random) => {
    const levels = random.pick([16, 100, 20_000, 400_000]);
    const nested = `${"[".repeat(levels)}${"]".repeat(levels)}`;
    const body = JSON.stringify(refundAuthorized(id)).replace('"id"', `"x":${nested},"id"`);
    return { name: `signed: ${String(levels)} levels`, body, acceptable: false };
  },
  (id, random) => {
    const value = random.pick([null, 7, "x", [], {}, true, { paymentId: 7 }]);
    const body = JSON.stringify({ ...refundAuthorized(id), data: value });
    return { name: "signed: wrong data", body, acceptable: false };
  },
  (id) => ({
    name: "signed: another event's id",
    body: JSON.stringify(refundAuthorized(`${id}x`)),
    acceptable: false,
  }),
  (_id, random) => ({
    name: "signed: noise",
    body: random.bytes(1 + random.int(500)),
    acceptable: false,
  }),
  (_id, random) => ({
    name: "signed: no object",
    body: random.pick(["1", '"s"', "null", "[]", "{}", "true", "\uFEFF{}", "1e999", "[1,]"]),
    acceptable: false,
  }),
  (id, random) => {
    const body = Buffer.from(JSON.stringify(refundAuthorized(id)));
    body[1 + random.int(body.length - 2)] = 0x80 + random.int(0x80);
    return { name: "signed: no UTF-8", body, acceptable: false };
  },
];
