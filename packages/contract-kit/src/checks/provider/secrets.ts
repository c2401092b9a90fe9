import type { ProviderCheck } from "../../check.ts";
import { idOf } from "../../harness/delivered-event.ts";
import { isGenuine } from "../../harness/genuine-attempt.ts";
import { settled } from "../../harness/passing-time.ts";
import { playOnce } from "../../harness/scenario.ts";
import type { Session } from "../../harness/session.ts";
import { newSecret, subscribe, unsubscribe } from "./subscription-calls.ts";
import { must } from "../../harness/violation.ts";

const ROTATION = "P-EVENT-ROTATION";
const requirements = [ROTATION, "P-UNSUBSCRIBE-SUBTRACT", "P-ANSWER-SCHEMA"];

/** A secret is replaced: a second subscription of the same url, then an end of the first. */
export const secrets: ProviderCheck = {
  id: "provider/secrets",
  title: "two subscriptions of one url are each signed for with their own secret, until one ends",
  role: "provider",
  requirements,
  run: (target, context) =>
    playOnce({ requirements, needs: ["events", "receiver"], play }, target, context),
};

async function play(session: Session): Promise<void> {
  const { target, controls } = session;
  const { profile } = target;
  const limit = target.receiver?.deliveryMs ?? 0;
  const place = session.receive();
  const [type = ""] = profile.catalogue.map((row) => row.type);
  const [old, next] = [newSecret(session), newSecret(session)];
  const key = await subscribe(session, { requirement: ROTATION, url: place.url, secretKey: old });
  await subscribe(session, { requirement: ROTATION, url: place.url, secretKey: next });

  const signers = (id: string | undefined): readonly string[] =>
    place.attempts
      .filter(({ body }) => idOf(body, profile) === id)
      .map((attempt) => {
        const by = [old, next].filter((secret) => isGenuine(attempt, secret, profile));
        return by.length === 1 ? (by[0] === old ? "the first" : "the second") : "neither, or both";
      })
      .toSorted();
  const both = await controls.events?.emit(type);
  await place.until(() => signers(both).length >= 2, limit);
  await settled(session);
  must(ROTATION, signers(both).join() === "the first,the second", () => {
    return `an attempt by the first secret and one by the second expected, ${list(signers(both))} came`;
  });

  await unsubscribe(session, { key });
  const later = await controls.events?.emit(type);
  await place.until(() => signers(later).length >= 1, limit);
  await settled(session);
  must(ROTATION, signers(later).join() === "the second", () => {
    return `after the first ended: one by the second secret expected, ${list(signers(later))} came`;
  });
}

function list(signers: readonly string[]): string {
  return signers.length === 0 ? "nothing" : signers.map((one) => `one by ${one}`).join(" and ");
}
