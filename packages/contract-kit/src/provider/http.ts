import type { Profile } from "@countersign/schemas";
import type { ProviderCheck } from "../check.ts";
import { newSecret, NOBODY, pay, UNPAID } from "./calls.ts";
import { swappedCase } from "../values.ts";
import { providerCheck } from "./scenario.ts";
import { maybe, type CallAnswer, type Session, shown } from "./session.ts";

const BEARER = "P-AUTH-BEARER";
const FIRST = "P-AUTH-CHECKED-FIRST";
const MEDIA = "P-INPUT-MEDIA-TYPE";
const ACCEPT = "P-INPUT-ACCEPT";
const MISSING = "P-INPUT-HEADERS-MISSING";
const GRAMMAR = "P-INPUT-HTTP-GRAMMAR";
const SECRETS = "P-ANSWER-NO-SECRETS";
const REQUEST_ID = "P-ANSWER-REQUEST-ID";

const SUBSCRIBE = "/v1/webhook/subscribe";

type Headers = Readonly<Record<string, string | undefined>>;

interface Call {
  readonly where: string;
  readonly path: string;
  readonly isGet: boolean;
  /** Sends an empty object, or nothing by GET. */
  readonly send: (headers: Headers, path?: string) => Promise<CallAnswer>;
}

function callsOf(session: Session): readonly Call[] {
  const all = [
    ["POST", "/v1/refunds"],
    ["GET", `/v1/customers/${NOBODY}`],
    ["POST", SUBSCRIBE],
    ["PUT", "/v1/webhook/unsubscribe"],
  ] as const;
  // The first two are of payments.
  return all.slice(session.profile.payments === true ? 0 : 2).map(([method, path]) => ({
    where: `${method} ${path}`,
    path,
    isGet: method === "GET",
    send: (headers, at = path) =>
      session.call(method, at, { headers, ...(method !== "GET" && { text: "{}" }) }),
  }));
}

export const commonHeaders: ProviderCheck = providerCheck({
  id: "provider/common-headers",
  title: "common headers are checked on every endpoint, the token first",
  requirements: [BEARER, FIRST, SECRETS, MEDIA, ACCEPT, MISSING, REQUEST_ID],
  run: async (session) => {
    const ids = new Set<string>();
    for (const { send: sendPlain, ...endpoint } of callsOf(session)) {
      const { where, isGet } = endpoint;
      const send: Call["send"] = async (...sent) => {
        const answer = await sendPlain(...sent);
        const { "x-request-id": id = "" } = answer.headers;
        const inBody = answer.body["requestId"];
        session.expect(REQUEST_ID, id !== "" && !ids.has(id), () => {
          return `${where}: expected a new x-request-id, got ${id === "" ? "none" : `${id} again`}`;
        });
        session.expect(REQUEST_ID, inBody === undefined || inBody === id, () => {
          return `${where}: the body's requestId ${String(inBody)} is not the header's, ${id}`;
        });
        ids.add(id);
        return answer;
      };
      await expectTokenFirst(session, { ...endpoint, send });

      const excluding = await send({ accept: "image/png" });
      session.expectStatus(ACCEPT, `${where}, Accept: image/png`, excluding, 406);
      const bare = await send({ accept: undefined });
      session.expect(MISSING, bare.status !== 406, () => {
        return `${where} without Accept: expected an answer as with it, got ${shown(bare)}`;
      });
      const untyped = await send({ "content-type": undefined });
      const [requirement, wanted] = isGet ? ([MISSING, 404] as const) : ([MEDIA, 415] as const);
      session.expectStatus(requirement, `${where} without Content-Type`, untyped, wanted);
      if (isGet) continue;
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"]) {
        const answer = await send({ "content-type": type });
        session.expectStatus(MEDIA, `${where}, Content-Type: ${type}`, answer, 415);
      }
    }
  },
});

async function expectTokenFirst(session: Session, { where, path, send }: Call): Promise<void> {
  const { token } = session;
  const swapped = swappedCase(token);
  for (const authorization of [
    undefined,
    "",
    "Bearer",
    "Bearer no-such-token",
    `Basic ${token}`,
    `Token ${token}`,
    `Bearer${token}`,
    `Bearer ${swapped}`,
    `Bearer ${token}x`,
    `Bearer ${token.slice(0, -1)}`,
    `Bearer ${token}, Bearer ${token}`,
  ]) {
    const shownHeader = authorization?.replaceAll(token, "…").replace(swapped, "… in another case");
    const answer = await send({ authorization });
    const isChallenged = answer.headers["www-authenticate"] !== undefined;
    session.expect(BEARER, answer.status === 401 && isChallenged, () => {
      return `${where}, ${shownHeader ?? "no Authorization"}: expected 401 with WWW-Authenticate, got ${shown(answer)}`;
    });
    session.expect(SECRETS, !answer.text.includes("no-such-token"), () => {
      return `${where}: the answer repeats the token`;
    });
  }
  // A token in the query would be in every log (RFC 6750, section 2.3).
  const inQuery = await send({ authorization: undefined }, `${path}?access_token=${token}`);
  session.expectStatus(BEARER, `${where} with the token only in its query`, inQuery, 401);
  // The rest is wrong too: a stranger learns of the token alone.
  for (const authorization of [undefined, "Bearer no-such-token"]) {
    const answer = await send({ authorization, accept: "image/png", "content-type": "text/plain" });
    const what = `${where}, ${authorization ?? "no token"} and all else wrong`;
    session.expectStatus(FIRST, what, answer, 401);
  }
}

