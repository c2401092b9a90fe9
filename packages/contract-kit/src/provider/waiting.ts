import type { ProviderCheck } from "../check.ts";
import { AttemptReader, expectGenuine } from "../sender/attempts.ts";
import {
  requestRefund,
  emit,
  isCreated,
  newSecret,
  onlyEvent,
  prepareDebit,
  subscribe,
  typesOf,
  unsubscribe,
} from "./calls.ts";
import { interfaceSender } from "./interface-sender.ts";
import { providerCheck } from "./provider-check.ts";
import { maybe, type Session } from "./session.ts";
import { secondAttemptMs } from "../sender/retries.ts";

const SUBTRACT = "P-UNSUBSCRIBE-SUBTRACT";
const KEPT = "P-EVENT-ID-KEPT";

const failing = (): { status: number } => ({ status: 500 });

export const waitingAttempts: ProviderCheck = providerCheck({
  id: "provider/waiting-attempts",
  title:
    "attempts that wait end when their events are unsubscribed, and keep their bytes otherwise",
  run: async (session) => {
    const after = await secondAttemptMs(interfaceSender(session), SUBTRACT, KEPT);
    if (after === undefined) return;
    const [kept, type = kept] = typesOf(session.profile);
    const open = async (...types: readonly string[]) => {
      const endpoint = session.openEndpoint(failing);
      return { ...(await subscribe(session, { endpoint, details: onlyEvent(...types) })), types };
    };
    const leaving = await open(type);
    const narrowed = await open(...new Set([type, kept]));
    const id = await emit(session, type);
    const both = [leaving, narrowed];
    for (const { endpoint } of both) await endpoint.until(({ length }) => length > 0);
    const changing = await changingRefund(session);
    await session.settled();
    await unsubscribe(session, { key: leaving.key });
    await unsubscribe(session, { key: narrowed.key, details: onlyEvent(type) });
    await changing?.change();
    await session.pass(after);
    const reader = new AttemptReader(session.profile.provider);
    for (const { endpoint } of both) {
      const count = reader.byEvent(endpoint).get(id)?.length ?? 0;
      const what = `attempts of ${type} after unsubscribing from it`;
      session.expectEqual(SUBTRACT, what, count, 1);
    }
    if (changing === undefined) return;
    await changing.endpoint.until(({ length }) => length > 1);
    const bodies = changing.endpoint.attempts.map(({ body }) => Buffer.from(body).toString());
    const changed = `a retry after the refund has changed has another body: ${bodies.join(" and ")}`;
    session.expect(KEPT, new Set(bodies).size === 1, changed);
  },
});

/** A refund whose event waits for its second attempt, while its payment can fail. */
async function changingRefund(session: Session) {
  const type = session.profile.catalogue.find(({ kind }) => kind === "refund.pending")?.type;
  if (type === undefined) return undefined;
  const endpoint = session.openEndpoint(failing);
  await subscribe(session, { endpoint, details: onlyEvent(type) });
  const { paymentId } = await prepareDebit(session);
  const answer = await requestRefund(session, { paymentId, amount: "1.00" });
  if (!isCreated(answer, session.profile)) return undefined;
  await endpoint.until(({ length }) => length > 0);
  return { endpoint, change: () => maybe(session.state("the payment fails", { paymentId })) };
}

const ROTATION = "P-EVENT-ROTATION";

export const secrets: ProviderCheck = providerCheck({
  id: "provider/secrets",
  title: "two subscriptions of one URL are each signed with their own secret, until one ends",
  run: async (session) => {
    const { profile } = session;
    const [type] = typesOf(profile);
    const reader = new AttemptReader(profile.provider);
    const old = await subscribe(session);
    const { endpoint } = old;
    const next = await subscribe(session, { endpoint });

    const signerOf = (attempt: (typeof endpoint.attempts)[number]): string => {
      const [byOld, byNext] = [old, next].map(({ secret }) => reader.verify(attempt, secret).ok);
      if (byOld === byNext) return "neither, or both";
      return byOld === true ? "the first" : "the second";
    };
    const signers = (id: string): readonly string[] =>
      (reader.byEvent(endpoint).get(id) ?? []).map(signerOf).toSorted();
    const expectSigners = async (when: string, ...wanted: readonly string[]) => {
      const id = await emit(session, type);
      await endpoint.until(() => signers(id).length >= wanted.length);
      await session.settled();
      session.expectEqual(ROTATION, `signers of an attempt ${when}`, signers(id), wanted);
      return signers(id);
    };
    await expectSigners("for two subscriptions", "the first", "the second");
    if (await unsubscribe(session, { key: old.key })) {
      const later = await expectSigners("after the first ended", "the second");
      const late = "an event was sent for a subscription that had ended";
      session.expect(SUBTRACT, !later.includes("the first"), late);
    }
    await expectEverySecret(session);
  },
});

/** Secrets of the scheme's own form and of the maximum length sign too, over more bytes than letters. */
async function expectEverySecret(session: Session): Promise<void> {
  const { limits, provider } = session.profile;
  const sender = interfaceSender(session);
  const encoded = `whsec_${Buffer.from(newSecret(session)).toString("base64")}`;
  const longest = newSecret(session).padEnd(limits.secretKey.maximum, "x");
  const isStandard = provider.signature.key === "whsec";
  const subscribed = await Promise.all(
    [longest, ...(isStandard ? [encoded] : [])].map((secret) => subscribe(session, { secret })),
  );
  const person = { status: "ACTIVE", firstName: "Zoë", lastName: "李" };
  await maybe(session.state("a customer", person));
  await emit(session, sender.types[0]);
  await session.settled();
  for (const { endpoint, secret } of subscribed) {
    await endpoint.until(({ length }) => length > 0);
    for (const attempt of endpoint.attempts) expectGenuine(sender, attempt, secret);
  }
}
