import { attemptOf, otherSecret, refundAuthorized } from "../../packages/receiver/test/fixtures.ts";
import type { Random } from "./random.ts";

/** A request before it is written out; mutators change it. */
interface Draft {
  method: string;
  target: string;
  version: string;
  headers: [string, string][];
  body: Buffer;
}

export interface HostileRequest {
  readonly wire: Buffer;
  /**
   * `yes`: genuine, must be handled. `no`: must never be answered 2xx. `if-whole`: may be, if the signed
   * headers and body are unchanged.
   */
  readonly acceptable: "yes" | "no" | "if-whole";
  readonly id: string;
  /** The signed values: three headers and the body. */
  readonly signed: { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer };
  /** The names of the mutators, for the message of a failure. */
  readonly done: readonly string[];
}

/** Every twentieth request is genuine, so that a receiver that refuses everything is noticed. */
const GENUINE_EVERY = 20;

/** Makes the request of a number: a changed genuine attempt, or a hostile body with a genuine signature. */
export function hostileRequest(index: number, random: Random): HostileRequest {
  const id = `evt_${String(index)}`;
  if (index % GENUINE_EVERY === 0) return written(draftOf(refundAuthorized(id), id), id, "yes", []);

  const kind = random.int(10);
  if (kind < 2) {
    const [name, bodyOf] = random.pick(Object.entries(signedBodies));
    const acceptable = name === ACCEPTABLE ? "if-whole" : "no";
    return written(draftOf(bodyOf(id, random), id), id, acceptable, [`signed: ${name}`]);
  }
  if (kind === 2) {
    const draft = draftOf(refundAuthorized(id), id, otherSecret);
    return written(draft, id, "no", ["another secret"]);
  }
  const draft = draftOf(refundAuthorized(id), id);
  const signed = signedOf(draft);
  const done: string[] = [];
  for (let times = 1 + random.int(3); times > 0; times -= 1) {
    const [name, mutate] = random.pick(Object.entries(draftMutators));
    mutate(draft, random);
    done.push(name);
  }
  let wire = wireOf(draft);
  if (kind === 3) {
    const [name, mutate] = random.pick(Object.entries(wireMutators));
    wire = mutate(wire, random);
    done.push(name);
  }
  return { wire, id, acceptable: "if-whole", signed, done };
}

function signedOf({ headers, body }: Draft): HostileRequest["signed"] {
  const signed = headers.filter(([name]) => SIGNED.includes(name));
  return { headers: Object.fromEntries(signed), body: Buffer.from(body) };
}

function written(
  draft: Draft,
  id: string,
  acceptable: HostileRequest["acceptable"],
  done: readonly string[],
): HostileRequest {
  return { wire: wireOf(draft), id, acceptable, signed: signedOf(draft), done };
}

function draftOf(event: object | string | Buffer, id: string, secret?: string): Draft {
  const { headers, body } = attemptOf(event, { id, ...(secret && { secrets: [secret] }) });
  return {
    method: "POST",
    target: "/webhooks",
    version: "HTTP/1.1",
    headers: [
      ["host", "localhost"],
      ["content-length", String(body.length)],
      ...Object.entries(headers),
    ],
    body: Buffer.from(body),
  };
}

const wireOf = ({ method, target, version, headers, body }: Draft): Buffer => {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const head = [`${method} ${target} ${version}`, ...lines, "", ""].join("\r\n");
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
};

/** True if the signed headers and body are unchanged; each header once if the server shows duplicates. */
export function isWhole({ wire, signed }: HostileRequest, seesDuplicates: boolean): boolean {
  const end = wire.indexOf("\r\n\r\n");
  const head = wire.subarray(0, end === -1 ? wire.length : end).toString("latin1");
  const lines = head.split("\r\n").map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  const kept = Object.entries(signed.headers).every(([name, value]) => {
    const values = lines.filter(([key]) => key === name).map(([, found]) => found);
    return seesDuplicates ? values.join("\n") === value : values.includes(value);
  });
  return kept && wire.includes(signed.body);
}

