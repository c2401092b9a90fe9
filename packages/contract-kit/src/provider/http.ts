import type { ProviderCheck } from "../check.ts";
import { prepareDebit, UNKNOWN_CUSTOMER, UNKNOWN_PAYMENT } from "./calls.ts";
import { swappedCase } from "../values.ts";
import { providerCheck } from "./provider-check.ts";
import { maybe, type CallAnswer, summary } from "./session.ts";

const BEARER = "P-AUTH-BEARER";
const MEDIA = "P-INPUT-MEDIA-TYPE";
const MISSING = "P-INPUT-HEADERS-MISSING";
const REQUEST_ID = "P-ANSWER-REQUEST-ID";

/** No answer may repeat it. */
const WRONG_TOKEN = "no-such-token";

type Headers = Readonly<Record<string, string | undefined>>;

const CALLS = [
  ["POST", "/v1/refunds"],
  ["GET", `/v1/customers/${UNKNOWN_CUSTOMER}`],
  ["POST", "/v1/webhook/subscribe"],
  ["PUT", "/v1/webhook/unsubscribe"],
] as const;

const OTHER_ACCEPTS = ["image/png", "application/json;q=0", "*/*;q=0", "text/*", "application/xml"];
const OTHER_TYPES = (
  "text/plain,application/x-www-form-urlencoded,application/jsonp,text/json,application/xml," +
  "application/vnd.api+json,application/json; charset=utf-16"
).split(",");

export const commonHeaders: ProviderCheck = providerCheck({
  id: "provider/common-headers",
  title:
    "common headers are checked on every endpoint, the token first, and accepted in every spelling of HTTP",
  run: async (session) => {
    const { token, scenario } = session;
    scenario.secrets.add(WRONG_TOKEN);
    const ids = new Set<string>();
    for (const [method, path] of CALLS) {
      const isGet = method === "GET";
      const where = `${method} ${path}`;
      /** Sends an empty object, or nothing by GET. */
      const send = async (headers: Headers, at: string = path): Promise<CallAnswer> => {
        const body = isGet ? {} : { text: "{}" };
        const answer = await session.call(method, at, { headers, ...body });
        const { "x-request-id": id = "" } = answer.headers;
        const inBody = answer.body["requestId"];
        const noNew = `${where}: expected a new x-request-id, got ${id === "" ? "none" : `${id} again`}`;
        session.expect(REQUEST_ID, id !== "" && !ids.has(id), noNew);
        const otherInBody = `${where}: the body's requestId ${String(inBody)} is not the header's, ${id}`;
        session.expect(REQUEST_ID, inBody === undefined || inBody === id, otherInBody);
        ids.add(id);
        return answer;
      };
      // A token in the query would be in every log (RFC 6750, section 2.3).
      const inQuery = await send({ authorization: undefined }, `${path}?access_token=${token}`);
      session.expectStatus(BEARER, `${where} with the token only in its query`, inQuery, 401);
      for (const [requirement, status, headers] of [
        ...wrongTokens(token).map((authorization) => [BEARER, 401, { authorization }] as const),
        // The rest is wrong too: a stranger learns only about the token.
        ...[undefined, `Bearer ${WRONG_TOKEN}`].map((authorization) => {
          const others = { accept: "image/png", "content-type": "text/plain" };
          return ["P-AUTH-CHECKED-FIRST", 401, { authorization, ...others }] as const;
        }),
        ...OTHER_ACCEPTS.map((accept) => ["P-INPUT-ACCEPT", 406, { accept }] as const),
        ...(isGet ? [] : OTHER_TYPES).map(
          (type) => [MEDIA, 415, { "content-type": type }] as const,
        ),
        [isGet ? MISSING : MEDIA, isGet ? 404 : 415, { "content-type": undefined }] as const,
      ]) {
        const answer = await send(headers);
        session.expectStatus(requirement, `${where}, ${shown(headers, token)}`, answer, status);
        const bareRefusal = `${where}, ${shown(headers, token)}: expected WWW-Authenticate, got none`;
        if (requirement === BEARER)
          session.expect(BEARER, answer.headers["www-authenticate"] !== undefined, bareRefusal);
      }
      const bare = await send({ accept: undefined });
      const unaccepted = `${where} without Accept: expected an answer as with it, got ${summary(bare)}`;
      session.expect(MISSING, bare.status !== 406, unaccepted);
      const plain = await send({});
      for (const headers of spellings(token)) {
        const answer = await send(headers);
        const misread = `${where}, ${shown(headers, token)}: expected ${summary(plain)} as without it, got ${summary(answer)}`;
        session.expect("P-INPUT-HTTP-GRAMMAR", answer.status === plain.status, misread);
      }
    }
  },
});

const shown = (headers: Headers, token: string): string =>
  Object.entries(headers)
    .map(([name, value]) => (value === undefined ? `no ${name}` : `${name}: ${value}`))
    .join(", ")
    .replaceAll(token, "…")
    .replace(swappedCase(token), "… in another case");

