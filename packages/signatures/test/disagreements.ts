import { createHmac } from "node:crypto";
import { NOW_SECONDS, PRIVATE_KEY, PUBLIC_KEY, SECRET } from "./attempts.ts";
import { standardWebhooks } from "../src/index.ts";
import type { PeerCase, PeerName, Verdict } from "./peers.ts";

/** An attempt on which a peer and this package differ; the package's documentation argues each. */
export interface Disagreement extends PeerCase {
  readonly peer: PeerName;
  /** Unique; the first column of the documentation's table. */
  readonly name: string;
  readonly theirs: Verdict;
  readonly us: Verdict;
}

const ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const TIME = String(NOW_SECONDS);
const BODY = '{"test": 2432232314}';
const TEXT = "whsec_used_as_it_stands_by_some";
const KEY = Buffer.from(SECRET.slice("whsec_".length), "base64");

const v1 = (id: string, time: string, body: string | Uint8Array, key: Uint8Array = KEY): string =>
  `v1,${createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest("base64")}`;

const hex = (text: string | Uint8Array, key: string = TEXT): string =>
  createHmac("sha256", key).update(text).digest("hex");

function standard(change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    "webhook-id": ID,
    "webhook-timestamp": TIME,
    "webhook-signature": v1(ID, TIME, BODY),
    ...change,
  };
}

const genuine = v1(ID, TIME, BODY);
const decoy = `v1,${Buffer.alloc(32).toString("base64")}`;
const standardCase = { peer: "standardwebhooks", body: BODY, secret: SECRET } as const;
const svixCase = { peer: "svix", body: BODY, secret: SECRET } as const;
const stripeCase = { peer: "stripe", body: BODY, secret: TEXT } as const;
const octokitCase = { peer: "@octokit/webhooks-methods", body: BODY, secret: TEXT } as const;
const stripeHeader = (value: string) => ({ "stripe-signature": value });
const octokitHeader = (value: string) => ({ "x-hub-signature-256": value });
const short = Buffer.from("k");
const long = Buffer.alloc(65, 1);
const notUtf8 = Buffer.from("22fe22", "hex");
const asymmetric = standardWebhooks().sign(
  { id: ID, timestamp: NOW_SECONDS, body: Buffer.from(BODY) },
  [PRIVATE_KEY],
);
const shifted = {
  "webhook-id": `${ID}.${TIME}`,
  "webhook-timestamp": TIME,
  "webhook-signature": v1(ID, TIME, `${TIME}.${BODY}`),
};

const lax = { theirs: "accepts" } as const;

