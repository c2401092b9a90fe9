import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { missing } from "../fixtures.ts";
import {
  bodies,
  compileJava,
  compileTypeScript,
  dataIn,
  home,
  written,
  type ProfileName,
} from "./compile.ts";

function run(command: string, args: readonly string[], input = "", cwd = home): string {
  return execFileSync(command, args, { encoding: "utf8", input, cwd });
}

/** Compiles with the strictest options, and reads an amount as what its type is. */
async function strictTypeScript(profile: ProfileName): Promise<string> {
  const file = await written("typescript", profile);
  const use = join(home, "typescript", profile, "use.ts");
  writeFileSync(
    use,
    `import { parseEvent, type DecimalText, type EventTypeMap, type WebhookEvent } from "./events.ts";
const event: WebhookEvent | undefined = parseEvent("{}");
export type Created = EventTypeMap["payment.created"];
export const value: DecimalText | undefined =
  event !== undefined && event.${profile === "standard" ? "type" : "eventType"} === "payment.created" ? event.${dataIn[profile]}.amount.value : undefined;
// @ts-expect-error an amount is not a number
export const sum: number | undefined = value;
`,
  );
  return compileTypeScript(file, use);
}

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

describe.each(["standard", "x-signature"] as const)("generated types of profile %s", (profile) => {
  const amounts = [...bodies(profile).keys()];

  it("compile as strict TypeScript that narrows an event by its type", async () => {
    expect(await strictTypeScript(profile)).toBe("");
  });

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
  skip(...missing("javac"));
  const other = await written("java", "x-signature", "--package", "com.example.other");
  expect(compileJava(await written("java", "standard"), other)).toBe("");
});