const SIGNED = ["webhook-id", "webhook-timestamp", "webhook-signature"];

type Mutators<T> = Readonly<Record<string, T>>;
type MutateDraft = (draft: Draft, random: Random) => void;

const words = (text: string): readonly string[] => text.split(/\s+/);
const NAMES =
  words(`${SIGNED.join(" ")} content-type content-encoding content-length transfer-encoding
  __proto__ constructor expect connection host upgrade x-forwarded-for WEBHOOK-ID`);
const VALUES = [
  ...words(
    "v1 v1, v1,v1,v1 0 -1 1e9 __proto__ constructor evt.1.2 identity gzip chunked 100-continue",
  ),
  ..."|,|, |\t|\u00e9\u00ff| |text/plain|application/json; charset=utf-7".split("|"),
  "application/json, application/json",
  `v1,${"A".repeat(43)}=`,
  `v1a,${"A".repeat(86)}==`,
  "9".repeat(400),
  "x".repeat(5000),
];
const LENGTHS = ["0", "1", "-1", "1e3", "0x10", "99999999999999999999", "1048577", " 7", "+7"];
const METHODS = words("GET PUT HEAD OPTIONS TRACE post CONNECT X");
const VERSIONS = ["HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.1 ", "HTTP/9", "x"];
const TARGETS =
  words(`/webhooks?x=1 /webhooks/ //webhooks /% /webhooks%00 * http://localhost/webhooks
  http://[::1 /webhooks#x /../webhooks /${"a".repeat(5000)}`);
const CHUNK_SIZES = ["0", "ffffffffff", "-1", "zz", "1;x"];

const changeOne =
  (change: (entry: [string, string], random: Random, draft: Draft) => void): MutateDraft =>
  (draft, random) => {
    const entry = draft.headers[random.int(Math.max(1, draft.headers.length))];
    if (entry !== undefined) change(entry, random, draft);
  };

/** Sets a header that frames the body, in place of the true length. */
function frame(draft: Draft, name: string, value: string): void {
  draft.headers = draft.headers.filter(([other]) => other !== "content-length");
  draft.headers.push([name, value]);
}

const draftMutators: Mutators<MutateDraft> = {
  "drop a header": ({ headers }, random) => void headers.splice(random.int(headers.length + 1), 1),
  "repeat a header": changeOne((entry, _, { headers }) => void headers.push([...entry])),
  "repeat a header with another value": changeOne(([name], random, { headers }) => {
    headers.unshift([name, random.pick(VALUES)]);
  }),
  "replace a value": changeOne((entry, random) => {
    entry[1] = random.pick(VALUES);
  }),
  "change a character of a value": changeOne((entry, random) => {
    const at = random.int(Math.max(1, entry[1].length));
    const other = String.fromCharCode(33 + random.int(94));
    entry[1] = entry[1].slice(0, at) + other + entry[1].slice(at + 1);
  }),
  "write a name in capitals": changeOne((entry) => {
    entry[0] = entry[0].toUpperCase();
  }),
  "add a header": ({ headers }, random) => {
    headers.push([random.pick(NAMES), random.pick(VALUES)]);
  },
  "add many headers": ({ headers }, random) => {
    const count = random.int(150);
    for (let index = 0; index < count; index += 1)
      headers.push([`x-${String(index)}`, random.pick(VALUES)]);
  },
  "rotate the headers": (draft, random) => {
    const at = random.int(draft.headers.length + 1);
    draft.headers = [...draft.headers.slice(at), ...draft.headers.slice(0, at)];
  },
  "send a wrong length": (draft, random) => frame(draft, "content-length", random.pick(LENGTHS)),
  "use another method": (draft, random) => {
    draft.method = random.pick(METHODS);
  },
  "use another target": (draft, random) => {
    draft.target = random.pick(TARGETS);
  },
  "use another version": (draft, random) => {
    draft.version = random.pick(VERSIONS);
  },
  "change a byte": ({ body }, random) => {
    const at = random.int(Math.max(1, body.length));
    if (at < body.length) body[at] = random.int(256);
  },
  "cut the body": (draft, random) => {
    draft.body = draft.body.subarray(0, random.int(draft.body.length + 1));
  },
  "add to the body": (draft, random) => {
    draft.body = Buffer.concat([draft.body, random.bytes(random.int(64))]);
  },
  "swap two parts of the body": (draft, random) => {
    const at = random.int(draft.body.length + 1);
    draft.body = Buffer.concat([draft.body.subarray(at), draft.body.subarray(0, at)]);
  },
  "send a large body": (draft, random) => {
    draft.body = Buffer.alloc(random.pick([70_000, 1_048_576, 1_100_000]), 0x20);
  },
  "send the body in chunks": (draft, random) => {
    const size = random.pick([draft.body.length.toString(16), ...CHUNK_SIZES]);
    frame(draft, "transfer-encoding", "chunked");
    draft.body = Buffer.concat([
      Buffer.from(`${size}\r\n`),
      draft.body,
      Buffer.from("\r\n0\r\n\r\n"),
    ]);
  },
};

