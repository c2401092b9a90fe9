import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { reference } from "@countersign/schemas/providers";
import { beforeAll, describe, expect, it } from "vitest";
import { missing } from "../fixtures.ts";
import { bodies, compilerOutput, dataIn, home, written, type ProfileName } from "./compile.ts";

/** Compiles with the strictest options. @returns The compiler's complaints. */
function compileTypeScript(...files: readonly string[]): string {
  writeFileSync(join(home, "package.json"), '{"type":"module"}');
  const strict =
    "--ignoreConfig --noEmit --strict --skipLibCheck --noUncheckedIndexedAccess --exactOptionalPropertyTypes --noPropertyAccessFromIndexSignature --isolatedDeclarations --declaration --erasableSyntaxOnly --verbatimModuleSyntax --allowImportingTsExtensions --target es2023 --module nodenext";
  return compilerOutput("tsc", [...strict.split(" "), ...files]);
}

/** Jackson's classes as Debian installs them: package libjackson2-databind-java. */
const jackson = ["databind", "core", "annotations"].map(
  (one) => `/usr/share/java/jackson-${one}.jar`,
);
const missingJava = (): [boolean, string] =>
  jackson.every((path) => existsSync(path))
    ? missing("javac")
    : [true, `${jackson.join(", ")}: not all are here`];

/** Compiles folders of Java. @returns The compiler's complaints, warnings too. */
function compileJava(...folders: readonly string[]): string {
  const sources = folders.flatMap((folder) => globSync(join(folder, "**/*.java")));
  expect(sources.length).toBeGreaterThan(8);
  const options = ["-proc:none", "-Xlint:all,-options,-serial", "-cp", jackson.join(delimiter)];
  return compilerOutput("javac", [...options, "-d", join(home, "classes"), ...sources]);
}

function run(command: string, args: readonly string[], input = "", cwd = home): string {
  return execFileSync(command, args, { encoding: "utf8", input, cwd });
}

/** The type of a debit's event: in the other profile a refund's event has the same name. */
const debit = {
  standard: "PaymentAuthorizedEvent",
  "x-signature": "DebitPaymentAuthorizedEvent",
} as const;

/** Parses events in Python. @returns Each amount twice: as parsed, and as written back. */
async function pythonAmounts(profile: ProfileName): Promise<string[]> {
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
    assert type(event).__name__ == "${debit[profile]}", event
    back = event.to_dict()["${member}"]["amount"]["value"]
    assert isinstance(back, Decimal)
    assert events.${debit[profile]}.from_dict(event.to_dict()) == event
    print(event.${member}.amount.value, back)
    try:
        events.${debit[profile]}.from_dict(json.loads(line.replace(": ", ":").replace('"value":25}', '"value":25.0}')))
        sys.exit("a float was taken")
    except ValueError as error:
        assert "parse_float=Decimal" in str(error), error
assert events.parse_event('{"type":"added.since","eventType":"added.since"}') is None
`;
  const lines = [...bodies(profile).values()].map((line) => `${line}\n`).join("");
  return run("python3", ["-W", "error", "-c", script], lines).trim().split("\n");
}

/** Runs a Go program that parses events. @returns Their amounts, and whether an unknown event is an error. */
async function goAmounts(profile: ProfileName): Promise<string[]> {
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
		fmt.Println(event.(*events.${debit[profile]}).${profile === "standard" ? "Data" : "Metadata"}.Amount.Value)
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

describe.each(["standard", "x-signature"] as const)("generated types of profile %s", (profile) => {
  const amounts = [...bodies(profile).keys()];

  it("keep an amount exactly in Python and refuse a float", async ({ skip }) => {
    skip(...missing("python3"));
    const expected = amounts.map((amount) => `${amount} ${amount}`);
    expect(await pythonAmounts(profile)).toEqual(expected);
  });

  it("keep an amount's text in Go", async ({ skip }) => {
    skip(...missing("go", "version"));
    expect(await goAmounts(profile)).toEqual([...amounts, "true"]);
  });
});

// Both at once: most of a compiler's time is its start.
it("generated types of both profiles compile as Java without a warning", async ({ skip }) => {
  skip(...missingJava());
  const other = await written("java", "x-signature", "--package", "com.example.other");
  expect(compileJava(await written("java", "standard"), other)).toBe("");
});

/** Texts that end a comment, a docstring or a string of some language, or that its compiler refuses. */
const hostile: readonly string[] = [
  "*/ evil() /*",
  '"""\nevil()\n"""',
  "'''",
  String.raw`\u000a evil(); //`,
  String.raw`\u002a\u002f evil`,
  "a\nevil()\n",
  "a\r evil",
  "a\u2028evil()\u2029",
  "`+evil()+`",
  "${evil()}",
  "\\",
  "a\\",
  '"',
  `'"`,
  "\t",
  "\u0000x",
  "//",
  "/*",
  "\u202Eevil",
  "{@code evil}",
  "@evil",
  "$evil",
  String.raw`\N{DASH}`,
  String.raw`\x41\u{41}`,
  'json:"evil"`',
  "\uFEFFx",
];

const profile = join(home, "hostile");
const schema = {
  type: "object",
  description: hostile.join(" "),
  required: ["id"],
  properties: {
    id: { type: "string" },
    ...Object.fromEntries(
      hostile.flatMap((text, index): [string, object][] => [
        [`described${index}`, { type: "string", description: text }],
        [`open${index}`, { type: "string", enum: [text, "x"], "x-open": true }],
        [`fixed${index}`, { type: "string", const: text }],
        [`listed${index}`, { type: "string", enum: [text, "x"], description: "Closed." }],
        [
          `within${index}`,
          { type: "object", description: text, properties: { a: { type: "string" } } },
        ],
      ]),
    ),
  },
};

beforeAll(() => {
  mkdirSync(join(profile, "events"), { recursive: true });
  const document = {
    name: "hostile",
    provider: {
      ...reference,
      catalogue: [{ type: "order.placed", category: "ORDER", resource: "body:/data/id" }],
    },
  };
  writeFileSync(join(profile, "profile.json"), JSON.stringify(document));
  writeFileSync(join(profile, "events/order.placed.schema.json"), JSON.stringify(schema));
});

describe("types of hostile descriptions and values", () => {
  it("compile in TypeScript with the strictest options, and so do those of both profiles", async () => {
    const files = [await written("typescript", profile)];
    for (const name of ["standard", "x-signature"]) files.push(await written("typescript", name));
    expect(compileTypeScript(...files)).toBe("");
  });

  it("are parsed by Python", async ({ skip }) => {
    skip(...missing("python3"));
    const file = await written("python", profile);
    const script = "import ast, pathlib, sys; ast.parse(pathlib.Path(sys.argv[1]).read_bytes())";
    expect(compilerOutput("python3", ["-W", "error", "-c", script, file])).toBe("");
  });

  it("are parsed by Go", async ({ skip }) => {
    skip(...missing("go", "version"));
    expect(compilerOutput("gofmt", ["-e", "-l", await written("go", profile)])).not.toMatch(
      /:\d+:\d+:/,
    );
  });

  it("compile in Java", async ({ skip }) => {
    skip(...missingJava());
    expect(compileJava(await written("java", profile))).not.toContain("error:");
  });
});
