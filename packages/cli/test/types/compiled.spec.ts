import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { isOnPath } from "../on-path.ts";
import { ran } from "../ran.ts";

const home = mkdtempSync(join(tmpdir(), "countersign-compiled-"));
const stubs = fileURLToPath(new URL("stubs", import.meta.url));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const profileNames = ["standard", "x-signature"] as const;
const extensions: Readonly<Record<string, string>> = {
  typescript: "ts",
  python: "py",
  rust: "rs",
  csharp: "cs",
  kotlin: "kt",
};

/** Types of a profile, written anew; the path of the file or folder. */
async function written(
  language: string,
  profile: string,
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

function run(command: string, args: readonly string[], input = ""): string {
  return execFileSync(command, args, { encoding: "utf8", input, cwd: home });
}

/** A payment's event whose amount has the given text. */
function body(profile: (typeof profileNames)[number], amount: string): string {
  const data =
    `"paymentId":"pay_1","direction":"DEBIT","customerId":"cus_1","amount":{"currency":"USD","value":${amount}},` +
    '"paymentStatus":"ADDED_SINCE","clientReferenceId":null,"creationDate":"2026-11-20T16:10:00.000Z","covered":false,"added":1.5';
  return profile === "standard"
    ? `{"id":"evt_1","type":"payment.authorized","category":"PAYMENT","timestamp":"2026-11-21T09:30:00.000Z","data":{${data}}}`
    : `{"id":"evt_1","eventType":"payment.authorized","creationTime":"2026-11-21T09:30:00.000Z","metadata":{${data},"resourceId":"pay_1","resourceType":"payment","paymentType":"DEBIT"}}`;
}

const amounts = ["10.50", "25", "0.01", "99999999.99", "1.10"];

/** The libraries that Rust's types use, by their names alone. */
function writeRustStubs(): void {
  if (existsSync(join(home, "librust_decimal.rlib"))) return;
  const edition = ["--edition", "2021", "--out-dir", home, "--crate-type"];
  run("rustc", [...edition, "proc-macro", join(stubs, "rust/serde.rs")]);
  run("rustc", [...edition, "rlib", join(stubs, "rust/rust_decimal.rs")]);
}

describe.each(profileNames)("the types of profile %s", (profile) => {
  const member = profile === "standard" ? "data" : "metadata";

  it("compile as strict TypeScript, told apart by their type", async () => {
    const file = await written("typescript", profile);
    const use = join(home, "typescript", profile, "use.ts");
    writeFileSync(
      use,
      `import { parseEvent, type DecimalText, type EventTypeMap, type WebhookEvent } from "./events.ts";
const event: WebhookEvent | undefined = parseEvent("{}");
export type Created = EventTypeMap["payment.created"];
export const value: DecimalText | undefined =
  event !== undefined && event.${profile === "standard" ? "type" : "eventType"} === "payment.created" ? event.${member}.amount.value : undefined;
// @ts-expect-error an amount is no number
export const sum: number | undefined = value;
`,
    );
    const strict =
      "--ignoreConfig --noEmit --strict --skipLibCheck --noUncheckedIndexedAccess --exactOptionalPropertyTypes --noPropertyAccessFromIndexSignature --isolatedDeclarations --declaration --erasableSyntaxOnly --verbatimModuleSyntax --allowImportingTsExtensions --target es2023 --module nodenext";
    writeFileSync(join(home, "package.json"), '{"type":"module"}');
    const { stdout } = spawnSync("tsc", [...strict.split(" "), file, use], { encoding: "utf8" });
    expect(stdout).toBe("");
  });

  it("keep the text of an amount in TypeScript", async () => {
    const file = await written("typescript", profile);
    // The module that was just written has this function.
    const { parseEvent } = (await import(pathToFileURL(file).href)) as {
      readonly parseEvent: (text: string) => Record<string, Record<string, object>> | undefined;
    };
    for (const amount of amounts) {
      const event = parseEvent(body(profile, amount));
      expect(event?.[member]).toMatchObject({
        amount: { currency: "USD", value: amount },
        added: 1.5,
      });
    }
    expect(parseEvent('{"type":"added.since","eventType":"added.since"}')).toBeUndefined();
    expect(() => parseEvent("{")).toThrow(SyntaxError);
  });

  it.skipIf(!isOnPath("python3"))(
    "compile as Python, keep an amount exactly and refuse a float (needs python3)",
    async () => {
      const file = await written("python", profile);
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
      const lines = amounts.map((amount) => `${body(profile, amount)}\n`).join("");
      const said = run("python3", ["-W", "error", "-c", script], lines);
      expect(said.trim().split("\n")).toEqual(amounts.map((amount) => `${amount} ${amount}`));
    },
  );

  it.skipIf(!isOnPath("rustc"))("compile as Rust against serde's names (needs rustc)", async () => {
    const file = await written("rust", profile);
    writeRustStubs();
    const { stderr } = spawnSync(
      "rustc",
      [
        "--edition",
        "2021",
        "--out-dir",
        home,
        "--crate-type",
        "lib",
        "--emit",
        "metadata",
        "-D",
        "warnings",
        "--extern",
        `serde=${join(home, "libserde.so")}`,
        "--extern",
        `rust_decimal=${join(home, "librust_decimal.rlib")}`,
        file,
      ],
      { encoding: "utf8" },
    );
    expect(stderr).toBe("");
  });

  it.skipIf(!isOnPath("go"))("compile as Go and keep an amount's text (needs go)", async () => {
    const file = await written("go", profile);
    expect(run("gofmt", [file])).toBe(readFileSync(file, "utf8"));
    const folder = join(home, "go", `${profile}-use`);
    mkdirSync(join(folder, "events"), { recursive: true });
    writeFileSync(join(folder, "events", "events.go"), readFileSync(file));
    writeFileSync(join(folder, "go.mod"), "module use\n\ngo 1.19\n");
    const name = profile === "standard" ? "Data" : "Metadata";
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
		fmt.Println(event.(*events.PaymentAuthorizedEvent).${name}.Amount.Value)
	}
	_, err := events.ParseWebhookEvent([]byte("{}"))
	fmt.Println(err == events.ErrUnknownEvent)
}
`,
    );
    const bodies = amounts.map((amount) => body(profile, amount));
    const said = execFileSync("go", ["run", ".", ...bodies], { encoding: "utf8", cwd: folder });
    expect(said.trim().split("\n")).toEqual([...amounts, "true"]);
  });

  it.skipIf(!isOnPath("ruby"))("are Ruby (needs ruby)", async () => {
    expect(run("ruby", ["-wc", await written("ruby", profile)])).toContain("Syntax OK");
  });

  it.skipIf(!isOnPath("swiftc"))("are Swift (needs swiftc)", async () => {
    const { stderr } = spawnSync("swiftc", ["-typecheck", await written("swift", profile)]);
    expect(String(stderr)).toBe("");
  });
});

describe("the types of both profiles, each in a package of its own", () => {
  it.skipIf(!isOnPath("javac"))(
    "compile as Java against Jackson's names (needs javac 17)",
    async () => {
      // One compiler for both: most of its time is its start.
      const folders = [
        join(stubs, "java"),
        await written("java", "standard"),
        await written("java", "x-signature", "--package", "com.example.other"),
      ];
      const sources = folders.flatMap((folder) =>
        globSync("**/*.java", { cwd: folder }).map((name) => join(folder, name)),
      );
      expect(sources.length).toBeGreaterThan(60);
      const { stderr } = spawnSync(
        "javac",
        [
          // It ends before compiling its own code well pays.
          "-J-XX:TieredStopAtLevel=1",
          "-J-XX:+UseSerialGC",
          "-proc:none",
          "-Xlint:all,-options,-serial",
          "-d",
          join(home, "classes"),
          ...sources,
        ],
        { encoding: "utf8" },
      );
      expect(stderr).toBe("");
    },
  );
});
