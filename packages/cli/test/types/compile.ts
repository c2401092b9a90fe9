import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect } from "vitest";
import { ran } from "../ran.ts";

export const home = mkdtempSync(join(tmpdir(), "countersign-compiled-"));
const stubs = fileURLToPath(new URL("stubs", import.meta.url));
afterAll(() => rmSync(home, { recursive: true, force: true }));

export type ProfileName = "standard" | "x-signature";
/** The member of an event that holds its data. */
export const dataIn = { standard: "data", "x-signature": "metadata" } as const;

const extensions: Readonly<Record<string, string>> = { typescript: "ts", python: "py", rust: "rs" };

/** Writes the types of a profile. @returns The path of the file, or Java's folder. */
export async function written(
  language: string,
  profile: ProfileName,
  ...more: readonly string[]
): Promise<string> {
  const folder = join(home, language, profile);
  mkdirSync(folder, { recursive: true });
  const name = language === "java" ? "java" : `events.${extensions[language] ?? language}`;
  const out = join(folder, name);
  const args = ["types", "--language", language, "--out", out, "--profile", profile];
  expect(await ran([...args, ...more])).toMatchObject({ status: 0 });
  return out;
}

export function run(command: string, args: readonly string[], input = "", cwd = home): string {
  return execFileSync(command, args, { encoding: "utf8", input, cwd });
}

