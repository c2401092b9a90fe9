import { parsed, type ProviderFaults, text, textOf } from "./edits.ts";
import {
  answers,
  answersWith,
  answersWithout,
  bearerOf,
  call,
  CUSTOMERS,
  headerOf,
  isJson,
  misreads,
  misspeaks,
  opensScope,
  REFUNDS,
  refusal,
  remembersOwner,
  respoken,
  restatus,
  sends,
  TOKENS,
  UNSUBSCRIBE,
  withHeader,
  withoutHeader,
  withStatus,
} from "./mistakes.ts";

/** Members of the requests: a service that knows only these ignores misspelt ones. */
const KNOWN = new Set(
  "paymentId amount requestKey softDescriptor clientReferenceId clientRefefenceId url secretKey subscriptionDetails subscriptionId".split(
    " ",
  ),
);

/** Mistakes in HTTP, tokens and customers. */
export const inputFaults: ProviderFaults = {
  "customer-name-ascii": {
    fails: "P-CUSTOMER-READ",
    breaks: "S 2.3: letters beyond ASCII in a customer's first name become question marks.",
    plant: misspeaks(
      CUSTOMERS,
      text("firstName", (name) => name.replaceAll(/[^\x20-\x7e]/g, "?")),
    ),
  },
  "customer-date-seconds": {
    fails: "P-CUSTOMER-TIMES",
    breaks: "S 2.3: a customer's creationDate has no milliseconds; strict readers refuse it.",
    plant: misspeaks(
      CUSTOMERS,
      text("creationDate", (date) => date.replace(/\.\d{3}Z$/, "Z")),
    ),
  },
  "customer-unlinked-null": {
    fails: "P-ANSWER-SCHEMA",
    breaks: "S 2.3: a customer without an account has accountDetails null, which is not an object.",
    plant: misspeaks(
      CUSTOMERS,
      ({ customerStatus, accountDetails = null }) =>
        customerStatus !== undefined && { accountDetails },
    ),
  },
  "customer-not-found-400": {
    fails: "P-CUSTOMER-NOT-FOUND",
    breaks: "S 7: an unknown customer is answered 400 instead of 404.",
    plant: restatus("CUSTOMER_NOT_FOUND", 400),
  },
  "scope-unsubscribe": {
    fails: "P-AUTH-SCOPE",
    breaks: "S 5: a token without the scope core may unsubscribe, and silences a merchant.",
    plant: () => opensScope(UNSUBSCRIBE),
  },
  "scope-refund": {
    fails: "P-AUTH-SCOPE",
    breaks: "S 5: a token without the scope payments may make refunds.",
    plant: () => opensScope(REFUNDS),
  },
  "token-grace": {
    fails: "P-AUTH-TOKEN-EXPIRES",
    breaks: "Tokens are taken after they have expired.",
    plant: () =>
      remembersOwner((owned, granted) => async (one, next) => {
        const answer = await next(one);
        return answer.status === 401 && granted.has(bearerOf(one)) ? next(owned(one)) : answer;
      }),
  },
  "token-scopes-all": {
    fails: "P-AUTH-SCOPE",
    breaks: "RFC 6749: a token for one scope has all of the client's: least privilege is lost.",
    plant: call(() => async (one, next) => {
      if (one.path !== TOKENS) return next(one);
      const form = new URLSearchParams(textOf(one.body));
      const scope = form.get("scope");
      form.delete("scope");
      const answer = await next({ ...withoutHeader(one, "content-length"), body: form.toString() });
      return scope === null ? answer : respoken(answer, () => ({ scope }));
    }),
  },
  "token-cached": {
    fails: "P-AUTH-TOKEN",
    breaks: "RFC 6749, 5.1: answers, tokens among them, may be stored by caches.",
    plant: answersWithout("cache-control"),
  },
  "no-challenge": {
    fails: "P-AUTH-BEARER",
    breaks: "A 401 has no WWW-Authenticate.",
    plant: answersWithout("www-authenticate"),
  },
  "bearer-case": {
    fails: "P-INPUT-HTTP-GRAMMAR",
    breaks: "S 5.1, RFC 9110: a scheme written `bearer` is refused; some HTTP clients write it so.",
    plant: sends((one) => {
      const own = headerOf(one, "authorization");
      const isMisread = /^bearer /i.test(own) && !own.startsWith("Bearer ");
      return isMisread ? withoutHeader(one, "authorization") : one;
    }),
  },
  "auth-after-media": {
    fails: "P-AUTH-CHECKED-FIRST",
    breaks: "The media type is checked before the token: a stranger learns what is understood.",
    plant: () =>
      remembersOwner(
        (owned) => (one, next) => next(one.method !== "GET" && !isJson(one) ? owned(one) : one),
      ),
  },
  "problem-status": {
    fails: "P-ANSWER-FORM",
    breaks: "RFC 9457: the problem's status is always 400 although the answer's is another.",
    plant: misspeaks(
      "/",
      ({ errorDetails, title }) =>
        errorDetails !== undefined && title !== undefined && { status: 400 },
    ),
  },
  "charset-415": {
    fails: "P-INPUT-HTTP-GRAMMAR",
    breaks: "S 1: `application/json; charset=utf-8` is answered 415; many clients send it.",
    plant: sends((one) =>
      headerOf(one, "content-type").includes(";")
        ? withHeader(one, "content-type", "text/plain")
        : one,
    ),
  },
  "duplicate-members": {
    fails: "P-INPUT-STRICT",
    breaks: "The last of two equal members counts; a proxy reads the first, another amount.",
    plant: misreads(REFUNDS, () => ({})),
  },
  "surrogate-replaced": {
    fails: "P-INPUT-STRICT",
    breaks: "Half a surrogate pair is replaced: the merchant's text is stored changed.",
    plant: sends((one) =>
      one.body === undefined ? one : { ...one, body: textOf(one.body).replaceAll("\\ud800", "x") },
    ),
  },
  "rate-no-retry-after": {
    fails: "P-LIMIT-RATE",
    breaks: "A 429 does not say when to come back.",
    plant: answersWithout("retry-after"),
  },
  "media-type-ignored": {
    fails: "P-INPUT-MEDIA-TYPE",
    breaks: "S 1: any media type is read as JSON, which browsers send across origins unasked.",
    plant: sends((one) =>
      "content-type" in one.headers && !isJson(one) && one.path !== TOKENS
        ? withHeader(one, "content-type", "application/json")
        : one,
    ),
  },
  "accept-ignored": {
    fails: "P-INPUT-ACCEPT",
    breaks: "S 1: a client that accepts no JSON is answered with JSON instead of 406.",
    plant: sends((one) => withHeader(one, "accept", "application/json")),
  },
  "get-content-type": {
    fails: "P-INPUT-HEADERS-MISSING",
    breaks: "S 1: a GET without Content-Type is refused with 415, although it has no body.",
    plant: answersWith(
      (answer, one) =>
        one.method === "GET" &&
        !("content-type" in one.headers) &&
        refusal(answer, 415, "UNSUPPORTED_MEDIA_TYPE"),
    ),
  },
  "request-id-missing": {
    fails: "P-ANSWER-REQUEST-ID",
    breaks: "Answers have no x-request-id, so that a merchant cannot name a call to the operator.",
    plant: answersWithout("x-request-id"),
  },
  "json-422": {
    fails: "P-INPUT-JSON",
    breaks: "A body that is not JSON is answered 422 instead of 400.",
    plant: answersWith(
      (answer, one) =>
        answer.status === 400 &&
        one.method === "POST" &&
        parsed(one.body) === undefined &&
        withStatus(answer, 422),
    ),
  },
  "body-unlimited": {
    fails: "P-INPUT-SIZE",
    breaks: "Bodies of any length are read into memory.",
    plant: sends((one) =>
      one.body !== undefined && one.body.length > 65_536
        ? { ...withoutHeader(one, "content-length"), body: textOf(one.body).trimEnd() }
        : one,
    ),
  },
  "encoding-ignored": {
    fails: "P-INPUT-ENCODED",
    breaks: "Content-Encoding is ignored, so that a proxy that inflates the body sees another one.",
    plant: sends((one) => withoutHeader(one, "content-encoding")),
  },
  "path-without-version": {
    fails: "P-VERSION-PATH",
    breaks: "S 1: refunds need no version in their path: clients without it break with v2.",
    plant: sends((one) => (one.path === "/refunds" ? { ...one, path: REFUNDS } : one)),
  },
  "no-allow": {
    fails: "P-INPUT-METHOD",
    breaks: "RFC 9110, 15.5.6: a 405 does not name the methods that there are.",
    plant: answersWithout("allow"),
  },
  "unknown-members": {
    fails: "P-INPUT-REFUSED",
    breaks: "Unknown members are ignored: a misspelt softDescriptor is lost without a word.",
    plant: misreads("/v1/", (members) => {
      const unknown = Object.keys(members).filter((name) => !KNOWN.has(name));
      return unknown.length > 0 && Object.fromEntries(unknown.map((name) => [name, undefined]));
    }),
  },
  "error-without-place": {
    fails: "P-INPUT-PRECISE",
    breaks: "An error does not say which member is wrong.",
    plant: misspeaks("/v1/", ({ errors }) => errors !== undefined && { errors: undefined }),
  },
  "customer-wildcard": {
    fails: "P-CUSTOMER-NOT-FOUND",
    breaks: "S 4.2: ids are compared with LIKE: `%25` finds any customer of the merchant.",
    plant: call(() => {
      let read = "";
      return async (one, next) => {
        const isPattern = /\/customers\/(?:.*%25|_+)$/.test(one.path) && read !== "";
        const answer = await next(isPattern ? { ...one, path: read } : one);
        if (one.path.startsWith(CUSTOMERS) && answer.status === 200) read = one.path;
        return answer;
      };
    }),
  },
  "customer-quote": {
    fails: "P-CUSTOMER-NOT-FOUND",
    breaks: "A quote in a customer's id breaks the query, which is answered 500.",
    plant: answersWith(
      (answer, { path }) =>
        path.startsWith(CUSTOMERS) &&
        /'|%22/.test(path) &&
        refusal(answer, 500, "INTERNAL_SERVER_ERROR"),
    ),
  },
  "customer-foreign-named": {
    fails: "P-FOREIGN-404",
    breaks: "The 404 for another merchant's customer says whose it is: the customer exists.",
    plant: call(() => {
      const read = new Set<string>();
      return answers((answer, { path }) => {
        if (answer.status === 200) read.add(path);
        const isForeign = answer.status === 404 && read.has(path);
        return isForeign && respoken(answer, () => ({ title: "Another merchant's customer" }));
      });
    }),
  },
  "token-replaces": {
    fails: "P-AUTH-TOKEN",
    breaks: "S 5.2: a new token ends the one before: two processes of an app shut each other out.",
    plant: call(() => {
      let last: unknown;
      const ended = new Set<unknown>();
      return async (one, next) => {
        const isEnded = ended.has(bearerOf(one));
        const answer = await next(isEnded ? withHeader(one, "authorization", "Bearer x") : one);
        const { access_token: token } = parsed(answer.body) ?? {};
        if (token !== undefined) {
          ended.add(last);
          last = token;
        }
        return answer;
      };
    }),
  },
  "media-type-suffix": {
    fails: "P-INPUT-MEDIA-TYPE",
    breaks: "S 1: every media type that ends in +json is read as JSON.",
    plant: sends((one) =>
      headerOf(one, "content-type").endsWith("+json")
        ? withHeader(one, "content-type", "application/json")
        : one,
    ),
  },
  "body-size-html": {
    fails: "P-ANSWER-SCHEMA",
    breaks: "S 7.5: the proxy answers a body that is too large with a page instead of a problem.",
    plant: answersWith(
      (answer) => answer.status === 413 && { ...answer, body: Buffer.from("<h1>413</h1>") },
    ),
  },
};
