import {
  listTrail,
  migrate,
  replayForOperator,
  resumeForOperator,
  systemClock,
  type Driver,
  type OperatorRefusal,
  type OperatorReplay,
} from "@countersign/service/internal";
import { printable, printableJson } from "../printable.ts";
import { serviceDatabase } from "../service-database.ts";
import { asFailure } from "../service-failure.ts";
import type { Surroundings } from "../terminal.ts";

/** The database of the service that is operated, and how its answer is printed. */
export interface OperatedService {
  /** SQLite file; PostgreSQL where the environment names it. */
  readonly database: string | undefined;
  readonly json: boolean;
}

const words: Readonly<Record<OperatorRefusal, string>> = {
  DELIVERY_NOT_FOUND: "there is no such delivery",
  MERCHANT_NOT_FOUND: "there is no such merchant",
  SUBSCRIPTION_CLOSED: "the subscription is closed, and nothing is sent to it any more",
  SUBSCRIPTION_NOT_FOUND: "there is no such subscription",
};

/** `countersign serve replay`. @returns Whether there was what was named. */
export async function runReplay(
  command: OperatedService & { readonly what: OperatorReplay; readonly askedBy: string },
  { terminal, env }: Surroundings,
): Promise<boolean> {
  const outcome = await withService(command, env, (driver) =>
    replayForOperator({ driver, clock: systemClock }, command),
  );
  if (command.json) terminal.out(printableJson(outcome));
  else if (outcome.ok) terminal.out(`${String(outcome.replayed)} due again`);
  else terminal.err(`${outcome.code}: ${words[outcome.code]}`);
  return outcome.ok;
}

/** `countersign serve resume`. @returns Whether the subscription was there and open. */
export async function runResume(
  command: OperatedService & { readonly key: string; readonly askedBy: string },
  { terminal, env }: Surroundings,
): Promise<boolean> {
  const outcome = await withService(command, env, (driver) =>
    resumeForOperator({ driver, clock: systemClock }, command),
  );
  if (command.json) terminal.out(printableJson(outcome));
  else if (outcome.ok) terminal.out(`${printable(command.key)} is active`);
  else terminal.err(`${outcome.code}: ${words[outcome.code]}`);
  return outcome.ok;
}

/** `countersign serve trail`: who had deliveries attempted again or subscriptions resumed, the latest first. */
export async function runTrail(
  command: OperatedService & { readonly limit: number },
  { terminal, env }: Surroundings,
): Promise<void> {
  const lines = await withService(command, env, (driver) => listTrail(driver, command));
  if (command.json) {
    terminal.out(printableJson(lines.map(({ at, ...line }) => ({ ...line, at: written(at) }))));
    return;
  }
  for (const { what, id, merchantId, askedBy, state, attempts, at } of lines) {
    terminal.out(
      [written(at), what, id, merchantId, `${state} after ${String(attempts)}`, askedBy]
        .map(printable)
        .join("  "),
    );
  }
}

const written = (at: number): string => new Date(at).toISOString();

async function withService<T>(
  { database: file }: OperatedService,
  env: Surroundings["env"],
  run: (driver: Driver) => Promise<T>,
): Promise<T> {
  const database = await serviceDatabase(file, env);
  const driver = await database.open();
  try {
    await migrate(driver, { now: systemClock.now() });
    return await run(driver);
  } catch (error) {
    throw asFailure(error);
  } finally {
    await driver.close();
  }
}
