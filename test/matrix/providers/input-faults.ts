import {
  bodyOf,
  answers,
  calls,
  refund,
  withCallText,
  withText,
  type Broken,
} from "./fault-kinds.ts";

/** Of what a call is made of. */
export const inputFaults: readonly Broken[] = [
  {
    check: "provider/valid-requests",
    requirement: "P-REFUND-REFERENCE",
    what: "cuts the last character of a reference",
    fault: () => async (call, next) => {
      const answer = await next(call);
      return bodyOf(call).includes('"clientReferenceId"')
        ? withText(answer, (text) => text.replace(/("clientReferenceId":".+?)[^"\\]"/, '$1"'))
        : answer;
    },
  },
  {
    check: "provider/valid-requests",
    requirement: "P-REFUND-REFERENCE-ALIAS",
    what: "does not know the second spelling",
    fault: calls((text) => text.replace(/,"clientRefefenceId":"(?:[^"\\]|\\.)*"/, "")),
  },
  {
    check: "provider/valid-requests",
    requirement: "P-REFUND-VALID",
    what: "refuses a descriptor with a digit",
    fault: calls((text) => text.replace(/("softDescriptor":"[A-Za-z ]*)\d/, "$1_")),
  },
  {
    check: "provider/valid-requests",
    requirement: "P-ANSWER-SCHEMA",
    what: "adds a member to its answers",
    isQuick: true,
    fault: answers((text) => text.replace(/^\{/, '{"refundId":"1",')),
  },
  {
    check: "provider/valid-requests",
    requirement: "P-ANSWER-SCHEMA",
    what: "answers in another media type",
    fault: () => async (call, next) => ({
      ...(await next(call)),
      headers: { "content-type": "text/html" },
    }),
  },
  {
    check: "provider/invalid-requests",
    requirement: "P-INPUT-REFUSED",
    what: "passes over members that it does not know",
    isQuick: true,
    fault: calls((text) => text.replace(/,"unknownMember":"unknown"/, "")),
  },
  {
    check: "provider/invalid-requests",
    requirement: "P-INPUT-PRECISE",
    what: "does not say which member is wrong",
    fault: answers((text) => text.replace(/,"errors":\[.*?\]/, "")),
  },
  {
    check: "provider/bodies",
    requirement: "P-INPUT-STRICT",
    what: "takes the last of two members",
    isQuick: true,
    fault: calls((text) => text.replace(/,"amount":\{"currency":"USD","value":2.00\}/, "")),
  },
  {
    check: "provider/bodies",
    requirement: "P-INPUT-JSON",
    what: "takes an empty body",
    fault: () => async (call, next) => (call.body === "" ? refund("PENDING") : next(call)),
  },
  {
    check: "provider/bodies",
    requirement: "P-INPUT-SIZE",
    what: "reads bodies of any length",
    fault: calls((text) => text.trimEnd()),
  },
  {
    check: "provider/bodies",
    requirement: "P-INPUT-ENCODED",
    what: "passes over the content coding",
    fault: () => (call, next) => {
      const { "content-encoding": _, ...headers } = call.headers;
      return next({ ...call, headers });
    },
  },
  {
    check: "provider/bodies",
    requirement: "P-VERSION-PATH",
    what: "answers without the version in the path",
    fault: () => (call, next) =>
      next({ ...call, path: call.path.replace(/^\/refunds/, "/v1/refunds") }),
  },
  {
    check: "provider/bodies",
    requirement: "P-INPUT-METHOD",
    what: "answers 405 without Allow",
    fault: () => async (call, next) => {
      const answer = await next(call);
      const { allow: _, ...headers } = answer.headers;
      return { ...answer, headers };
    },
  },
  {
    check: "provider/invalid-requests",
    requirement: "P-SUBSCRIBE-SECRET",
    what: "takes secrets that can be guessed",
    fault: () => async (call, next) => {
      const isShort = /"secretKey":"[^"]{1,23}"/.test(Buffer.from(call.body ?? "").toString());
      return isShort
        ? { ...refund("PENDING"), body: Buffer.from('{"subscriptionKey":"sub_1"}') }
        : next(call);
    },
  },
  {
    check: "provider/invalid-requests",
    requirement: "P-REFUND-CURRENCY",
    what: "takes other currencies for dollars",
    fault: calls((text) => text.replace(/"currency":"[^"]*"/, '"currency":"USD"')),
  },
  {
    check: "provider/invalid-requests",
    requirement: "P-ERROR-NO-SECRETS",
    what: "repeats a secret that it refuses",
    fault: () => async (call, next) => {
      const secret =
        /"secretKey":"([^"]*)"/.exec(Buffer.from(call.body ?? "").toString())?.[1] ?? "";
      const answer = await next(call);
      return withText(answer, (text) => text.replace(/"message":"/, `$&${secret} `));
    },
  },
  {
    check: "provider/invalid-requests",
    requirement: "P-SUBSCRIBE-URL",
    what: "takes any text for an address",
    fault: () => async (call, next) => {
      const answer = await next(call);
      const isWrong = Buffer.from(answer.body).includes('"/url');
      return call.path.endsWith("/subscribe") && answer.status === 400 && isWrong
        ? next(withCallText(call, (text) => text.replace(/"url":"[^"]*"/, ELSEWHERE)))
        : answer;
    },
  },
  {
    check: "provider/invalid-requests",
    requirement: "P-REFUND-DESCRIPTOR",
    what: "drops descriptors that it cannot send",
    fault: calls((text) => text.replace(/,"softDescriptor":(?:"(?:[^"\\]|\\.)*"|\d+)/, "")),
  },
  {
    check: "provider/invalid-requests",
    requirement: "P-SUBSCRIBE-DETAILS",
    what: "takes what it does not understand for ALL",
    fault: () => async (call, next) => {
      const answer = await next(call);
      const said = Buffer.from(answer.body).toString();
      const isWrong = said.includes('"/subscriptionDetails') && !said.includes("UNKNOWN_EVENT");
      return answer.status === 400 && isWrong
        ? next(
            withCallText(call, (text) =>
              text.replace(
                /"subscriptionDetails":\{[^}]*\}/,
                '"subscriptionDetails":{"type":"ALL"}',
              ),
            ),
          )
        : answer;
    },
  },
];

const ELSEWHERE = '"url":"http://127.0.0.1:9/webhooks"';
