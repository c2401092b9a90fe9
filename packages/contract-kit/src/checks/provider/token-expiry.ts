import { setTimeout } from "node:timers/promises";
import type { ProviderCheck } from "../../check.ts";
import { shown } from "./refunds.ts";
import { playOnce, type Unseen } from "../../harness/scenario.ts";
import type { Session } from "../../harness/session.ts";
import { askToken, callWith } from "./token-calls.ts";
import { must } from "../../harness/violation.ts";

const REQUIREMENT = "P-AUTH-TOKEN-EXPIRES";
const requirements = [REQUIREMENT, "P-ANSWER-SCHEMA"];

/** Seconds of a token's life that a slow run waits for. */
const SLOW_SECONDS = 60;

/** A token before and after its end, which is real time. */
export const tokenExpiry: ProviderCheck = {
  id: "provider/token-expiry",
  title: "an access token is good until the end of its lifetime and no longer",
  role: "provider",
  requirements,
  run: (target, context) => playOnce({ requirements, needs: ["client"], play }, target, context),
};

async function play(session: Session): Promise<Unseen | void> {
  const { client, slow = false } = session.target;
  const expire = session.controls.tokens?.expire;
  if (client === undefined)
    return { [REQUIREMENT]: "the target's merchant has no client that may ask for tokens" };
  const { lifetimeSeconds } = session.target.profile.token;
  if (expire === undefined && (!slow || lifetimeSeconds > SLOW_SECONDS))
    return { [REQUIREMENT]: `a token lives for ${lifetimeSeconds} s, and no control ends it` };

  const { body } = await askToken(session, { client, by: "basic" });
  const [token, seconds] = [String(body["access_token"]), Number(body["expires_in"])];
  must(REQUIREMENT, seconds === lifetimeSeconds, () => {
    return `expires_in: ${lifetimeSeconds} expected, ${seconds} came`;
  });
  const during = await callWith(session, token);
  must(REQUIREMENT, during.status !== 401, () => `a new token is refused: ${shown(during)}`);
  if (expire === undefined) await setTimeout(seconds * 1000 + 50);
  else await expire(token);
  const after = await callWith(session, token);
  must(REQUIREMENT, after.status === 401, () => {
    return `a token at the end of its ${seconds} s: 401 expected, ${shown(after)} came`;
  });
  return undefined;
}
