import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
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

/** Compiles with the strictest options. @returns The compiler's complaints. */
export function compileTypeScript(...files: readonly string[]): string {
  writeFileSync(join(home, "package.json"), '{"type":"module"}');
  const strict =
    "--ignoreConfig --noEmit --strict --skipLibCheck --noUncheckedIndexedAccess --exactOptionalPropertyTypes --noPropertyAccessFromIndexSignature --isolatedDeclarations --declaration --erasableSyntaxOnly --verbatimModuleSyntax --allowImportingTsExtensions --target es2023 --module nodenext";
  return compilerOutput("tsc", [...strict.split(" "), ...files]);
}

/** Compiles folders of Java against Jackson's names. @returns The compiler's complaints, warnings too. */
export function compileJava(...folders: readonly string[]): string {
  const stubs = fileURLToPath(new URL("stubs/java", import.meta.url));
  const sources = [stubs, ...folders].flatMap((folder) =>
    globSync("**/*.java", { cwd: folder }).map((name) => join(folder, name)),
  );
  expect(sources.length).toBeGreaterThan(8);
  const options = ["-proc:none", "-Xlint:all,-options,-serial", "-d", join(home, "classes")];
  return compilerOutput("javac", [...options, ...sources]);
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
