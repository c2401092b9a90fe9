import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { missing } from "../fixtures.ts";
import { compileJava, compileTypeScript, compilerOutput, home, written } from "./compile.ts";

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
    signature: { scheme: "standard-webhooks", toleranceSeconds: 300 },
    envelope: { id: "/id", type: "/type", timestamp: "/timestamp", data: "/data" },
    catalogue: [{ type: "order.placed", category: "ORDER", resource: "/data/id" }],
  };
  writeFileSync(join(profile, "profile.json"), JSON.stringify(document));
  writeFileSync(join(profile, "events/order.placed.schema.json"), JSON.stringify(schema));
});

describe("types of hostile descriptions and values", () => {
  it("compile in TypeScript", async () => {
    expect(compileTypeScript(await written("typescript", profile))).toBe("");
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
    skip(...missing("javac"));
    expect(compileJava(await written("java", profile))).not.toContain("error:");
  });
});
