import type { ProviderCheck } from "../../check.ts";
import {
  emit,
  newSecret,
  onlyEvent,
  subscribe,
  typesOf,
  unsubscribe,
} from "../../harness/calls.ts";
import {
  attemptsById,
  isGenuine,
  missingAt,
  requireGenuine,
  requireKnown,
} from "../../harness/delivered-events.ts";
import { must, mustBe } from "../../harness/judge.ts";
import { providerCheck } from "../../harness/scenario.ts";
import { maybe } from "../../harness/session.ts";

const SELECT = "P-SUBSCRIBE-SELECT";

export const deliveries: ProviderCheck = providerCheck({
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
    const { profile } = session;
    // A secret in the scheme's format, and other texts up to the maximum length.
    const isStandard = profile.provider.signature.key === "whsec";
    const encoded = `whsec_${Buffer.from(newSecret(session)).toString("base64")}`;
    const longest = newSecret(session).padEnd(profile.limits.secretKey.maximum, "x");
    const secrets = [newSecret(session), longest, ...(isStandard ? [encoded] : [])];
    const subscribed = await Promise.all(
      secrets.map((secretKey) => subscribe(session, SELECT, { secretKey })),
    );
    const emitted = [];
    for (const type of typesOf(profile)) emitted.push({ type, id: await emit(session, type) });
    // Signatures cover bytes: a body with non-ASCII letters has more bytes than letters.
    const person = { status: "ACTIVE", firstName: "Zoë", lastName: "李" };
    if (profile.payments === true) await maybe(session.state("a customer", person));
    await session.settled();
    for (const { place, secretKey } of subscribed) {
      const missing = await missingAt(place, emitted, profile);
      // Check what arrived first: an unreadable event does not count as delivered.
      for (const attempt of place.attempts) {
        requireGenuine(attempt, secretKey, profile);
        requireKnown(attempt.body, { profile, additions: session.target.additions });
      }
      must(SELECT, missing.length === 0, () => {
        return `not delivered in time: ${missing.map(({ type }) => type).join(", ")}`;
      });
    }
  },
});

const ROTATION = "P-EVENT-ROTATION";

export const secrets: ProviderCheck = providerCheck({
  id: "provider/secrets",
  title: "two subscriptions of one URL are each signed with their own secret, until one ends",
  requirements: [ROTATION, "P-UNSUBSCRIBE-SUBTRACT"],
  play: async (session) => {
    const { profile } = session;
    const [type] = typesOf(profile);
    const old = await subscribe(session, ROTATION);
    const { place } = old;
    const next = await subscribe(session, ROTATION, { place });

    const signerOf = (attempt: (typeof place.attempts)[number]): string => {
      const [byOld, byNext] = [old, next].map((one) => isGenuine(attempt, one.secretKey, profile));
      if (byOld === byNext) return "neither, or both";
      return byOld === true ? "the first" : "the second";
    };
    const signers = (id: string): readonly string[] =>
      (attemptsById(place, profile).get(id) ?? []).map(signerOf).toSorted();
    const requireSigners = async (when: string, ...wanted: readonly string[]): Promise<void> => {
      const id = await emit(session, type);
      await place.until(() => signers(id).length >= wanted.length);
      await session.settled();
      mustBe(ROTATION, `signers of an attempt ${when}`, signers(id), wanted);
    };
    await requireSigners("for two subscriptions", "the first", "the second");
    await unsubscribe(session, { key: old.key });
    await requireSigners("after the first ended", "the second");
  },
});

const ISOLATED = "P-EVENT-ISOLATED";
/** More events than a sender has in flight to one receiver. */
const EVENTS = 24;

export const slowReceivers: ProviderCheck = providerCheck({
  id: "provider/slow-receivers",
  title: "a silent receiver does not delay another one's events",
  requirements: [ISOLATED],
  play: async (session) => {
    const [type] = typesOf(session.profile);
    const [silent, well] = [session.receive(() => "silence"), session.receive()];
    for (const place of [silent, well])
      await subscribe(session, ISOLATED, { place, details: onlyEvent(type) });
    const emitted = await Promise.all(
      Array.from({ length: EVENTS }, async () => ({ id: await emit(session, type) })),
    );
    const hasBegun = await silent.until((all) => all.length > 0);
    must(ISOLATED, hasBegun, () => "no attempt arrived at the silent receiver");
    const missing = await missingAt(well, emitted, session.profile);
    must(ISOLATED, missing.length === 0, () => {
      return `while another receiver was silent: ${missing.length} of ${EVENTS} events did not come in time`;
    });
  },
});
