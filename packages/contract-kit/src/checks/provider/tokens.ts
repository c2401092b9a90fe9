import type { ProviderCheck } from "../../check.ts";
import { askToken, callWith, shown, textOf } from "../../harness/calls.ts";
import { basicOf, type Credentials } from "../../http-send.ts";
import { singleCheck, type Unseen } from "../../harness/scenario.ts";
import { maybe, openBeside, type Reading, type Session } from "../../harness/session.ts";
import { must } from "../../harness/judge.ts";

const TOKEN = "P-AUTH-TOKEN";
const SCOPE = "P-AUTH-SCOPE";
const EXPIRES = "P-AUTH-TOKEN-EXPIRES";

/** Nothing of the client's own: evidence shows it. */
const WRONG = "no-secret-of-any-client";

export const tokens: ProviderCheck = singleCheck({
  id: "provider/tokens",
  title: "a client gets a token only for its credentials, and a token opens only its scope",
  requirements: [TOKEN, SCOPE],
  play: async (session) => {
    const client = session.client();
    for (const by of ["basic", "body"] as const) {
      const granted = await askToken(session, { client, by });
      must(TOKEN, granted.status === 200, () => {
        return `credentials by ${by}: expected 200, got ${said(granted)}`;
      });
      must(TOKEN, /no-store/.test(granted.headers["cache-control"] ?? ""), () => {
        return `a token granted by ${by} may be cached: expected Cache-Control: no-store`;
      });
      const used = await callWith(session, granted.body["access_token"]);
      must(TOKEN, ![401, 403].includes(used.status), () => {
        return `the token that was granted by ${by} is refused: ${shown(used)}`;
      });
    }
    for (const [what, by, wrong] of [
      ["a wrong secret", "basic", { ...client, secret: WRONG }],
      ["a wrong secret", "body", { ...client, secret: WRONG }],
      ["an empty secret", "body", { ...client, secret: "" }],
      ["an unknown client", "basic", { ...client, id: "no-such-client" }],
    ] as const) {
      const answer = await askToken(session, { client: wrong, by });
      const isRefused = answer.status === 401 && answer.body["error"] === "invalid_client";
      must(TOKEN, isRefused || wrong.secret === "", () => {
        return `${what} by ${by}: expected 401 invalid_client, got ${said(answer)}`;
      });
      must(TOKEN, answer.status >= 400, () => `${what} by ${by}: a token was granted`);
      must(TOKEN, by === "body" || answer.headers["www-authenticate"] !== undefined, () => {
        return `${what} by ${by}: expected WWW-Authenticate, got none`;
      });
    }
    return requireScopes(session, client);
  },
});

async function requireScopes(session: Session, client: Credentials): Promise<Unseen | void> {
  const { profile } = session.target;
  const { statuses, subscription } = profile;
  const { payments, core } = profile.token.scopes;
  if (profile.payments !== true) return { [SCOPE]: "the profile has no payments" };
  if (payments === core) return { [SCOPE]: "the profile has only one scope" };
  const id = subscription.idIn === "path" ? "/sub_that_is_not_there" : "";
  const empty = (method: "POST" | "PUT", path: string) => (own: string) => {
    const headers = { authorization: `Bearer ${own}` };
    return session.call(method, path, { json: {}, headers });
  };
  const ofCore = [
    (own: string) => callWith(session, own),
    empty("POST", "/v1/webhook/subscribe"),
    empty("PUT", `/v1/webhook/unsubscribe${id}`),
  ];
  for (const [scope, calls] of [
    [payments, ofCore],
    [core, [empty("POST", "/v1/refunds")]],
  ] as const) {
    const granted = await askToken(session, { client, by: "basic", scope });
    if (granted.status === 400 && granted.body["error"] === "invalid_scope")
      return { [SCOPE]: `the client may not ask for the scope ${scope}` };
    for (const call of calls) {
      const answer = await call(String(granted.body["access_token"]));
      const challenge = answer.headers["www-authenticate"] ?? "";
      const isRefused =
        answer.status === statuses.forbidden && challenge.includes("insufficient_scope");
      must(SCOPE, isRefused, () => {
        return `a token with only the scope ${scope}: expected ${statuses.forbidden} insufficient_scope, got ${shown(answer)}`;
      });
    }
  }
  return undefined;
}

