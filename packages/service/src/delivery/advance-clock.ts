import type { Clock } from "../clock.ts";
import type { Driver } from "../store/driver.ts";
import { instantOf, moveClock } from "../store/tables/clocks.ts";
import { nextDeliveryAt } from "../store/operations/deliveries/next-delivery-at.ts";
import { nextDueAt } from "../store/tables/refunds.ts";
import type { MovedRefunds } from "../use-cases/refunds.ts";
import type { Deliverer } from "./deliver.ts";

export interface AdvancePorts {
  readonly driver: Driver;
  readonly clock: Clock;
  readonly deliverer: Pick<Deliverer, "drain">;
  /** Moves the refunds of a clock that are due by `now`. */
  readonly moveDueRefunds: (due: {
    readonly clockId: string;
    readonly now: number;
  }) => Promise<Pick<MovedRefunds, "passedOver">>;
}

export type AdvanceOutcome =
  /** `instants` are those at which something was due, in milliseconds, in order. */
  | { readonly ok: true; readonly now: number; readonly instants: readonly number[] }
  /** A clock goes forward only. `now` is what it shows. */
  | { readonly ok: false; readonly code: "CLOCK_GOES_FORWARD"; readonly now: number }
  /** The engine was stopped on the way. The clock stands at `now`; the same call goes on from there. */
  | { readonly ok: false; readonly code: "ENGINE_STOPPED"; readonly now: number };

/**
 * Moves a namespace's clock to `to`, from one instant at which something is due to the next. At each
 * the clock stands still until the refunds that are due have moved and the deliveries that are due
 * have been attempted; only then the next instant is looked for, since an attempt that fails makes
 * one.
 *
 * One move of a clock at a time: the caller sees to it.
 *
 * @param to Instant of that clock, in milliseconds.
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: the clock stands at the last instant that
 *   it reached; the same call goes on from there.
 */
export async function advanceClock(
  { clockId, to }: { readonly clockId: string; readonly to: number },
  ports: AdvancePorts,
): Promise<AdvanceOutcome> {
  const from = await instantOf(ports.driver, ports.clock, clockId);
  if (to < from) return { ok: false, code: "CLOCK_GOES_FORWARD", now: from };
  const instants: number[] = [];
  // Due and staying so: the clock goes on without them.
  const passedOver = new Set<string>();
  let now = from;
  for (;;) {
    // Also at the present instant: what was under way is settled before time goes on.
    const moves = await ports.moveDueRefunds({ clockId, now });
    for (const { id } of moves.passedOver) passedOver.add(id);
    const isDrained = await ports.deliverer.drain(clockId);
    if (!isDrained) return { ok: false, code: "ENGINE_STOPPED", now };
    const next = await nextInstant({ clockId, passedOver }, ports);
    if (next === undefined || next > to) break;
    // What became due in the meantime is due now: the clock never goes back to it.
    now = Math.max(now, next);
    instants.push(now);
    await setClock({ clockId, instant: now }, ports);
  }
  await setClock({ clockId, instant: to }, ports);
  return { ok: true, now: to, instants };
}

async function nextInstant(
  { clockId, passedOver }: { clockId: string; passedOver: ReadonlySet<string> },
  ports: AdvancePorts,
): Promise<number | undefined> {
  const waiting = [
    await nextDueAt(ports.driver, { clockId, except: passedOver }),
    await nextDeliveryAt(ports.driver, { clockId, realNow: ports.clock.now() }),
  ].filter((at) => at !== undefined);
  return waiting.length === 0 ? undefined : Math.min(...waiting);
}

async function setClock(
  { clockId, instant }: { clockId: string; instant: number },
  { driver }: AdvancePorts,
): Promise<void> {
  await driver.transaction((tx) => moveClock(tx, { id: clockId, instant }));
}