const wrongTokens = (token: string): readonly (string | undefined)[] => [
  undefined,
  "",
  "Bearer",
  `Bearer ${WRONG_TOKEN}`,
  `Basic ${token}`,
  `Token ${token}`,
  `Bearer${token}`,
  `Bearer ${swappedCase(token)}`,
  `Bearer ${token}x`,
  `Bearer ${token.slice(0, -1)}`,
  `Bearer ${token}, Bearer ${token}`,
];

const spellings = (token: string): readonly Headers[] => [
  { authorization: `bearer ${token}` },
  { authorization: `BEARER ${token}` },
  { authorization: `Bearer  ${token}` },
  { accept: "*/*" },
  { accept: "application/*" },
  { accept: "APPLICATION/JSON" },
  { accept: "application/json;q=0.5" },
  { accept: "application/json; q=0.001, text/html" },
  { accept: "text/html, application/xhtml+xml, application/json;q=0.9, */*;q=0.1" },
  { "content-type": "application/json; charset=utf-8" },
  { "content-type": "application/json;charset=UTF-8" },
  { "content-type": 'application/json; charset="utf-8"' },
  { "content-type": 'APPLICATION/JSON ; CHARSET="UTF-8"' },
  { authorization: undefined, AUTHORIZATION: `Bearer ${token}` },
  { accept: undefined, ACCEPT: "application/json" },
  { "content-type": undefined, "CONTENT-TYPE": "application/json" },
];

const STRICT = "P-INPUT-STRICT";
const SIZE = "P-INPUT-SIZE";
const ENCODED = "P-INPUT-ENCODED";
const VERSION = "P-VERSION-PATH";
const METHOD = "P-INPUT-METHOD";

export const bodies: ProviderCheck = providerCheck({
  id: "provider/bodies",
  title:
    "bodies that are not plain JSON, too large or encoded are refused, and unknown paths and methods too",
  run: async (session) => {
    const path = "/v1/refunds";
    const { limits, statuses } = session.profile;
    const { bodyBytes, depth } = limits;
    const made = await maybe(prepareDebit(session));
    /** A new body that is not refused for its form. */
    const whole = (more = ""): string =>
      `{"paymentId":"${made?.paymentId ?? UNKNOWN_PAYMENT}","requestKey":"${session.key()}","amount":{"currency":"USD","value":1.00}${more}}`;
    // Without a payment to refund, a whole body is refused for its payment, not for its form.
    const taken = made === undefined ? 404 : statuses.refundCreated;
    const twice = ',"amount":{"currency":"USD","value":2.00}';
    const half = String.raw`,"clientReferenceId":"\ud800"`;
    const deep = `,"x":${"[".repeat(depth + 1)}${"]".repeat(depth + 1)}`;
    const forms = ["", "{", "[]", "null", '"text"', whole().slice(0, -1)];
    const malformed = [...forms, whole().replaceAll('"', "'"), `${whole()}{}`];
    for (const [requirement, what, text, wanted, headers = {}] of [
      ...malformed.map(
        (one) => ["P-INPUT-JSON", `the body ${one.slice(0, 40)}`, one, 400] as const,
      ),
      [STRICT, "a repeated member", whole(twice), 400],
      [STRICT, "a byte order mark", `\uFEFF${whole()}`, 400],
      [STRICT, "half a surrogate pair", whole(half), 400],
      [STRICT, "deep nesting", whole(deep), 400],
      [SIZE, `more than ${bodyBytes} bytes`, whole() + " ".repeat(bodyBytes), 413],
      [SIZE, `${bodyBytes} bytes`, whole().padEnd(bodyBytes), taken],
      [ENCODED, "Content-Encoding: gzip", whole(), 415, { "content-encoding": "gzip" }],
    ] as const) {
      const answer = await session.call("POST", path, { text, headers });
      session.expectStatus(requirement, what, answer, wanted);
    }
    const name = path.slice("/v1".length);
    const capital = name.replace(/[a-z]/, (letter) => letter.toUpperCase());
    const others = [name, `/v2${name}`, `/v1${name.slice(0, -1)}`, `/V1${name}`, `/v1${capital}`];
    for (const other of others) {
      const answer = await session.call("POST", other, { text: whole() });
      session.expectStatus(VERSION, `POST ${other}`, answer, 404);
    }
    for (const [method, at] of [
      ["DELETE", path],
      ["POST", "/v1/webhook/unsubscribe"],
    ] as const) {
      const answer = await session.call(method, at, { text: "{}" });
      const instead = `${method} ${at}: expected 405 with Allow, got ${summary(answer)}`;
      const isRight = answer.status === 405 && answer.headers["allow"] !== undefined;
      session.expect(METHOD, isRight, instead);
    }
  },
});
