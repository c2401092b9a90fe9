import type { FaultTable } from "../matrix.ts";
import {
  answering,
  answers,
  answersWithout,
  calling,
  calls,
  callsWith,
  type Change,
  made,
  refund,
  statuses,
  textOf,
  withCallText,
  withStatus,
  withText,
} from "./changes.ts";

const isToken = (path: string): boolean => path === "/v1/tokens";

/** Mistakes in authentication, inputs, customers and answers, by check and requirement. */
export const callFaults: FaultTable<Change> = {
  "provider/tokens P-AUTH-TOKEN: grants a token for any secret": answering((answer, { path }) =>
    isToken(path) && answer.status === 401 ? granted : answer,
  ),
  "provider/tokens P-AUTH-SCOPE: gives every token every scope": calls((text) =>
    text.replace(/^(grant_type=.*)&scope=[^&]*/, "$1"),
  ),
  "provider/token-expiry P-AUTH-TOKEN-EXPIRES: accepts expired tokens": answering((answer, call) =>
    answer.status === 401 && /^Bearer cst_[\w-]{43}$/.test(call.headers["authorization"] ?? "")
      ? withStatus(answer, 404)
      : answer,
  ),
  "provider/common-headers P-ANSWER-REQUEST-ID: sends no x-request-id": answersWithout(
    "x-request-id",
    () => true,
  ),
  "provider/rate-limits P-LIMIT-RATE: answers 429 without Retry-After": answersWithout(
    "retry-after",
    ({ status }) => status === 429,
  ),
  "provider/http-grammar P-INPUT-HTTP-GRAMMAR: compares the scheme of Authorization by case":
    callsWith(({ headers: { authorization = "" } }) =>
      authorization.startsWith("bearer") ? { authorization: "Unknown" } : {},
    ),
  "provider/common-headers P-AUTH-BEARER: answers 401 without WWW-Authenticate": answersWithout(
    "www-authenticate",
    ({ status }, { path }) => !isToken(path) && status !== 403,
  ),
  "provider/common-headers P-INPUT-MEDIA-TYPE: reads any media type as JSON": callsWith((call) =>
    isToken(call.path) ? {} : { "content-type": "application/json" },
  ),
  "provider/common-headers P-INPUT-ACCEPT: ignores Accept": callsWith(() => ({ accept: "*/*" })),
  "provider/common-headers P-AUTH-CHECKED-FIRST: checks the media type before the token": answering(
    (answer, { headers }) =>
      headers["content-type"] === "text/plain" && answer.status === 401
        ? withStatus(answer, 415)
        : answer,
  ),
  "provider/common-headers P-INPUT-HEADERS-MISSING: requires a Content-Type on GET": answering(
    (answer, { method, headers }) =>
      method === "GET" && !("content-type" in headers) && answer.status === 404
        ? withStatus(answer, 400)
        : answer,
  ),
  "provider/customers P-FOREIGN-404: reveals that another merchant's payment exists": answering(
    (answer, call) =>
      call.path === "/v1/refunds" && answer.status === 404 && /"pay_(?!that)/.test(textOf(call))
        ? withStatus(answer, 403)
        : answer,
  ),
  "provider/customers P-CUSTOMER-READ: omits a customer's account": answers((text) =>
    text.replace(/,"accountDetails":\{[^}]*\}/, ""),
  ),
  "provider/customers P-CUSTOMER-NOT-FOUND: answers an unknown customer with 400": statuses(
    404,
    400,
    /^GET \/v1\/customers/,
  ),
  "provider/customers P-CUSTOMER-TIMES: omits the milliseconds of times": answers((text) =>
    text.replaceAll(/\.\d{3}Z"/g, 'Z"'),
  ),
  "provider/valid-requests P-REFUND-REFERENCE: cuts the last character of a reference": answering(
    (answer, call) =>
      textOf(call).includes('"clientReferenceId"')
        ? withText(answer, (text) => text.replace(/("clientReferenceId":".+?)[^"\\]"/, '$1"'))
        : answer,
  ),
  "provider/valid-requests P-REFUND-REFERENCE-ALIAS: ignores the second spelling of a reference":
    calls((text) => text.replace(/,"clientRefefenceId":"(?:[^"\\]|\\.)*"/, "")),
  "provider/valid-requests P-REFUND-VALID: refuses a descriptor with a digit": calls((text) =>
    text.replace(/("softDescriptor":"[A-Za-z ]*)\d/, "$1_"),
  ),
  "provider/valid-requests P-ANSWER-SCHEMA: adds a member to its answers": answers((text) =>
    text.replace(/^\{/, '{"refundId":"1",'),
  ),
  "provider/invalid-requests P-INPUT-REFUSED: ignores unknown members": calls((text) =>
    text.replace(/,"unknownMember":"unknown"/, ""),
  ),
  "provider/invalid-requests P-INPUT-PRECISE: does not name the invalid member": answers((text) =>
    text.replace(/,"errors":\[.*?\]/, ""),
  ),
  "provider/invalid-requests P-SUBSCRIBE-SECRET: accepts secrets that can be guessed": calling(
    async (call, next) =>
      /"secretKey":"[^"]{1,23}"/.test(textOf(call))
        ? made(201, { subscriptionKey: "sub_1" })
        : next(call),
  ),
  "provider/invalid-requests P-REFUND-CURRENCY: treats other currencies as dollars": calls((text) =>
    text.replace(/"currency":"[^"]*"/, '"currency":"USD"'),
  ),
  "provider/invalid-requests P-ERROR-NO-SECRETS: repeats a secret that it refuses": answering(
    (answer, call) => {
      const secret = /"secretKey":"([^"]*)"/.exec(textOf(call))?.[1] ?? "";
      return withText(answer, (text) => text.replace(/"message":"/, `$&${secret} `));
    },
  ),
  "provider/invalid-requests P-SUBSCRIBE-URL: accepts any text as a URL": calling(
    async (call, next) => {
      const answer = await next(call);
      return call.path.endsWith("/subscribe") && textOf(answer).includes('"/url')
        ? next(withCallText(call, (text) => text.replace(/"url":"[^"]*"/, ELSEWHERE)))
        : answer;
    },
  ),
  "provider/invalid-requests P-REFUND-DESCRIPTOR: drops descriptors that it cannot send": calls(
    (text) => text.replace(/,"softDescriptor":(?:"(?:[^"\\]|\\.)*"|\d+)/, ""),
  ),
  "provider/invalid-requests P-SUBSCRIBE-DETAILS: treats an invalid selection as ALL": calling(
    async (call, next) => {
      const answer = await next(call);
      const said = textOf(answer);
      const isWrong = said.includes('"/subscriptionDetails') && !said.includes("UNKNOWN_EVENT");
      return answer.status === 400 && isWrong
        ? next(withCallText(call, (text) => text.replace(/"subscriptionDetails":\{[^}]*\}/, ALL)))
        : answer;
    },
  ),
  "provider/bodies P-INPUT-STRICT: uses the last of repeated members": calls((text) =>
    text.replace(/,"amount":\{"currency":"USD","value":2.00\}/, ""),
  ),
  "provider/bodies P-INPUT-JSON: accepts an empty body": calling(async (call, next) =>
    call.body === "" ? refund("PENDING") : next(call),
  ),
  "provider/bodies P-INPUT-SIZE: reads bodies of any length": calls((text) => text.trimEnd()),
  "provider/bodies P-INPUT-ENCODED: ignores Content-Encoding": calling((call, next) => {
    const { "content-encoding": _, ...headers } = call.headers;
    return next({ ...call, headers });
  }),
  "provider/bodies P-VERSION-PATH: answers paths without the version": calling((call, next) =>
    next({ ...call, path: call.path.replace(/^\/refunds/, "/v1/refunds") }),
  ),
  "provider/bodies P-INPUT-METHOD: answers 405 without Allow": answersWithout("allow", () => true),
};

const ELSEWHERE = '"url":"http://127.0.0.1:9/webhooks"';
const ALL = '"subscriptionDetails":{"type":"ALL"}';
const granted = made(200, {
  access_token: "made-up-made-up-made-up",
  token_type: "Bearer",
  expires_in: 3600,
  scope: "payments core",
});
