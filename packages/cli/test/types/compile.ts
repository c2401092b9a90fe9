import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, expect } from "vitest";
import { ran } from "../ran.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

export const home = temporaryFolder(afterAll);

export type ProfileName = "standard" | "x-signature";
/** The member of an event that holds its data. */
export const dataIn = { standard: "data", "x-signature": "metadata" } as const;

const extensions: Readonly<Record<string, string>> = { typescript: "ts", python: "py" };

/** Writes the types of a profile, given by its name or its folder. @returns The path of the file, or Java's folder. */
export async function written(
  language: string,
  profile: string,
  ...more: readonly string[]
): Promise<string> {
  const folder = join(home, language, basename(profile));
  mkdirSync(folder, { recursive: true });
  const name = language === "java" ? "java" : `events.${extensions[language] ?? language}`;
  const out = join(folder, name);
  const args = ["types", "--language", language, "--out", out, "--profile", profile];
  expect(await ran([...args, ...more])).toMatchObject({ status: 0 });
  return out;
}

export function compilerOutput(command: string, args: readonly string[]): string {
  const { stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  if (error !== undefined) throw error;
  return stdout + stderr;
}

/** A payment's event for each of some amounts, by the amount's text. */
export function bodies(profile: ProfileName): ReadonlyMap<string, string> {
  const amounts = ["10.50", "25", "0.01", "99999999.99", "1.10"];
  const named =
    profile === "standard"
      ? '"type":"payment.authorized","category":"PAYMENT","timestamp":"2026-11-21T09:30:00.000Z","data":{'
      : '"eventType":"payment.authorized","creationTime":"2026-11-21T09:30:00.000Z","metadata":{"resourceId":"pay_1","resourceType":"payment","paymentType":"DEBIT",';
  const body = (amount: string) =>
    `{"id":"evt_1",${named}"paymentId":"pay_1","direction":"DEBIT","customerId":"cus_1","amount":{"currency":"USD","value":${amount}},` +
    '"paymentStatus":"ADDED_SINCE","clientReferenceId":null,"creationDate":"2026-11-20T16:10:00.000Z","covered":false,"added":1.5}}';
  return new Map(amounts.map((amount) => [amount, body(amount)]));
}