/** Everything that a compiler prints. */
export function compilerOutput(command: string, args: readonly string[]): string {
  const { stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  if (error !== undefined) throw error;
  return stdout + stderr;
}

/** A payment's event for each of some amounts, by the amount's text. */
export function bodies(profile: ProfileName): ReadonlyMap<string, string> {
  const amounts = ["10.50", "25", "0.01", "99999999.99", "1.10"];
  return new Map(amounts.map((amount) => [amount, body(profile, amount)]));
}

function body(profile: ProfileName, amount: string): string {
  const data =
    `"paymentId":"pay_1","direction":"DEBIT","customerId":"cus_1","amount":{"currency":"USD","value":${amount}},` +
    '"paymentStatus":"ADDED_SINCE","clientReferenceId":null,"creationDate":"2026-11-20T16:10:00.000Z","covered":false,"added":1.5';
  return profile === "standard"
    ? `{"id":"evt_1","type":"payment.authorized","category":"PAYMENT","timestamp":"2026-11-21T09:30:00.000Z","data":{${data}}}`
    : `{"id":"evt_1","eventType":"payment.authorized","creationTime":"2026-11-21T09:30:00.000Z","metadata":{${data},"resourceId":"pay_1","resourceType":"payment","paymentType":"DEBIT"}}`;
}

/** Compiles with the strictest options, and reads an amount as what its type is. */
export async function strictTypeScript(profile: ProfileName): Promise<string> {
  const file = await written("typescript", profile);
  const use = join(home, "typescript", profile, "use.ts");
  writeFileSync(
    use,
    `import { parseEvent, type DecimalText, type EventTypeMap, type WebhookEvent } from "./events.ts";
const event: WebhookEvent | undefined = parseEvent("{}");
export type Created = EventTypeMap["payment.created"];
export const value: DecimalText | undefined =
  event !== undefined && event.${profile === "standard" ? "type" : "eventType"} === "payment.created" ? event.${dataIn[profile]}.amount.value : undefined;
// @ts-expect-error an amount is no number
export const sum: number | undefined = value;
`,
  );
  const strict =
    "--ignoreConfig --noEmit --strict --skipLibCheck --noUncheckedIndexedAccess --exactOptionalPropertyTypes --noPropertyAccessFromIndexSignature --isolatedDeclarations --declaration --erasableSyntaxOnly --verbatimModuleSyntax --allowImportingTsExtensions --target es2023 --module nodenext";
  writeFileSync(join(home, "package.json"), '{"type":"module"}');
  return compilerOutput("tsc", [...strict.split(" "), file, use]);
}

/** Parses events in Python. @returns Each amount twice: as parsed, and as written back. */
export async function pythonAmounts(profile: ProfileName): Promise<string[]> {
  const file = await written("python", profile);
  const member = dataIn[profile];
  const script = `
import sys, json
sys.dont_write_bytecode = True
sys.path.insert(0, ${JSON.stringify(join(file, ".."))})
import events
from decimal import Decimal
for line in sys.stdin:
    event = events.parse_event(line)
    assert type(event).__name__ == "PaymentAuthorizedEvent", event
    back = event.to_dict()["${member}"]["amount"]["value"]
    assert isinstance(back, Decimal)
    assert events.PaymentAuthorizedEvent.from_dict(event.to_dict()) == event
    print(event.${member}.amount.value, back)
    try:
        events.PaymentAuthorizedEvent.from_dict(json.loads(line.replace(": ", ":").replace('"value":25}', '"value":25.0}')))
        assert False, "a float was taken"
    except AssertionError as error:
        assert str(error) != "a float was taken", error
assert events.parse_event('{"type":"added.since","eventType":"added.since"}') is None
`;
  const lines = [...bodies(profile).values()].map((line) => `${line}\n`).join("");
  return run("python3", ["-W", "error", "-c", script], lines).trim().split("\n");
}

/** Compiles as Rust against the names of serde and rust_decimal. */
export async function rustOutput(profile: ProfileName): Promise<string> {
  const file = await written("rust", profile);
  const [serde, decimal] = [join(home, "libserde.so"), join(home, "librust_decimal.rlib")];
  const base = ["--edition", "2021", "--out-dir", home, "--crate-type"];
  if (!existsSync(decimal)) {
    run("rustc", [...base, "proc-macro", join(stubs, "rust/serde.rs")]);
    run("rustc", [...base, "rlib", join(stubs, "rust/rust_decimal.rs")]);
  }
  const extern = ["--extern", `serde=${serde}`, "--extern", `rust_decimal=${decimal}`];
  const lib = [...base, "lib", "--emit", "metadata", "-D", "warnings"];
  return compilerOutput("rustc", [...lib, ...extern, file]);
}

/** Compiles both profiles as Java against Jackson's names: most of a compiler's time is its start. */
export async function javaOutput(): Promise<string> {
  const folders = [
    join(stubs, "java"),
    await written("java", "standard"),
    await written("java", "x-signature", "--package", "com.example.other"),
  ];
  const sources = folders.flatMap((folder) =>
    globSync("**/*.java", { cwd: folder }).map((name) => join(folder, name)),
  );
  expect(sources.length).toBeGreaterThan(60);
  const options = ["-proc:none", "-Xlint:all,-options,-serial", "-d", join(home, "classes")];
  return compilerOutput("javac", [...options, ...sources]);
}

/** Runs a Go program that parses events. @returns Their amounts, and whether an unknown event is an error. */
export async function goAmounts(profile: ProfileName): Promise<string[]> {
  const file = await written("go", profile);
  expect(run("gofmt", ["-l", file])).toBe("");
  const folder = join(home, "go", `${profile}-use`);
  mkdirSync(join(folder, "events"), { recursive: true });
  run("cp", [file, join(folder, "events", "events.go")]);
  writeFileSync(join(folder, "go.mod"), "module use\n\ngo 1.19\n");
  writeFileSync(
    join(folder, "main.go"),
    `package main

import (
	"fmt"
	"os"
	"use/events"
)

func main() {
	for _, body := range os.Args[1:] {
		event, err := events.ParseWebhookEvent([]byte(body))
		if err != nil {
			panic(err)
		}
		fmt.Println(event.(*events.PaymentAuthorizedEvent).${profile === "standard" ? "Data" : "Metadata"}.Amount.Value)
	}
	_, err := events.ParseWebhookEvent([]byte("{}"))
	fmt.Println(err == events.ErrUnknownEvent)
}
`,
  );
  return run("go", ["run", ".", ...bodies(profile).values()], "", folder)
    .trim()
    .split("\n");
}