export const httpGrammar: ProviderCheck = providerCheck({
  id: "provider/http-grammar",
  title: "headers are accepted in every spelling that HTTP allows, and in no other",
  requirements: [GRAMMAR, ACCEPT, MEDIA],
  run: async (session) => {
    const { token } = session;
    const accepted: readonly Headers[] = [
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
    for (const { where, isGet, send } of callsOf(session)) {
      const plain = await send({});
      for (const headers of accepted) {
        const answer = await send(headers);
        session.expect(GRAMMAR, answer.status === plain.status, () => {
          const text = JSON.stringify(headers).replace(token, "…");
          return `${where} with ${text}: expected ${shown(plain)} as without it, got ${shown(answer)}`;
        });
      }
      for (const accept of ["application/json;q=0", "*/*;q=0", "text/*", "application/xml"])
        session.expectStatus(ACCEPT, `${where}, Accept: ${accept}`, await send({ accept }), 406);
      if (isGet) continue;
      for (const type of ["text/json", "application/json; charset=utf-16", "application/xml"]) {
        const answer = await send({ "content-type": type });
        session.expectStatus(MEDIA, `${where}, Content-Type: ${type}`, answer, 415);
      }
    }
  },
});

const JSON_ALONE = "P-INPUT-JSON";
const STRICT = "P-INPUT-STRICT";
const SIZE = "P-INPUT-SIZE";
const ENCODED = "P-INPUT-ENCODED";
const VERSION = "P-VERSION-PATH";
const METHOD = "P-INPUT-METHOD";

export const bodies: ProviderCheck = providerCheck({
  id: "provider/bodies",
  title:
    "bodies that are not plain JSON, too large or encoded are refused, and unknown paths and methods too",
  requirements: [JSON_ALONE, STRICT, SIZE, ENCODED, VERSION, METHOD],
  run: async (session) => {
    const { path, whole, twice, half, taken } = await bodyCall(session);
    const { bodyBytes, depth } = session.profile.limits;
    const deep = `,"x":${"[".repeat(depth + 1)}${"]".repeat(depth + 1)}`;
    const forms = ["", "{", "[]", "null", '"text"', whole().slice(0, -1)];
    const malformed = [...forms, whole().replaceAll('"', "'"), `${whole()}{}`];
    for (const [requirement, what, text, wanted, headers = {}] of [
      ...malformed.map((one) => [JSON_ALONE, `the body ${one.slice(0, 40)}`, one, 400] as const),
      [STRICT, "a repeated member", whole(twice), 400],
      [STRICT, "a byte order mark", `\uFEFF${whole()}`, 400],
      [STRICT, "half a surrogate pair", half(), 400],
      [STRICT, "deep nesting", whole(deep), 400],
      [SIZE, `more than ${bodyBytes} bytes`, whole() + " ".repeat(bodyBytes), 413],
      [SIZE, `${bodyBytes} bytes`, whole().padEnd(bodyBytes), taken],
      [ENCODED, "Content-Encoding: gzip", whole(), 415, { "content-encoding": "gzip" }],
    ] as const)
      session.expectStatus(
        requirement,
        what,
        await session.call("POST", path, { text, headers }),
        wanted,
      );

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
      session.expect(METHOD, answer.status === 405 && answer.headers["allow"] !== undefined, () => {
        return `${method} ${at}: expected 405 with Allow, got ${shown(answer)}`;
      });
    }
  },
});

interface BodyCall {
  readonly path: string;
  /** A new body that is not refused for its form. @param more Text of further members. */
  readonly whole: (more?: string) => string;
  /** Text of a further member that the body has already. */
  readonly twice: string;
  /** A body that is refused only for half a surrogate pair in the text of a member. */
  readonly half: () => string;
  /** The status of the call with a whole body. */
  readonly taken: number;
}

async function bodyCall(session: Session): Promise<BodyCall> {
  const { payments, statuses }: Profile = session.profile;
  if (payments !== true) {
    const url = session.callbackUrl();
    const bodyOf = (at: string, more = ""): string =>
      `{"url":${JSON.stringify(at)},"secretKey":"${newSecret(session)}","subscriptionDetails":{"type":"ALL"}${more}}`;
    return {
      path: SUBSCRIBE,
      whole: (more) => bodyOf(url, more),
      half: () => bodyOf(`${url}?\ud800`),
      twice: `,"secretKey":"${newSecret(session)}"`,
      taken: statuses.subscribed,
    };
  }
  const made = await maybe(pay(session));
  const whole = (more = ""): string =>
    `{"paymentId":"${made?.paymentId ?? UNPAID}","requestKey":"${session.key()}","amount":{"currency":"USD","value":1.00}${more}}`;
  return {
    path: "/v1/refunds",
    whole,
    half: () => whole(String.raw`,"clientReferenceId":"\ud800"`),
    twice: ',"amount":{"currency":"USD","value":2.00}',
    // If there is no payment to refund, a whole body is refused for its payment, not for its form.
    taken: made === undefined ? 404 : statuses.refundCreated,
  };
}
