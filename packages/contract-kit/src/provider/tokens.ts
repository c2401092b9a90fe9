import type { ProviderCheck } from "../check.ts";
import { requestToken, callWith, UNKNOWN_CUSTOMER, textOf, UNKNOWN_SUBSCRIPTION } from "./calls.ts";
import { providerCheck } from "./provider-check.ts";
import { type Session, summary } from "./session.ts";
import { basicOf } from "../http-send.ts";

const TOKEN = "P-AUTH-TOKEN";
const SCOPE = "P-AUTH-SCOPE";
const EXPIRES = "P-AUTH-TOKEN-EXPIRES";

/** Nothing of the client's own: evidence shows it. */
const WRONG = "no-secret-of-any-client";

export const tokens: ProviderCheck = providerCheck({
  id: "provider/tokens",
  title: "a client gets a token only for its credentials, and a token opens only its scope",
  run: async (session) => {
    const { client } = session;
    const granted: (readonly [by: string, token: unknown])[] = [];
    for (const by of ["basic", "body"] as const) {
      const answer = await requestToken(session, by);
      if (!session.expectStatus(TOKEN, `credentials by ${by}`, answer, 200)) continue;
      const mayBeCached = `a token granted by ${by} may be cached: expected Cache-Control: no-store`;
      session.expect(TOKEN, /no-store/.test(answer.headers["cache-control"] ?? ""), mayBeCached);
      granted.push([by, answer.body["access_token"]]);
    }
    // A later token leaves the earlier one valid: each process of a merchant asks for its own.
    for (const [by, token] of granted) {
      const used = await callWith(session, token);
      const unusable = `the token that was granted by ${by} is refused: ${summary(used)}`;
      session.expect(TOKEN, ![401, 403].includes(used.status), unusable);
    }
    for (const [what, by, wrong] of [
      ["a wrong secret", "basic", { secret: WRONG }],
      ["a wrong secret", "body", { secret: WRONG }],
      ["an empty secret", "body", { secret: "" }],
      ["an unknown client", "basic", { id: "no-such-client" }],
    ] as const) {
      const answer = await requestToken(session, by, { client: { ...client, ...wrong } });
      const { error } = answer.body;
      const isInvalid = answer.status === 401 && error === "invalid_client";
      const isRefused = isInvalid || (what === "an empty secret" && answer.status >= 400);
      const wronglyGranted = `${what} by ${by}: expected 401 invalid_client, got ${answer.status} ${String(error)}`;
      session.expect(TOKEN, isRefused, wronglyGranted);
      const isChallenged = by === "body" || answer.headers["www-authenticate"] !== undefined;
      session.expect(TOKEN, isChallenged, `${what} by ${by}: expected WWW-Authenticate, got none`);
    }
    await expectScopes(session);
  },
});

/** A token of one scope must not open the other scope's calls. */
async function expectScopes(session: Session): Promise<void> {
  const { statuses, subscription, token } = session.profile;
  const { payments, core } = token.scopes;
  if (payments === core) return session.notApplicable(SCOPE, "the profile has only one scope");
  const id = subscription.idIn === "path" ? `/${UNKNOWN_SUBSCRIPTION}` : "";
  const ofCore = [
    ["GET", `/v1/customers/${UNKNOWN_CUSTOMER}`],
    ["POST", "/v1/webhook/subscribe"],
    ["PUT", `/v1/webhook/unsubscribe${id}`],
  ] as const;
  for (const [scope, calls] of [
    [payments, ofCore],
    [core, [["POST", "/v1/refunds"]]],
  ] as const) {
    const granted = await requestToken(session, "basic", { scope });
    if (granted.status === 400 && granted.body["error"] === "invalid_scope")
      return session.notApplicable(SCOPE, `the client may not ask for the scope ${scope}`);
    const headers = { authorization: `Bearer ${String(granted.body["access_token"])}` };
    for (const [method, path] of calls) {
      const text = { ...(method !== "GET" && { text: "{}" }) };
      const answer = await session.call(method, path, { headers, ...text });
      const isNamed = answer.headers["www-authenticate"]?.includes("insufficient_scope") === true;
      const { forbidden } = statuses;
      const unscoped = `a token with only the scope ${scope}: expected ${forbidden} insufficient_scope, got ${summary(answer)}`;
      session.expect(SCOPE, answer.status === forbidden && isNamed, unscoped);
    }
  }
}

/** Seconds before and after a token's end at which it is used: a call takes some time. */
const EDGE = 5;

export const tokenExpiry: ProviderCheck = providerCheck({
  id: "provider/token-expiry",
  title: "an access token is valid until the end of its lifetime and no longer",
  run: async (session) => {
    const { lifetimeSeconds: life } = session.profile.token;
    if (session.target.client !== undefined)
      for (const by of ["basic", "body"] as const) {
        const { expires_in: seconds } = (await requestToken(session, by)).body;
        session.expectEqual(EXPIRES, "expires_in", seconds, life);
      }
    for (const ageSeconds of [0, life - EDGE, life + 1, life * 2]) {
      const startedAt = performance.now();
      const token = textOf(await session.state("a token", { ageSeconds }), "accessToken");
      const answer = await callWith(session, token);
      const isOver = ageSeconds > life;
      // A slow target may have answered after the end.
      const latest = ageSeconds + Math.ceil((performance.now() - startedAt) / 1000);
      if (!isOver && latest >= life) continue;
      const wanted = isOver ? "401" : "no 401";
      const untimely = `a token of ${life} s, ${ageSeconds} s after it was granted: expected ${wanted}, got ${summary(answer)}`;
      session.expect(EXPIRES, (answer.status === 401) === isOver, untimely);
    }
  },
});

const RATES = "P-LIMIT-RATE";

export const rateLimits: ProviderCheck = providerCheck({
  id: "provider/rate-limits",
  title: "calls beyond the profile's rates are answered 429 with Retry-After, per client",
  run: async (session) => {
    const { rateLimit, token } = session.profile;
    await session.state("a merchant with rate limits");
    const asking = {
      text: "grant_type=client_credentials",
      headers: {
        authorization: `Basic ${basicOf(session.client)}`,
        "content-type": "application/x-www-form-urlencoded",
      },
      isUnchecked: true,
      isUnpaced: true,
    };
    for (const [what, calls, perMs, path, options] of [
      ["tokens", rateLimit.tokensPerMinute, 60_000, token.path, asking],
      ["refunds", rateLimit.refundsPerSecond, 1000, "/v1/refunds", { json: {}, isUnpaced: true }],
    ] as const) {
      const startedAt = performance.now();
      const answers = await Promise.all(
        Array.from({ length: calls * 2 }, () => session.call("POST", path, options)),
      );
      const refilled = Math.ceil(((performance.now() - startedAt) / perMs) * calls);
      const refused = answers.filter(({ status }) => status === 429);
      const taken = answers.length - refused.length;
      const miscounted = `${answers.length} calls for ${what} at once: expected ${calls} to be taken, got ${taken}`;
      session.expect(RATES, taken >= calls && taken <= calls + refilled + 1, miscounted);
      for (const { headers } of refused) {
        const { "retry-after": after = "" } = headers;
        const isPrecise = /^[1-9]\d*$/.test(after) || !Number.isNaN(Date.parse(after));
        const vague = `429 for ${what}: expected Retry-After in seconds or as a date, got ${after || "none"}`;
        session.expect(RATES, isPrecise, vague);
      }
    }
    const other = await session.other();
    const answer = await (other && callWith(other, other.token, true));
    session.expect(RATES, answer?.status !== 429, "another client is answered 429 too");
  },
});