const latin1 = (wire: Buffer, from: string | RegExp, to: string): Buffer =>
  Buffer.from(wire.toString("latin1").replace(from, to), "latin1");

const wireMutators: Mutators<(wire: Buffer, random: Random) => Buffer> = {
  "cut the request": (wire, random) => wire.subarray(0, random.int(wire.length)),
  "send noise": (_wire, random) => random.bytes(1 + random.int(2000)),
  "insert noise": (wire, random) => {
    const at = random.int(wire.length);
    return Buffer.concat([wire.subarray(0, at), random.bytes(random.int(20)), wire.subarray(at)]);
  },
  "send it twice": (wire) => Buffer.concat([wire, wire]),
  "end lines with a line feed": (wire) => latin1(wire, /\r\n/g, "\n"),
  "fold a header": (wire) => latin1(wire, ": ", ":\r\n "),
  "hide a second request": (wire) =>
    Buffer.concat([wire, Buffer.from("POST /webhooks HTTP/1.1\r\nHost: x\r\n\r\n")]),
};

const event = (id: string): string => JSON.stringify(refundAuthorized(id));
const eventWith = (id: string, members: object): string =>
  JSON.stringify({ ...refundAuthorized(id), ...members });
/** The event with text before its id. */
const eventAfter = (id: string, text: string): string => event(id).replace('"id"', `${text},"id"`);

/** The one mutator whose bodies a receiver may accept. */
const ACCEPTABLE = "an unknown type";

/** Bodies with the sender's own signature: none may end the process or wrongly reach a handler. */
const signedBodies: Mutators<(id: string, random: Random) => string | Buffer> = {
  "a member twice": (id, random) => {
    const member = random.pick(["id", "type", "data", "timestamp"]);
    return event(id).replace(`"${member}"`, `"${member}":1,"${member}"`);
  },
  "a name of prototypes": (id, random) =>
    eventAfter(
      id,
      `"${random.pick(["__proto__", "constructor", "prototype", "\\u005f_proto__"])}":{"x":1}`,
    ),
  [ACCEPTABLE]: (id, random) =>
    eventWith(id, {
      type: random.pick(["__proto__", "constructor", "toString", "x".repeat(256), "é"]),
    }),
  "deep nesting": (id, random) => {
    const levels = random.pick([16, 100, 20_000, 400_000]);
    return eventAfter(id, `"x":${"[".repeat(levels)}${"]".repeat(levels)}`);
  },
  "wrong data": (id, random) =>
    eventWith(id, { data: random.pick([null, 7, "x", [], {}, true, { paymentId: 7 }]) }),
  "another event's id": (id) => event(`${id}x`),
  noise: (_id, random) => random.bytes(1 + random.int(500)),
  "no object": (_id, random) =>
    random.pick(["1", '"s"', "null", "[]", "{}", "true", "\uFEFF{}", "1e999", "[1,]"]),
  "invalid UTF-8": (id, random) => {
    const body = Buffer.from(event(id));
    body[1 + random.int(body.length - 2)] = 0x80 + random.int(0x80);
    return body;
  },
};
