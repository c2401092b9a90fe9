import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, globSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect } from "vitest";
import { missing } from "../fixtures.ts";
import { ran } from "../ran.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

export const home = temporaryFolder(afterAll);

export type ProfileName = "standard" | "x-signature";
/** The member of an event that holds its data. */
export const dataIn = { standard: "data", "x-signature": "metadata" } as const;

const extensions: Readonly<Record<string, string>> = { typescript: "ts", python: "py" };

/** Writes the types of a profile, or of a document. @returns The path of the file, or Java's folder. */
export async function written(
  language: string,
  source: string,
  ...more: readonly string[]
): Promise<string> {
  const isProfile = source in dataIn;
  const folder = join(
    home,
    language,
    isProfile ? source : basename(dirname(source)),
    basename(source),
  );
  mkdirSync(folder, { recursive: true });
  const name = language === "java" ? "java" : `events.${extensions[language] ?? language}`;
  const out = join(folder, name);
  const from = [isProfile ? "--profile" : "--openapi", source];
  const args = ["types", "--language", language, "--out", out, ...from];
  expect(await ran([...args, ...more])).toMatchObject({ status: 0, err: "" });
  return out;
}

/** The exports of a TypeScript module that `countersign types` writes. */
interface WrittenModule {
  readonly parseEvent: (...texts: readonly string[]) => Parsed | undefined;
  readonly catalogue: {
    readonly events: Readonly<Record<string, { readonly validate: (value: unknown) => unknown }>>;
  };
}
type Parsed = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export const imported = async (file: string): Promise<WrittenModule> =>
  // The command has just written it.
  (await import(pathToFileURL(file).href)) as WrittenModule;

/** Compiles with the strictest options. @returns The compiler's complaints. */
export function compileTypeScript(...files: readonly string[]): string {
  writeFileSync(join(home, "package.json"), '{"type":"module"}');
  const strict =
    "--ignoreConfig --noEmit --strict --skipLibCheck --noUncheckedIndexedAccess --exactOptionalPropertyTypes --noPropertyAccessFromIndexSignature --isolatedDeclarations --declaration --erasableSyntaxOnly --verbatimModuleSyntax --allowImportingTsExtensions --target es2023 --module nodenext";
  return compilerOutput("tsc", [...strict.split(" "), ...files]);
}

/** Jackson's classes as Debian installs them: package libjackson2-databind-java. */
const jackson = ["databind", "core", "annotations"].map(
  (one) => `/usr/share/java/jackson-${one}.jar`,
);
export const missingJava = (): [boolean, string] =>
  jackson.every((path) => existsSync(path))
    ? missing("javac")
    : [true, `${jackson.join(", ")}: not all are here`];

/** Compiles folders of Java. @returns The compiler's complaints, warnings too. */
export function compileJava(...folders: readonly string[]): string {
  const sources = folders.flatMap((folder) => globSync(join(folder, "**/*.java")));
  const classes = join(home, "classes");
  const options = ["-proc:none", "-Xlint:all,-options,-serial", "-cp", jackson.join(delimiter)];
  return compilerOutput("javac", [...options, "-d", classes, ...sources]);
}

/** Runs a Java program of one class `Use` with the classes of `compileJava`. */
export function runJava(program: string, ...args: readonly string[]): string {
  const file = join(home, "Use.java");
  writeFileSync(file, program);
  const path = [join(home, "classes"), ...jackson].join(delimiter);
  return execFileSync("java", ["-cp", path, file, ...args], { encoding: "utf8" });
}

/** Runs a Go program with the package `use/events` in a file. */
export function runGo(events: string, program: string, ...args: readonly string[]): string {
  const folder = join(dirname(events), "use");
  mkdirSync(join(folder, "events"), { recursive: true });
  copyFileSync(events, join(folder, "events", "events.go"));
  writeFileSync(join(folder, "go.mod"), "module use\n\ngo 1.19\n");
  writeFileSync(join(folder, "main.go"), program);
  expect(compilerOutput("gofmt", ["-l", events])).toBe("");
  execFileSync("go", ["vet", "./..."], { cwd: folder });
  return execFileSync("go", ["run", ".", ...args], { encoding: "utf8", cwd: folder });
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
