import type { Profile } from "@countersign/schemas";
import type { ProviderCheck } from "../../check.ts";
import { newSecret, pay, requireStatus, shown } from "../../harness/calls.ts";
import { singleCheck } from "../../harness/scenario.ts";
import { maybe, type Reading, type Session } from "../../harness/session.ts";
import { must } from "../../harness/judge.ts";

const BEARER = "P-AUTH-BEARER";
const FIRST = "P-AUTH-CHECKED-FIRST";
const MEDIA = "P-INPUT-MEDIA-TYPE";
const ACCEPT = "P-INPUT-ACCEPT";
const MISSING = "P-INPUT-HEADERS-MISSING";
const GRAMMAR = "P-INPUT-HTTP-GRAMMAR";
const SECRETS = "P-ERROR-NO-SECRETS";
const REQUEST_ID = "P-ANSWER-REQUEST-ID";

const CUSTOMER = "/v1/customers/cus_that_is_not_there";
const SUBSCRIBE = "/v1/webhook/subscribe";

/** The first two are of payments. */
const endpoints = [
  ["POST", "/v1/refunds"],
  ["GET", CUSTOMER],
  ["POST", SUBSCRIBE],
  ["PUT", "/v1/webhook/unsubscribe"],
] as const;
const endpointsOf = ({ payments }: Profile) => endpoints.slice(payments === true ? 0 : 2);

type Headers = Readonly<Record<string, string | undefined>>;

export const commonHeaders: ProviderCheck = singleCheck({
  id: "provider/common-headers",
  title: "common headers are checked on every endpoint, the token first",
  requirements: [BEARER, FIRST, SECRETS, MEDIA, ACCEPT, MISSING, REQUEST_ID],
  play: async (session) => {
    const { profile } = session.target;
    const { headers: policy } = profile;
    const ids = new Set<string>();
    for (const [method, path] of endpointsOf(profile)) {
      const where = `${method} ${path}`;
      const send = async (headers: Headers, at = path as string): Promise<Reading> => {
        const text = { ...(method !== "GET" && { text: "{}" }) };
        const answer = await session.call(method, at, { headers, ...text });
        const { "x-request-id": id = "" } = answer.headers;
        const told = answer.body["requestId"];
        must(REQUEST_ID, id !== "" && !ids.has(id), () => {
          return `${where}: expected a new x-request-id, got ${id === "" ? "none" : `${id} again`}`;
        });
        must(REQUEST_ID, told === undefined || told === id, () => {
          return `${where}: the body's requestId ${String(told)} is not the header's, ${id}`;
        });
        ids.add(id);
        return answer;
      };
      await requireToken(session, where, send);

      const excluding = await send({ accept: "image/png" });
      requireStatus(ACCEPT, `${where}, Accept: image/png`, excluding, 406);
      const bare = await send({ accept: undefined });
      const isStrict = policy.acceptMissing === "error";
      must(MISSING, (bare.status === 406) === isStrict, () => {
        return `${where} without Accept: expected ${isStrict ? "406" : "an answer as with it"}, got ${shown(bare)}`;
      });
      const untyped = await send({ "content-type": undefined });
      if (method === "GET") {
        const isTypeStrict = policy.contentTypeOnGet === "error";
        must(MISSING, untyped.status === (isTypeStrict ? 415 : 404), () => {
          return `${where} without Content-Type: expected ${isTypeStrict ? 415 : 404}, got ${shown(untyped)}`;
        });
        continue;
      }
      const typed = ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"];
      for (const type of [undefined, ...typed]) {
        const answer = type === undefined ? untyped : await send({ "content-type": type });
        requireStatus(MEDIA, `${where}, Content-Type: ${type ?? "none"}`, answer, 415);
      }
    }
  },
});

