import * as service from "@countersign/service/internal";
import { asFailure, serviceDatabase } from "../../database.ts";
import { printableJson } from "../../printable.ts";
import { loadProfile } from "../../profile.ts";
import type { Surroundings } from "../../terminal.ts";

/** Options of every command of `serve admin`. */
export interface AdminOptions {
  readonly database: string | undefined;
  readonly json: boolean | undefined;
}

/** The service's parts that a command works with while the database is open. */
export interface Administration {
  readonly service: typeof service;
  readonly driver: service.Driver;
  /** For `replayDeliveries` and `pauseSubscription`. */
  readonly ports: Parameters<typeof service.replayDeliveries>[0];
  readonly context: service.Context;
  readonly policy: service.Policy;
}

/**
 * Runs `run` on the service's database, with its tables up to date, and closes it. Running processes learn of deliveries.
 *
 * @param options `profile`: default `standard`, for what does not depend on it. `createsDatabase`: default false, so that
 *   a misspelt file is an error.
 * @throws {Failure} The database cannot be used, or the profile is unknown.
 */
export async function administer<T>(
  options: AdminOptions & { readonly profile?: string; readonly createsDatabase?: boolean },
  { env }: Surroundings,
  run: (administration: Administration) => Promise<T>,
): Promise<T> {
  const profile = await loadProfile(options.profile ?? "standard");
  const mustExist = options.createsDatabase !== true;
  const database = await serviceDatabase(options.database, env, { mustExist });
  const driver = await database.open();
  try {
    const clock = service.systemClock;
    await service.migrate(driver, { now: clock.now() });
    // Running processes use the stored clock, which may differ from this machine's.
    const due = await service.dueInstantOf(driver, clock, "live");
    const dueClock = new service.DueClock({ ...clock, now: () => due });
    let isWork = false;
    const onWork = (): void => void (isWork = true);
    const { context } = service.createService({ driver, profile, dueClock, onWork });
    const ports = { driver, clock, onWork };
    const policy = service.policyOf(profile);
    const outcome = await run({ service, driver, ports, context, policy });
    // Without a notification they find it some seconds later.
    if (isWork) await service.hintAtAnything(driver).catch(() => {});
    return outcome;
  } catch (error) {
    throw asFailure(error);
  } finally {
    await driver.close();
  }
}

const refusals = {
  CLIENT_NOT_FOUND: "client not found",
  CLIENT_REVOKED: "the client is revoked",
  CUSTOMER_ID_TAKEN: "another customer has this id",
  CUSTOMER_NOT_FOUND: "customer not found",
  CUSTOMER_NOT_LINKED: "the customer has no linked account",
  DELIVERY_NOT_FOUND: "delivery not found",
  DUPLICATE_REQUEST_KEY: "another payment or refund has this request key",
  INVALID_TRANSITION: "the payment's status does not permit this",
  MERCHANT_NOT_FOUND: "merchant not found",
  PAYMENT_ID_TAKEN: "another payment has this id",
  PAYMENT_NOT_FOUND: "payment not found",
  SETTLED_AT_OUT_OF_RANGE: "the time is before the payment's creation or in the future",
  SUBSCRIPTION_CLOSED: "the subscription is closed",
  SUBSCRIPTION_NOT_FOUND: "subscription not found",
} as const;

export type RefusalCode = keyof typeof refusals;

/** The sentence for a refusal. */
export const refusalText = (code: RefusalCode): string => refusals[code];

/**
 * Prints the result of a command. Exits with 1 if it was refused, and prints the reason.
 *
 * @param lines Returns the text for people.
 */
export function report<
  Outcome extends { readonly ok: true } | { readonly ok: false; readonly code: RefusalCode },
>(
  outcome: Outcome,
  { json }: AdminOptions,
  { terminal, unmet }: Surroundings,
  lines: (outcome: Extract<Outcome, { ok: true }>) => readonly string[],
): void {
  if (!outcome.ok) {
    if (json === true) terminal.out(printableJson(outcome));
    else terminal.err(`${outcome.code}: ${refusals[outcome.code]}`);
    return unmet();
  }
  // The cast: `ok` is true, and TypeScript does not narrow a type parameter.
  const text = lines(outcome as Extract<Outcome, { ok: true }>);
  if (json === true) terminal.out(printableJson(outcome));
  else for (const line of text) terminal.out(line);
}
