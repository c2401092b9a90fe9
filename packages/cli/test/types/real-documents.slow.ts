import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { missing } from "../fixtures.ts";
import {
  compileJava,
  compilerOutput,
  compileTypeScript,
  imported,
  missingJava,
  runGo,
  written,
} from "./compile.ts";

const documents = fileURLToPath(new URL("../../../../test/openapi/", import.meta.url));

/** The types of a document's events, as the printed TypeScript lists them. */
function typesIn(file: string): readonly string[] {
  const text = readFileSync(file, "utf8");
  const map = /^export type EventTypeMap = \{\n([^]*?)^\};/m.exec(text)?.[1] ?? "";
  return Array.from(map.matchAll(/^ {2}readonly "([^"]*)": /gm), ([, type = ""]) => type);
}

/** A Go program that only needs the package to compile. */
const imports = 'package main\n\nimport _ "use/events"\n\nfunc main() {}\n';

describe.each([
  ["adyen-tokenization-v1.json", 4],
  ["adyen-transfer-v4.json", 2],
  ["rafiki-2026-05.yaml", 13],
  ["svix-3.0-x-webhooks.json", 7],
  ["oai-webhook-example.json", 1],
  ["oai-callback-example.json", 1],
])("the types of %s, which describes %i events,", (file, count) => {
  const document = join(documents, file);

  it("compile in strict TypeScript, and so do its validators", async () => {
    const events = await written("typescript", document);
    expect(typesIn(events)).toHaveLength(count);
    expect(compileTypeScript(events)).toBe("");
    await written("typescript", document, "--validators");
  });

  it("run in Python", async ({ skip }) => {
    skip(...missing("python3"));
    expect(compilerOutput("python3", ["-W", "error", await written("python", document)])).toBe("");
  });

  it("pass go vet and gofmt", async ({ skip }) => {
    skip(...missing("go", "version"));
    expect(runGo(await written("go", document), imports)).toBe("");
  });

  it("compile in Java without a warning", async ({ skip }) => {
    skip(...missingJava());
    const name = file.replaceAll(/\W/g, "_").toLowerCase();
    expect(compileJava(await written("java", document, "--package", name))).toBe("");
  });
});

// Packages of 36 and 9 MB, which no other test needs.
const octokit = fileURLToPath(new URL("../../node_modules/@octokit/", import.meta.url));
const github = join(octokit, "openapi-webhooks/generated/api.github.com.json");
const examples = join(octokit, "webhooks-examples/api.github.com/index.json");
const isMissing = [github, examples].find((path) => !existsSync(path));

interface Example {
  readonly name: string;
  readonly examples: readonly Readonly<Record<string, unknown>>[];
}

describe("the types of GitHub's 261 webhooks", () => {
  const skipped = (skip: (condition: boolean, reason: string) => void): void =>
    skip(
      isMissing !== undefined,
      "needs @octokit/openapi-webhooks 12.1.0 and @octokit/webhooks-examples 7.6.1 in packages/cli/node_modules",
    );

  it("compile in strict TypeScript and parse octokit's examples", async ({ skip }) => {
    skipped(skip);
    const events = await written("typescript", github, "--provider", "github");
    expect(typesIn(events)).toHaveLength(261);
    expect(compileTypeScript(events)).toBe("");
    const { parseEvent } = await imported(events);
    const all = JSON.parse(readFileSync(examples, "utf8")) as readonly Example[];
    const bodies = all.flatMap(({ name, examples: of }) =>
      of.map((body) => {
        const { action } = body;
        return { type: typeof action === "string" ? `${name}.${action}` : name, body };
      }),
    );
    const unknown = bodies.filter(({ type, body }) => {
      const event = parseEvent(type, JSON.stringify(body));
      if (event !== undefined) expect(Object.keys(event["body"] ?? {})).toEqual(Object.keys(body));
      return event === undefined;
    });
    expect(bodies).toHaveLength(329);
    // Its action is chosen by whoever calls GitHub.
    const dispatched = "repository_dispatch.on-demand-test";
    expect(unknown.map(({ type }) => type)).toEqual([dispatched, dispatched]);
  });

  it("compile in Python, Go and Java", async ({ skip }) => {
    skipped(skip);
    skip(...missing("go", "version"));
    skip(...missingJava());
    const provider = ["--provider", "github"];
    const python = await written("python", github, ...provider);
    expect(compilerOutput("python3", ["-W", "error", python])).toBe("");
    expect(runGo(await written("go", github, ...provider), imports)).toBe("");
    const java = await written("java", github, ...provider, "--package", "github");
    expect(compileJava(java)).toBe("");
  });
});