async function requireToken(
  { token }: Session,
  where: string,
  send: (headers: Headers, path?: string) => Promise<Reading>,
): Promise<void> {
  const swapped = token.replaceAll(/[a-z]/gi, (one) =>
    one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase(),
  );
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
    const said = authorization?.replaceAll(token, "…").replace(swapped, "… in another case");
    const answer = await send({ authorization });
    must(
      BEARER,
      answer.status === 401 && answer.headers["www-authenticate"] !== undefined,
      () =>
        `${where}, ${said ?? "no Authorization"}: expected 401 with WWW-Authenticate, got ${shown(answer)}`,
    );
    must(SECRETS, !answer.text.includes("no-such-token"), () => {
      return `${where}: the answer repeats the token`;
    });
  }
  // A token in the query would be in every log (RFC 6750, section 2.3).
  const path = where.split(" ")[1] ?? "";
  const inQuery = await send({ authorization: undefined }, `${path}?access_token=${token}`);
  requireStatus(BEARER, `${where} with the token only in its query`, inQuery, 401);
  // The rest is wrong too: a stranger learns of the token alone.
  for (const authorization of [undefined, "Bearer no-such-token"]) {
    const wrong = { authorization, accept: "image/png", "content-type": "text/plain" };
    const answer = await send(wrong);
    requireStatus(
      FIRST,
      `${where}, ${authorization ?? "no token"} and all else wrong`,
      answer,
      401,
    );
  }
}