function said({ status, body }: Pick<Reading, "status" | "body">): string {
  return [String(status), body["error"]].filter((one) => typeof one === "string").join(" ");
}

/** Seconds before and after a token's end at which it is used: a call takes some time. */
const EDGE = 5;

export const tokenExpiry: ProviderCheck = singleCheck({
  id: "provider/token-expiry",
  title: "an access token is valid until the end of its lifetime and no longer",
  requirements: [EXPIRES],
  play: async (session) => {
    const { lifetimeSeconds } = session.target.profile.token;
    const client = await maybe(() => Promise.resolve().then(session.client));
    if (client !== undefined) {
      for (const by of ["basic", "body"] as const) {
        const { body } = await askToken(session, { client, by });
        must(EXPIRES, body["expires_in"] === lifetimeSeconds, () => {
          return `expires_in: expected ${lifetimeSeconds}, got ${String(body["expires_in"])}`;
        });
      }
    }
    for (const ageSeconds of [
      0,
      lifetimeSeconds - EDGE,
      lifetimeSeconds + 1,
      lifetimeSeconds * 2,
    ]) {
      const token = textOf(await session.state("a token", { ageSeconds }), "accessToken");
      const answer = await callWith(session, token);
      const isOver = ageSeconds > lifetimeSeconds;
      must(EXPIRES, (answer.status === 401) === isOver, () => {
        const wanted = isOver ? "401" : "no 401";
        return `a token of ${lifetimeSeconds} s, ${ageSeconds} s after it was granted: expected ${wanted}, got ${shown(answer)}`;
      });
    }
  },
});

const RATES = "P-LIMIT-RATE";

export const rateLimits: ProviderCheck = singleCheck({
  id: "provider/rate-limits",
  title: "calls beyond the profile's rates are answered 429 with Retry-After, per client",
  requirements: [RATES],
  play: async (session) => {
    const { payments, rateLimit, token } = session.target.profile;
    await session.state("a merchant with rate limits");
    const client = session.client();
    const headers = {
      authorization: `Basic ${basicOf(client)}`,
      "content-type": "application/x-www-form-urlencoded",
    };
    const text = "grant_type=client_credentials";
    const bursts = [
      {
        what: "tokens",
        calls: rateLimit.tokensPerMinute,
        perMs: 60_000,
        call: () => session.call("POST", token.path, { text, headers, isUnjudged: true }),
      },
      payments === true
        ? {
            what: "refunds",
            calls: rateLimit.refundsPerSecond,
            perMs: 1000,
            call: () => session.call("POST", "/v1/refunds", { json: {} }),
          }
        : {
            what: "subscriptions",
            calls: rateLimit.othersPerSecond,
            perMs: 1000,
            call: () => callWith(session, session.token),
          },
    ];
    for (const { what, calls, perMs, call } of bursts) {
      const startedAt = performance.now();
      const answers = await Promise.all(Array.from({ length: calls * 2 }, call));
      const refilled = Math.ceil(((performance.now() - startedAt) / perMs) * calls);
      const refused = answers.filter(({ status }) => status === 429);
      const taken = answers.length - refused.length;
      must(RATES, taken >= calls && taken <= calls + refilled + 1, () => {
        return `${answers.length} calls for ${what} at once: expected ${calls} to be taken, got ${taken}`;
      });
      for (const { headers: got } of refused) {
        const { "retry-after": after = "" } = got;
        const isTold = /^[1-9]\d*$/.test(after) || !Number.isNaN(Date.parse(after));
        must(RATES, isTold, () => {
          return `429 for ${what}: expected Retry-After in seconds or as a date, got ${after || "none"}`;
        });
      }
    }
    const other = await openBeside(session);
    const answer = await (other && callWith(other, other.token));
    must(RATES, answer?.status !== 429, () => "another client is answered 429 too");
  },
});