export const disagreements: readonly Disagreement[] = [
  {
    ...standardCase,
    ...lax,
    name: "timestamp with junk after it",
    headers: standard({ "webhook-timestamp": `${TIME}junk` }),
    us: "CS_SIGNATURE_TIMESTAMP_INVALID",
  },
  {
    ...standardCase,
    ...lax,
    name: "timestamp with a sign and spaces",
    headers: standard({ "webhook-timestamp": `  +${TIME}` }),
    us: "CS_SIGNATURE_TIMESTAMP_INVALID",
  },
  {
    ...standardCase,
    ...lax,
    name: "timestamp with leading zeros",
    headers: standard({ "webhook-timestamp": `000${TIME}` }),
    us: "CS_SIGNATURE_TIMESTAMP_INVALID",
  },
  {
    ...standardCase,
    ...lax,
    name: "timestamp header twice, joined",
    headers: standard({ "webhook-timestamp": `${TIME}, ${TIME}` }),
    us: "CS_SIGNATURE_TIMESTAMP_INVALID",
  },
  {
    ...standardCase,
    ...lax,
    name: "id with a full stop, part of the body moved into it",
    headers: shifted,
    us: "CS_SIGNATURE_ID_INVALID",
  },
  {
    ...standardCase,
    ...lax,
    name: "id with a space",
    headers: standard({ "webhook-id": "a b", "webhook-signature": v1("a b", TIME, BODY) }),
    us: "CS_SIGNATURE_ID_INVALID",
  },
  {
    ...standardCase,
    ...lax,
    name: "signature with a third part",
    headers: standard({ "webhook-signature": `${genuine},junk` }),
    us: "CS_SIGNATURE_MALFORMED",
  },
  {
    ...standardCase,
    ...lax,
    name: "word without a comma beside the signature",
    headers: standard({ "webhook-signature": `junk ${genuine}` }),
    us: "CS_SIGNATURE_MALFORMED",
  },
  {
    ...standardCase,
    ...lax,
    name: "two spaces between signatures",
    headers: standard({ "webhook-signature": `${decoy}  ${genuine}` }),
    us: "CS_SIGNATURE_MALFORMED",
  },
  {
    ...standardCase,
    ...lax,
    name: "signature header twice, joined",
    headers: standard({ "webhook-signature": `${decoy}, ${genuine}` }),
    us: "CS_SIGNATURE_HEADER_DUPLICATE",
  },
  {
    ...standardCase,
    ...lax,
    name: "one header in two spellings",
    headers: standard({ "Webhook-Id": ID }),
    us: "CS_SIGNATURE_HEADER_DUPLICATE",
  },
  {
    ...standardCase,
    ...lax,
    name: "nine signatures, the genuine one last",
    headers: standard({ "webhook-signature": `${`${decoy} `.repeat(8)}${genuine}` }),
    us: "CS_SIGNATURE_TOO_MANY",
  },
  {
    ...standardCase,
    ...lax,
    name: "header of 5,000 characters",
    headers: standard({ "webhook-signature": `v2,${"x".repeat(5000)} ${genuine}` }),
    us: "CS_SIGNATURE_HEADER_TOO_LONG",
  },
  {
    ...standardCase,
    ...lax,
    name: "byte that is no UTF-8, signed as U+FFFD",
    body: notUtf8,
    headers: standard({ "webhook-signature": v1(ID, TIME, '"\uFFFD"') }),
    us: "CS_SIGNATURE_MISMATCH",
  },
  {
    ...standardCase,
    ...lax,
    name: "key of one byte",
    secret: `whsec_${short.toString("base64")}`,
    headers: standard({ "webhook-signature": v1(ID, TIME, BODY, short) }),
    us: "throws TypeError",
  },
  {
    ...standardCase,
    ...lax,
    name: "key of 65 bytes",
    secret: `whsec_${long.toString("base64")}`,
    headers: standard({ "webhook-signature": v1(ID, TIME, BODY, long) }),
    us: "throws TypeError",
  },
  {
    ...standardCase,
    ...lax,
    name: "secret without a prefix",
    secret: SECRET.slice("whsec_".length),
    headers: standard(),
    us: "CS_SIGNATURE_MISMATCH",
  },
  {
    ...standardCase,
    theirs: "refuses",
    name: "byte that is no UTF-8, signed as it is",
    body: notUtf8,
    headers: standard({ "webhook-signature": v1(ID, TIME, notUtf8) }),
    us: "accepts",
  },
  {
    ...standardCase,
    theirs: "refuses",
    name: "body as a Uint8Array",
    body: Uint8Array.from(Buffer.from(BODY)),
    headers: standard(),
    us: "accepts",
  },
  {
    ...standardCase,
    theirs: "refuses",
    name: "headers as a Headers",
    headers: new Headers(standard() as Record<string, string>),
    us: "accepts",
  },
  {
    ...standardCase,
    theirs: "refuses",
    name: "v1a signature",
    headers: asymmetric,
    ours: PUBLIC_KEY,
    us: "accepts",
  },
  {
    ...standardCase,
    theirs: "throws TypeError",
    name: "signature header as a list",
    headers: standard({ "webhook-signature": [genuine] }),
    us: "CS_SIGNATURE_HEADER_DUPLICATE",
  },
  {
    ...svixCase,
    ...lax,
    name: "headers that begin with svix-",
    headers: { "svix-id": ID, "svix-timestamp": TIME, "svix-signature": genuine },
    us: "CS_SIGNATURE_HEADER_MISSING",
  },
  {
    ...svixCase,
    ...lax,
    name: "headers of two families, mixed",
    headers: { "svix-id": ID, "webhook-timestamp": TIME, "webhook-signature": genuine },
    us: "CS_SIGNATURE_HEADER_MISSING",
  },
  {
    ...stripeCase,
    ...lax,
    name: "timestamp ten years ahead",
    headers: stripeHeader(`t=1929625330,v1=${hex(`1929625330.${BODY}`)}`),
    us: "CS_SIGNATURE_TIMESTAMP_TOO_NEW",
  },
  {
    ...stripeCase,
    ...lax,
    name: "timestamp of any age under a tolerance of 0",
    toleranceSeconds: 0,
    headers: stripeHeader(`t=1,v1=${hex(`1.${BODY}`)}`),
    us: "CS_SIGNATURE_TIMESTAMP_TOO_OLD",
  },
  {
    ...stripeCase,
    ...lax,
    name: "timestamp with letters after it",
    headers: stripeHeader(`t=${TIME}abc,v1=${hex(`${TIME}.${BODY}`)}`),
    us: "CS_SIGNATURE_TIMESTAMP_INVALID",
  },
  {
    ...stripeCase,
    ...lax,
    name: "timestamp twice",
    headers: stripeHeader(`t=1,t=${TIME},v1=${hex(`${TIME}.${BODY}`)}`),
    us: "CS_SIGNATURE_MALFORMED",
  },
  {
    ...stripeCase,
    ...lax,
    name: "word without an equals sign",
    headers: stripeHeader(`t=${TIME},junk,v1=${hex(`${TIME}.${BODY}`)}`),
    us: "CS_SIGNATURE_MALFORMED",
  },
  {
    ...stripeCase,
    ...lax,
    name: "signature with a second equals sign",
    headers: stripeHeader(`t=${TIME},v1=${hex(`${TIME}.${BODY}`)}=junk`),
    us: "CS_SIGNATURE_MALFORMED",
  },
  {
    ...stripeCase,
    ...lax,
    name: "nine v1 signatures, the genuine one last",
    headers: stripeHeader(`t=${TIME},${"v1=00,".repeat(8)}v1=${hex(`${TIME}.${BODY}`)}`),
    us: "CS_SIGNATURE_TOO_MANY",
  },
  {
    ...stripeCase,
    ...lax,
    name: "byte order mark before the body, not signed",
    body: Buffer.from(`\uFEFF${BODY}`),
    headers: stripeHeader(`t=${TIME},v1=${hex(`${TIME}.${BODY}`)}`),
    us: "CS_SIGNATURE_MISMATCH",
  },
  {
    ...stripeCase,
    ...lax,
    name: "body that is no UTF-8, signed as U+FFFD",
    body: notUtf8,
    headers: stripeHeader(`t=${TIME},v1=${hex(`${TIME}."\uFFFD"`)}`),
    us: "CS_SIGNATURE_MISMATCH",
  },
  {
    ...stripeCase,
    ...lax,
    name: "secret of one character",
    secret: "k",
    headers: stripeHeader(`t=${TIME},v1=${hex(`${TIME}.${BODY}`, "k")}`),
    us: "throws TypeError",
  },
  {
    ...stripeCase,
    ...lax,
    name: "secret that ends with a newline",
    secret: `${TEXT}\n`,
    headers: stripeHeader(`t=${TIME},v1=${hex(`${TIME}.${BODY}`, `${TEXT}\n`)}`),
    us: "CS_SIGNATURE_MISMATCH",
  },
  {
    ...stripeCase,
    theirs: "refuses",
    name: "empty body",
    body: "",
    headers: stripeHeader(`t=${TIME},v1=${hex(`${TIME}.`)}`),
    us: "accepts",
  },
  {
    ...octokitCase,
    ...lax,
    name: "secret of a single character",
    secret: "k",
    headers: octokitHeader(`sha256=${hex(BODY, "k")}`),
    us: "throws TypeError",
  },
  {
    ...octokitCase,
    theirs: "throws TypeError",
    name: "body as bytes",
    body: Buffer.from(BODY),
    headers: octokitHeader(`sha256=${hex(BODY)}`),
    us: "accepts",
  },
  {
    ...octokitCase,
    theirs: "throws TypeError",
    name: "body of no bytes",
    body: "",
    headers: octokitHeader(`sha256=${hex("")}`),
    us: "accepts",
  },
  {
    ...octokitCase,
    theirs: "throws TypeError",
    name: "no signature header",
    headers: {},
    us: "CS_SIGNATURE_HEADER_MISSING",
  },
];