export const httpGrammar: ProviderCheck = singleCheck({
  id: "provider/http-grammar",
  title: "headers are accepted in every spelling that HTTP allows, and in no other",
  requirements: [GRAMMAR, ACCEPT, MEDIA],
  play: async (session) => {
    const { token } = session;
    const spelt: readonly (readonly [header: string, value: string])[] = [
      ["authorization", `bearer ${token}`],
      ["authorization", `BEARER ${token}`],
      ["authorization", `Bearer  ${token}`],
      ["accept", "*/*"],
      ["accept", "application/*"],
      ["accept", "APPLICATION/JSON"],
      ["accept", "application/json;q=0.5"],
      ["accept", "application/json; q=0.001, text/html"],
      ["accept", "text/html, application/xhtml+xml, application/json;q=0.9, */*;q=0.1"],
      ["content-type", "application/json; charset=utf-8"],
      ["content-type", "application/json;charset=UTF-8"],
      ["content-type", 'application/json; charset="utf-8"'],
      ["content-type", 'APPLICATION/JSON ; CHARSET="UTF-8"'],
    ];
    for (const [method, path] of endpointsOf(session.target.profile)) {
      const send = (headers: Headers): Promise<Reading> =>
        session.call(method, path, { headers, ...(method !== "GET" && { text: "{}" }) });
      const plain = await send({});
      for (const [header, value] of spelt) {
        const answer = await send({ [header]: value });
        must(GRAMMAR, answer.status === plain.status, () => {
          const said = value.replace(token, "…");
          return `${method} ${path}, ${header}: ${said}: expected ${shown(plain)} as without it, got ${shown(answer)}`;
        });
      }
      const upper = await send({
        authorization: undefined,
        accept: undefined,
        "content-type": undefined,
        AUTHORIZATION: `Bearer ${token}`,
        ACCEPT: "application/json",
        "CONTENT-TYPE": "application/json",
      });
      must(GRAMMAR, upper.status === plain.status, () => {
        return `${method} ${path} with upper-case names of headers: expected ${shown(plain)}, got ${shown(upper)}`;
      });
      for (const accept of ["application/json;q=0", "*/*;q=0", "text/*", "application/xml"]) {
        const answer = await send({ accept });
        requireStatus(ACCEPT, `${method} ${path}, Accept: ${accept}`, answer, 406);
      }
      if (method === "GET") continue;
      for (const type of ["text/json", "application/json; charset=utf-16", "application/xml"]) {
        const answer = await send({ "content-type": type });
        requireStatus(MEDIA, `${method} ${path}, Content-Type: ${type}`, answer, 415);
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

export const bodies: ProviderCheck = singleCheck({
  id: "provider/bodies",
  title:
    "bodies that are not plain JSON, too large or encoded are refused, and unknown paths and methods too",
  requirements: [JSON_ALONE, STRICT, SIZE, ENCODED, VERSION, METHOD],
  play: async (session) => {
    const { path, whole, twice, half, taken } = await bodyCall(session);
    const post = (text: string, headers: Headers = {}): Promise<Reading> =>
      session.call("POST", path, { text, headers });
    const refused = async (requirement: string, text: string, what: string): Promise<void> => {
      const answer = await post(text);
      requireStatus(requirement, what, answer, 400);
    };
    const forms = ["", "{", "[]", "null", '"text"', whole("").slice(0, -1)];
    for (const text of [...forms, whole("").replaceAll('"', "'"), `${whole("")}{}`]) {
      await refused(JSON_ALONE, text, `the body ${text.slice(0, 40)}`);
    }
    const { bodyBytes, depth } = session.target.profile.limits;
    await refused(STRICT, whole(twice), "a repeated member");
    await refused(STRICT, `\uFEFF${whole("")}`, "a byte order mark");
    await refused(STRICT, half(), "half a surrogate pair");
    const deep = `,"x":${"[".repeat(depth + 1)}${"]".repeat(depth + 1)}`;
    await refused(STRICT, whole(deep), "deep nesting");

    const padded = whole("") + " ".repeat(bodyBytes);
    const large = await post(padded);
    requireStatus(SIZE, `${padded.length} bytes`, large, 413);
    const fitting = whole("");
    const full = await post(fitting + " ".repeat(bodyBytes - fitting.length));
    requireStatus(SIZE, `${bodyBytes} bytes`, full, taken);
    const coded = await post(whole(""), { "content-encoding": "gzip" });
    requireStatus(ENCODED, "Content-Encoding: gzip", coded, 415);
    const name = path.slice("/v1".length);
    const capital = name.replace(/[a-z]/, (letter) => letter.toUpperCase());
    const others = [name, `/v2${name}`, `/v1${name.slice(0, -1)}`, `/V1${name}`, `/v1${capital}`];
    for (const other of others) {
      const answer = await session.call("POST", other, { text: whole("") });
      requireStatus(VERSION, `POST ${other}`, answer, 404);
    }
    for (const [method, at] of [
      ["DELETE", path],
      ["POST", "/v1/webhook/unsubscribe"],
    ] as const) {
      const answer = await session.call(method, at, { text: "{}" });
      const isAllowing = answer.headers["allow"] !== undefined;
      must(METHOD, answer.status === 405 && isAllowing, () => {
        return `${method} ${at}: expected 405 with Allow, got ${shown(answer)}`;
      });
    }
  },
});

interface BodyCall {
  readonly path: string;
  /** A body that is not refused for its form. @param more Text of further members. */
  readonly whole: (more: string) => string;
  /** Text of a further member that the body has already. */
  readonly twice: string;
  /** A body that is refused only for half a surrogate pair in the text of a member. */
  readonly half: () => string;
  /** The status of the call with a whole body. */
  readonly taken: number;
}

async function bodyCall(session: Session): Promise<BodyCall> {
  const { payments, statuses } = session.target.profile;
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
  const made = await maybe(() => pay(session));
  const paymentId = made?.paymentId ?? "pay_that_is_not_there";
  const whole: BodyCall["whole"] = (more) =>
    `{"paymentId":"${paymentId}","requestKey":"${session.key()}","amount":{"currency":"USD","value":1.00}${more}}`;
  return {
    path: "/v1/refunds",
    whole,
    half: () => whole(String.raw`,"clientReferenceId":"\ud800"`),
    twice: ',"amount":{"currency":"USD","value":2.00}',
    // Without a payment a whole body is refused too, but for what it asks and not for its form.
    taken: made === undefined ? 404 : statuses.refundCreated,
  };
}
