import { setTimeout } from "node:timers/promises";
import { migrate, StoreUnavailableError, type Driver } from "@countersign/service";
import { secretPlace } from "../../packages/service/src/store/tables/subscriptions.ts";
import { testVault } from "../../packages/service/test/test-vault.ts";

const SUBSCRIPTIONS = 4;
const EVENTS_AT_A_TIME = 6;
const PAUSE_MS = 100;

export const payloadOf = (event: string): string => JSON.stringify({ id: event });

/** One merchant, and subscriptions that all lead to one place. */
export async function subscribe(driver: Driver, url: string): Promise<void> {
  const vault = testVault();
  await migrate(driver, { now: 0 });
  await driver.transaction(async (tx) => {
    await tx.query(
      "INSERT INTO merchants (id, name, clock_id, created_at) VALUES ('mer_1', 'M', 'live', 0)",
    );
    for (let number = 0; number < SUBSCRIPTIONS; number += 1) {
      const key = `sub_${String(number)}`;
      const { text, keyId } = vault.seal("a-secret-of-24-characters-or-more", secretPlace(key));
      await tx.query(
        `INSERT INTO subscriptions (key, merchant_id, clock_id, url, secret, secret_key_id, selection,
           status, created_at, updated_at)
         VALUES ($1, 'mer_1', 'live', $2, $3, $4, '{}', 'ACTIVE', 0, 0)`,
        [key, url, text, keyId],
      );
    }
  });
}

/** Writes events until `end` is called. @returns The ids of those whose transactions were answered. */
export function startWriting(driver: Driver): { end(): Promise<readonly string[]> } {
  const over = new AbortController();
  const written = (async () => {
    const events: string[] = [];
    while (!over.signal.aborted) {
      events.push(...(await writeSurely(driver, events.length)));
      await setTimeout(PAUSE_MS);
    }
    return events;
  })();
  return {
    end: () => {
      over.abort();
      return written;
    },
  };
}

/** Retries without an answer, or if nothing was stored, as a client does. */
async function writeSurely(driver: Driver, from: number): Promise<readonly string[]> {
  for (;;) {
    try {
      return await write(driver, from);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      await setTimeout(PAUSE_MS);
    }
  }
}

/** Events and their deliveries, in one transaction, as a use case writes them; those that are there stay. */
function write(driver: Driver, from: number): Promise<readonly string[]> {
  const numbers = Array.from({ length: EVENTS_AT_A_TIME }, (_, index) => from + index);
  return driver.transaction(async (tx) => {
    const events: string[] = [];
    for (const number of numbers) {
      const at = Date.now();
      const event = `evt_${String(number)}`;
      await tx.query(
        `INSERT INTO events (id, merchant_id, clock_id, type, category, payload, created_at)
         VALUES ($1, 'mer_1', 'live', 'refund.authorized', 'PAYMENT', $2, $3) ON CONFLICT DO NOTHING`,
        [event, payloadOf(event), at],
      );
      await tx.query(
        `INSERT INTO deliveries
           (id, event_id, subscription_key, merchant_id, clock_id, state, next_at, created_at)
         VALUES ($1, $2, $3, 'mer_1', 'live', 'waiting', $4, $4) ON CONFLICT DO NOTHING`,
        [`dlv_${String(number)}`, event, `sub_${String(number % SUBSCRIPTIONS)}`, at],
      );
      events.push(event);
    }
    return events;
  });
}
