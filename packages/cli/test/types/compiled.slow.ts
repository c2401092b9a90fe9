import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { missing } from "../fixtures.ts";
import {
  bodies,
  compileJava,
  compilerOutput,
  compileTypeScript,
  dataIn,
  home,
  imported,
  missingJava,
  runGo,
  runJava,
  written,
  type ProfileName,
} from "./compile.ts";
import { eventBody, openApi } from "./openapi.ts";

function run(command: string, args: readonly string[], input = "", cwd = home): string {
  return execFileSync(command, args, { encoding: "utf8", input, cwd });
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
        sys.exit("a float was taken")
    except (AssertionError, ValueError):
        pass
assert events.parse_event('{"type":"added.since","eventType":"added.since"}') is None
`;
  const lines = [...bodies(profile).values()].map((line) => `${line}\n`).join("");
  return run("python3", ["-W", "error", "-c", script], lines).trim().split("\n");
}

/** Runs a Go program that parses events. @returns Their amounts with type and id, and whether an unknown event is an error. */
async function goAmounts(profile: ProfileName): Promise<string[]> {
  const program = `package main

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
		fmt.Println(event.Body.(*events.PaymentAuthorizedEvent).${profile === "standard" ? "Data" : "Metadata"}.Amount.Value, event.Type, event.ID)
	}
	_, err := events.ParseWebhookEvent([]byte("{}"))
	fmt.Println(err == events.ErrUnknownEvent)
}
`;
  return runGo(await written("go", profile), program, ...bodies(profile).values())
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
    const lines = amounts.map((amount) => `${amount} payment.authorized evt_1`);
    expect(await goAmounts(profile)).toEqual([...lines, "true"]);
  });
});

// All at once: most of a compiler's time is its start.
it("generated types of both profiles compile as Java without a warning, and read events with unknown values", async ({
  skip,
}) => {
  skip(...missingJava());
  const other = await written("java", "x-signature", "--package", "com.example.other");
  expect(compileJava(await written("java", "standard"), other)).toBe("");
  const amounts = [...bodies("standard")];
  const program = `import events.*;
public class Use {
    public static void main(String[] bodies) throws Exception {
        for (String body : bodies) {
            ParsedEvent event = WebhookEvents.parse(body).orElseThrow();
            PaymentAuthorizedEvent payment = (PaymentAuthorizedEvent) event.body();
            System.out.println(payment.getData().getAmount().getValue() + " " + event.type() + " " + event.id());
            System.out.println(payment.getData().getDirection());
        }
        System.out.println(WebhookEvents.parse("{\\"type\\":\\"added.since\\"}").isEmpty());
    }
}`;
  const sent = amounts.map(([, body]) => body.replace('"DEBIT"', '"SIDEWAYS"'));
  const read = amounts.flatMap(([amount]) => [`${amount} payment.authorized evt_1`, "SIDEWAYS"]);
  expect(
    runJava(program, ...sent)
      .trim()
      .split("\n"),
  ).toEqual([...read, "true"]);
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
  "evil😀",
  "\uFEFFx",
];

const data = {
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
        [text, { type: "number" }],
        [
          `within${index}`,
          { type: "object", description: text, properties: { a: { type: "string" } } },
        ],
      ]),
    ),
  },
};

/** Names of schemas that are words of some language, or types that its code uses. */
const words = "class list map any exception boolean double system uuid true object record".split(
  " ",
);

const document = openApi(
  {
    ...Object.fromEntries(
      ["order.placed", ...hostile].map((type) => [type, eventBody(type, data)]),
    ),
    ...Object.fromEntries(words.map((word) => [word, { $ref: `#/components/schemas/${word}` }])),
  },
  {
    folder: temporaryFolder(afterAll),
    title: hostile.join(" "),
    schemas: Object.fromEntries(words.map((word) => [word, eventBody(word, { type: "object" })])),
  },
);

describe("types of hostile descriptions, values and names", () => {
  it("compile in TypeScript with the strictest options, and so do those of both profiles", async () => {
    const files = [await written("typescript", document)];
    for (const name of ["standard", "x-signature"]) files.push(await written("typescript", name));
    expect(compileTypeScript(...files)).toBe("");
  });

  it("are in validators that run", async () => {
    const file = await written("typescript", document, "--validators");
    const { catalogue } = await imported(file);
    const event = { id: "1", type: "*/ evil() /*", data: { id: "1", "*/ evil() /*": "text" } };
    expect(catalogue.events["*/ evil() /*"]?.validate(event)).toMatchObject({
      ok: false,
      errors: [{ pointer: "/data/*~1 evil() ~1*", keyword: "type" }],
    });
  });

  it("run in Python", async ({ skip }) => {
    skip(...missing("python3"));
    expect(compilerOutput("python3", ["-W", "error", await written("python", document)])).toBe("");
  });

  it("are parsed by Go", async ({ skip }) => {
    skip(...missing("go", "version"));
    expect(compilerOutput("gofmt", ["-e", "-l", await written("go", document)])).not.toMatch(
      /:\d+:\d+:/,
    );
  });

  it("compile in Java", async ({ skip }) => {
    skip(...missingJava());
    expect(compileJava(await written("java", document))).not.toContain("error:");
  });
});
