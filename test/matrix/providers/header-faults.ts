import { answers, statuses, bodyOf, withText, type Broken } from "./fault-kinds.ts";

/** Of headers and customers. */
export const headerFaults: readonly Broken[] = [
  {
    check: "provider/common-headers",
    requirement: "P-AUTH-BEARER",
    what: "answers a stranger 403",
    isQuick: true,
    fault: statuses(401, 403, /^(?!POST \/v1\/tokens)/),
    also: { "P-AUTH-TOKEN-EXPIRES": "a token at its end is a stranger's" },
  },
  {
    check: "provider/common-headers",
    requirement: "P-AUTH-BEARER",
    what: "does not say how to authenticate",
    fault: () => async (call, next) => {
      const answer = await next(call);
      const { "www-authenticate": _, ...headers } = answer.headers;
      return call.path === "/v1/tokens" || answer.status === 403 ? answer : { ...answer, headers };
    },
  },
  {
    check: "provider/common-headers",
    requirement: "P-INPUT-MEDIA-TYPE",
    what: "guesses at the body's form",
    isQuick: true,
    fault: () => (call, next) =>
      next(
        call.path === "/v1/tokens"
          ? call
          : { ...call, headers: { ...call.headers, "content-type": "application/json" } },
      ),
  },
  {
    check: "provider/common-headers",
    requirement: "P-INPUT-ACCEPT",
    what: "answers in what was not asked for",
    fault: () => (call, next) => next({ ...call, headers: { ...call.headers, accept: "*/*" } }),
  },
  {
    check: "provider/customers",
    requirement: "P-FOREIGN-404",
    what: "tells that another merchant's payment is there",
    fault: () => async (call, next) => {
      const answer = await next(call);
      const isTheirs =
        call.path === "/v1/refunds" && answer.status === 404 && /"pay_(?!that)/.test(bodyOf(call));
      return isTheirs
        ? { ...withText(answer, (text) => text.replaceAll("404", "403")), status: 403 }
        : answer;
    },
    also: { "P-REFUND-NOT-FOUND": "another merchant's payment is one that this one does not have" },
  },
  {
    check: "provider/customers",
    requirement: "P-CUSTOMER-READ",
    what: "leaves the account out",
    isQuick: true,
    fault: answers((text) => text.replace(/,"accountDetails":\{[^}]*\}/, "")),
  },
  {
    check: "provider/customers",
    requirement: "P-CUSTOMER-NOT-FOUND",
    what: "answers an unknown customer 400",
    fault: statuses(404, 400, /^GET \/v1\/customers/),
    also: { "P-INPUT-HEADERS-TOLERANT": "it is seen by a look-up of nobody" },
  },
  {
    check: "provider/common-headers",
    requirement: "P-AUTH-CHECKED-FIRST",
    what: "judges the media type before the token",
    fault: () => async (call, next) => {
      const answer = await next(call);
      const isWrong = call.headers["content-type"] === "text/plain" && answer.status === 401;
      return isWrong
        ? { ...withText(answer, (text) => text.replaceAll("401", "415")), status: 415 }
        : answer;
    },
  },
  {
    check: "provider/customers",
    requirement: "P-CUSTOMER-TIMES",
    what: "leaves the milliseconds out",
    fault: answers((text) => text.replaceAll(/\.\d{3}Z"/g, 'Z"')),
  },
  {
    check: "provider/common-headers",
    requirement: "P-INPUT-HEADERS-TOLERANT",
    what: "asks a GET for the media type of no body",
    fault: () => async (call, next) => {
      const answer = await next(call);
      return call.method === "GET" && !("content-type" in call.headers) && answer.status === 404
        ? { ...withText(answer, (text) => text.replaceAll("404", "400")), status: 400 }
        : answer;
    },
  },
];
