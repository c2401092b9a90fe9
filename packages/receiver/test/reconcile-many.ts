import type { EventKey, Inbox } from "@countersign/receiver";

/** Numbers of events, of which some are not in the inbox, or are dead there. */
export interface Many {
  readonly count: number;
  readonly missing: ReadonlySet<number>;
  readonly dead: ReadonlySet<number>;
}

/** The proof's events: 100,000, of which 37 never arrived and 5 are dead. */
export const many: Many = {
  count: 100_000,
  missing: new Set(Array.from({ length: 37 }, (_, index) => 13 + index * 2700)),
  dead: new Set([1, 777, 50_000, 70_001, 99_998]),
};

/** Records events as a receiver does that has handled them, and three that the provider does not list. */
export async function recordMany(
  inbox: Inbox,
  { count, missing, dead }: Many,
  {
    provider,
    idOf,
    now,
  }: { readonly provider: string; readonly idOf: (number: number) => string; readonly now: number },
): Promise<void> {
  const record = async (id: string, isDead: boolean): Promise<void> => {
    const key: EventKey = { provider, tenant: "", id };
    const about = { key, digest: id, type: "test" };
    if (isDead) return bury(inbox, about, now);
    const claim = await inbox.claim({ ...about, leaseMs: 60_000, now });
    if (claim.state === "claimed") await inbox.complete({ key, token: claim.token, now });
  };
  for (let first = 0; first < count; first += 1000) {
    const numbers = Array.from({ length: 1000 }, (_, index) => first + index);
    const present = numbers.filter((number) => !missing.has(number) && !dead.has(number));
    // oxlint-disable-next-line no-await-in-loop -- a thousand at once
    await Promise.all(present.map((number) => record(idOf(number), false)));
  }
  // oxlint-disable-next-line no-await-in-loop -- each is taken before the next one is stored
  for (const number of dead) await record(idOf(number), true);
  for (const name of ["a", "b", "c"]) await record(`foreign_${name}`, false); // oxlint-disable-line no-await-in-loop
}

/** Stores an event and gives it up. */
export async function bury(
  { queue }: Inbox,
  about: { readonly key: EventKey; readonly digest: string; readonly type: string },
  now: number,
): Promise<void> {
  const { key } = about;
  await queue?.store({ ...about, body: "{}", facts: "{}", now });
  const take = { provider: key.provider, limit: 1, leaseMs: 60_000, now, maxAttempts: 1 };
  const [taken] = (await queue?.take(take)) ?? [];
  const failed = { key, token: taken?.token ?? 0, attempts: 1, maxAttempts: 1, now, retryAt: now };
  await queue?.fail({ ...failed, reason: "test" });
}
