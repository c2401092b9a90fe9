import type { ProviderCheck } from "../../check.ts";
import {
  onlyEvent,
  emit,
  newSecret,
  subscribe,
  typesOf,
  unsubscribe,
} from "../../harness/calls.ts";
import { idOf, isGenuine, requireGenuine, requireKnown } from "../../harness/delivered-events.ts";
import { singleCheck } from "../../harness/scenario.ts";
import { maybe, settled, type Session } from "../../harness/session.ts";
import { must } from "../../harness/judge.ts";
import type { Place } from "../../target.ts";

const SELECT = "P-SUBSCRIBE-SELECT";

export const deliveries: ProviderCheck = singleCheck({
  id: "provider/deliveries",
  title: "each event of the catalogue arrives with a signature over its bytes, and fits its schema",
  requirements: [
    "P-EVENT-HEADERS",
    "P-EVENT-SIGNED",
    "P-EVENT-TIMESTAMP",
    "P-EVENT-CATALOGUE",
    "P-EVENT-SCHEMA",
    SELECT,
  ],
  play: async (session) => {
    const { profile } = session.target;
    // A secret in the scheme's format, and other texts up to the maximum length.
    const isStandard = profile.signature.scheme === "standard-webhooks";
    const encoded = `whsec_${Buffer.from(newSecret(session)).toString("base64")}`;
    const longest = newSecret(session).padEnd(profile.limits.secretKey.maximum, "x");
    const secrets = [newSecret(session), longest, ...(isStandard ? [encoded] : [])];
    const places = await Promise.all(
      secrets.map(async (secretKey) => {
        const place = session.receive();
        await subscribe(session, { requirement: SELECT, url: place.url, secretKey });
        return { place, secretKey };
      }),
    );
    const emitted = [];
    for (const type of typesOf(profile)) emitted.push({ type, id: await emit(session, type) });
    // Signatures cover bytes: a body with non-ASCII letters has more bytes than letters.
    const person = { status: "ACTIVE", firstName: "Zoë", lastName: "李" };
    if (profile.payments === true) await maybe(() => session.state("a customer", person));
    await settled(session);
    for (const { place, secretKey } of places) {
      const missing = await missingOf(session, place, emitted);
      // Check what arrived first: an unreadable event does not count as delivered.
      for (const attempt of place.attempts) {
        requireGenuine(attempt, secretKey, profile);
        requireKnown(attempt.body, session.target);
      }
      must(SELECT, missing.length === 0, () => `not delivered in time: ${missing.join(", ")}`);
    }
  },
});

async function missingOf(
  { target }: Session,
  place: Place,
  emitted: readonly { readonly type: string; readonly id: string }[],
): Promise<readonly string[]> {
  const missing = (): readonly string[] => {
    const come = new Set(place.attempts.map(({ body }) => idOf(body, target.profile)));
    return emitted.filter(({ id }) => !come.has(id)).map(({ type }) => type);
  };
  await place.until(() => missing().length === 0, target.receiver?.deliveryMs ?? 0);
  return missing();
}

const ROTATION = "P-EVENT-ROTATION";

export const secrets: ProviderCheck = singleCheck({
  id: "provider/secrets",
  title: "two subscriptions of one URL are each signed with their own secret, until one ends",
  requirements: [ROTATION, "P-UNSUBSCRIBE-SUBTRACT"],
  play: async (session) => {
    const { profile, receiver } = session.target;
    const place = session.receive();
    const [type = ""] = typesOf(profile);
    const [old, next] = [newSecret(session), newSecret(session)];
    const common = { requirement: ROTATION, url: place.url };
    const key = await subscribe(session, { ...common, secretKey: old });
    await subscribe(session, { ...common, secretKey: next });

    const signers = (id: string): readonly string[] =>
      place.attempts
        .filter(({ body }) => idOf(body, profile) === id)
        .map((attempt) => {
          const by = [old, next].filter((secret) => isGenuine(attempt, secret, profile));
          return by.length === 1
            ? by[0] === old
              ? "the first"
              : "the second"
            : "neither, or both";
        })
        .toSorted();
    const list = (id: string): string =>
      signers(id)
        .map((one) => `one by ${one}`)
        .join(" and ") || "nothing";
    const both = await emit(session, type);
    await place.until(() => signers(both).length >= 2, receiver?.deliveryMs ?? 0);
    await settled(session);
    must(ROTATION, signers(both).join() === "the first,the second", () => {
      return `expected an attempt by the first secret and one by the second, got ${list(both)}`;
    });
    await unsubscribe(session, { key });
    const later = await emit(session, type);
    await place.until(() => signers(later).length >= 1, receiver?.deliveryMs ?? 0);
    await settled(session);
    must(ROTATION, signers(later).join() === "the second", () => {
      return `after the first ended: expected one by the second secret, got ${list(later)}`;
    });
  },
});

const ISOLATED = "P-EVENT-ISOLATED";
/** More events than a sender has in flight to one receiver. */
const EVENTS = 24;

export const slowReceivers: ProviderCheck = singleCheck({
  id: "provider/slow-receivers",
  title: "a silent receiver does not delay another one's events",
  requirements: [ISOLATED],
  play: async (session) => {
    const [silent, well] = [session.receive(() => "silence"), session.receive()];
    const [type = ""] = typesOf(session.target.profile);
    const details = onlyEvent(type);
    for (const { url } of [silent, well])
      await subscribe(session, { requirement: ISOLATED, url, details });
    const emitted = await Promise.all(
      Array.from({ length: EVENTS }, async () => ({ type, id: await emit(session, type) })),
    );
    const limit = session.target.receiver?.deliveryMs ?? 0;
    const hasBegun = await silent.until((all) => all.length > 0, limit);
    must(ISOLATED, hasBegun, () => "no attempt arrived at the silent receiver");
    const missing = await missingOf(session, well, emitted);
    must(ISOLATED, missing.length === 0, () => {
      return `while another receiver was silent: ${missing.length} of ${EVENTS} events did not come in time`;
    });
  },
});
