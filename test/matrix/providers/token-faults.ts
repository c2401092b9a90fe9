import type { HttpAnswer } from "@countersign/contract-kit";
import { statuses, withText, type Broken } from "./fault-kinds.ts";

const isToken = (path: string): boolean => path === "/v1/tokens";

const granted: HttpAnswer = {
  status: 200,
  headers: { "content-type": "application/json" },
  body: Buffer.from(
    '{"access_token":"made-up-made-up-made-up","token_type":"Bearer","expires_in":3600,"scope":"payments core"}',
  ),
};

/** Of the token endpoint, and of what a token opens. */
export const tokenFaults: readonly Broken[] = [
  {
    check: "provider/tokens",
    requirement: "P-AUTH-TOKEN",
    what: "grants a token to any secret",
    isQuick: true,
    fault: () => async (call, next) => {
      const answer = await next(call);
      return isToken(call.path) && answer.status === 401 ? granted : answer;
    },
  },
  {
    check: "provider/tokens",
    requirement: "P-AUTH-TOKEN",
    what: "reads credentials in HTTP Basic alone",
    fault: () => (call, next) =>
      next(
        isToken(call.path)
          ? {
              ...call,
              body: Buffer.from(call.body ?? "")
                .toString()
                .replace(/&client_secret=.*/, "&client_secret=x"),
            }
          : call,
      ),
  },
  {
    check: "provider/tokens",
    requirement: "P-AUTH-TOKEN",
    what: "answers wrong credentials 400",
    fault: () => async (call, next) => {
      const answer = await next(call);
      return isToken(call.path) && answer.status === 401 ? { ...answer, status: 400 } : answer;
    },
  },
  {
    check: "provider/tokens",
    requirement: "P-AUTH-TOKEN",
    what: "does not say by what a client is known",
    fault: () => async (call, next) => {
      const answer = await next(call);
      const { "www-authenticate": _, ...headers } = answer.headers;
      return isToken(call.path) ? { ...answer, headers } : answer;
    },
  },
  {
    check: "provider/tokens",
    requirement: "P-AUTH-SCOPE",
    what: "gives every token every scope",
    isQuick: true,
    fault: () => async (call, next) =>
      next(
        isToken(call.path)
          ? {
              ...call,
              body: Buffer.from(call.body ?? "")
                .toString()
                .replace(/&scope=[^&]*/, ""),
            }
          : call,
      ),
  },
  {
    check: "provider/tokens",
    requirement: "P-AUTH-SCOPE",
    what: "answers a token without the scope 404",
    fault: statuses(403, 404),
  },
  {
    check: "provider/token-expiry",
    requirement: "P-AUTH-TOKEN-EXPIRES",
    what: "takes tokens for ever",
    isQuick: true,
    fault: () => {
      const good = new Map<string, HttpAnswer>();
      return async (call, next) => {
        const answer = await next(call);
        const { authorization = "" } = call.headers;
        const name = `${authorization} ${call.method} ${call.path}`;
        if (!authorization.startsWith("Bearer ")) return answer;
        if (answer.status !== 401) good.set(name, answer);
        return answer.status === 401 ? (good.get(name) ?? answer) : answer;
      };
    },
  },
  {
    check: "provider/token-expiry",
    requirement: "P-AUTH-TOKEN-EXPIRES",
    what: "promises a longer life than it gives",
    fault: () => async (call, next) => {
      const answer = await next(call);
      return isToken(call.path)
        ? withText(answer, (text) => text.replace('"expires_in":3600', '"expires_in":86400'))
        : answer;
    },
  },
  {
    check: "provider/selection",
    requirement: "P-SUBSCRIBE-SELECT",
    what: "takes a category for the first word of names",
    isQuick: true,
    fault: () => (call, next) =>
      next({
        ...call,
        body: Buffer.from(call.body ?? "")
          .toString()
          .replace(/"type":"CATEGORY","details":\["PAYMENT"\]/, PAYMENT_NAMES),
      }),
  },
];

const PAYMENT_NAMES = `"type":"EVENT","details":["payment.created","payment.authorized","payment.succeeded","payment.failed","payment.canceled"]`;
