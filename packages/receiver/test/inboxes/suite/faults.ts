import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Inbox, TransactionalInbox } from "@countersign/receiver";
import { Calls, keyOf, LEASE_MS, resourceOf } from "./samples.ts";

/** A fault of an inbox's store that a test can cause. */
export interface InboxFault {
  /** A part of the check's name, such as "its connections hang" or "its file is replaced". */
  readonly name: string;
  readonly begin: () => unknown;
  /** Ends the fault. Returns the inbox to go on with if it has to be opened again. */
  readonly end: () => Inbox | void | Promise<Inbox | void>;
  /** Time for each call to settle, and for the inbox to work again, in milliseconds. Default 15,000, a provider's timeout. */
  readonly withinMs?: number;
}

/** More than an inbox sends at once, so that some calls wait inside it. */
const BURST = 600;

interface Call {
  readonly name: string;
  readonly settled: Promise<unknown>;
  /** True of the restored inbox if the call has done what it answered. */
  readonly proof?: ((restored: Calls) => Promise<boolean>) | undefined;
}

/** Every call ends in time, none succeeds for something that is not recorded, and the inbox works again. */
export async function checkFault(inbox: Calls, fault: InboxFault): Promise<void> {
  const { withinMs = 15_000 } = fault;
  const [startEarly, startLate] = [await prepare(inbox, "early"), await prepare(inbox, "late")];
  const early = startEarly();
  await fault.begin();
  const results = await Promise.all(
    [...early, ...startLate()].map((call) => settle(call, withinMs)),
  );
  const left = results.filter(({ state }) => state === "pending").map(({ call }) => call.name);
  assert.deepEqual(left, [], `these calls did not settle within ${String(withinMs)} ms`);

  const reopened = await fault.end();
  const restored = reopened ? new Calls(reopened) : inbox;
  let tries = 0;
  await patiently("handle another event", withinMs, async () => {
    const id = `again ${String((tries += 1))}`;
    return restored.complete(id, await restored.claimed(id));
  });
  for (const { call, result } of results)
    if (call.proof !== undefined && isDone(result))
      await patiently(`know what "${call.name}" has done`, withinMs, async () =>
        call.proof?.(restored),
      );
}

const isDone = (result: unknown): boolean =>
  result === true ||
  (typeof result === "object" &&
    result !== null &&
    "state" in result &&
    /^(?:claimed|committed|stored)$/.test(String(result.state)));

/** Prepares events; the returned function starts a call of every kind at once. */
async function prepare(calls: Calls, prefix: string): Promise<() => readonly Call[]> {
  const { inbox } = calls;
  const id = (what: string): string => `${prefix} ${what}`;
  const [completed, released, committed] = [
    await calls.claimed(id("complete")),
    await calls.claimed(id("release")),
    await calls.claimed(id("commit")),
  ];
  const hasQueue = inbox.queue !== undefined;
  if (hasQueue) await calls.store(id("fail"));
  const [taken] = hasQueue ? await calls.take({ limit: 1 }) : [];

  const isHandled = (what: string) => async (restored: Calls) =>
    (await restored.claim(id(what))).state === "handled";
  const isKnown = (what: string) => async (restored: Calls) =>
    (await restored.claim(id(what), { digest: "another", onIdReuse: "conflict" })).state ===
    "conflict";
  return () => {
    const started: Call[] = [];
    const start = (what: string, settled: Promise<unknown>, proof?: Call["proof"]): void => {
      started.push({ name: id(what), settled, proof });
    };
    const claim = (what: string, changes?: Parameters<Calls["claim"]>[1]): void =>
      start(what, calls.claim(id(what), changes), isKnown(what));
    for (let number = 0; number < BURST; number += 1) claim(`claim ${String(number)}`);
    claim("claim of a resource", { resource: resourceOf(prefix) });
    start("complete", calls.complete(id("complete"), completed), isHandled("complete"));
    start("release", calls.release(id("release"), released));
    if (isTransactional(inbox)) {
      const begun = { key: keyOf(id("commit")), token: committed, leaseMs: LEASE_MS };
      start("commit", inbox.begin(begun).commit(1000), isHandled("commit"));
    }
    start("lastHandled", inbox.lastHandled({ ...keyOf(""), name: prefix }));
    start("purge", inbox.purge({ before: 0, limit: 1 }));
    if (!hasQueue) return started;
    start("store", calls.store(id("store")), isKnown("store"));
    start("take", calls.take({ limit: 1 }));
    start("fail", calls.fail(id("fail"), taken?.token));
    start("dead", calls.dead());
    start("retry", calls.retry(id("none")));
    start("status", calls.status(0));
    return started;
  };
}

const isTransactional = (inbox: Inbox): inbox is TransactionalInbox<unknown> =>
  "begin" in inbox && typeof inbox.begin === "function";

async function settle(call: Call, withinMs: number) {
  const timer = new AbortController();
  const pending = delay(withinMs, undefined, { signal: timer.signal });
  try {
    return await Promise.race([
      call.settled.then(
        (result) => ({ call, state: "fulfilled", result }) as const,
        () => ({ call, state: "rejected", result: undefined }) as const,
      ),
      pending.then(() => ({ call, state: "pending", result: undefined }) as const),
    ]);
  } finally {
    timer.abort();
    pending.catch(() => undefined);
  }
}

/** Tries until it succeeds: after a fault, a connection that nobody has used since may still be lost. */
async function patiently(
  what: string,
  withinMs: number,
  run: () => Promise<boolean | undefined>,
): Promise<void> {
  const endsAt = performance.now() + withinMs;
  let last: unknown;
  do {
    const { state, result } = await settle({ name: what, settled: run().catch(keep) }, withinMs);
    if (state === "fulfilled" && result === true) return;
    await delay(20);
  } while (performance.now() < endsAt);
  assert.fail(`after the fault, the inbox does not ${what}: ${String(last)}`);

  function keep(error: unknown): void {
    last = error;
  }
}
