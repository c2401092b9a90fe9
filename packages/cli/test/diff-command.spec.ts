import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { diffRules } from "@countersign/contract-kit";
import { describe, expect, it, onTestFinished } from "vitest";
import { ran } from "./ran.ts";

const schemas = fileURLToPath(new URL("../../../schemas/documents", import.meta.url));

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "countersign-diff-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** A copy of the published schemas, in which one text of one file is another. */
function changed(path: string, [from, to]: readonly [string, string]): string {
  const copy = folder();
  cpSync(schemas, copy, { recursive: true });
  const text = readFileSync(join(copy, path), "utf8");
  if (!text.includes(from)) throw new Error(`${path} has no ${from}`);
  writeFileSync(join(copy, path), text.replace(from, to));
  return copy;
}

function only(path: string, text: string): string {
  const made = folder();
  mkdirSync(dirname(join(made, path)), { recursive: true });
  writeFileSync(join(made, path), text);
  return made;
}

const request = "resources/refund-request.schema.json";
const needed = [
  '"required":["paymentId","amount","requestKey"]',
  '"required":["paymentId","amount","requestKey","softDescriptor"]',
] as const;

describe("countersign diff", () => {
  it("ends with 0 where nothing has changed", async () => {
    expect(await ran(["diff", schemas, schemas])).toEqual({
      status: 0,
      out: "",
      err: "0 changes: 0 ERR, 0 WARN, 0 INFO\n",
    });
  });

  it("ends with 1 where a change breaks somebody, and says whom and where", async () => {
    const { status, out, err } = await ran(["diff", schemas, changed(request, needed)]);
    expect({ status, out, err }).toEqual({
      status: 1,
      out: `ERR   request   member-became-required  ${request}#/properties/softDescriptor\n`,
      err: "1 change: 1 ERR, 0 WARN, 0 INFO\n",
    });
  });

  it("ends with 0 where a change breaks nobody, unless it is told to mind it", async () => {
    const lenient = changed(request, [
      '"minLength":1,"maxLength":80',
      '"minLength":1,"maxLength":90',
    ]);
    const { status, out } = await ran(["diff", schemas, lenient]);
    expect({ status, out }).toEqual({
      status: 0,
      out: `INFO  request   bound-loosened  ${request}#/properties/softDescriptor  maxLength 80 → 90\n`,
    });
    expect((await ran(["diff", schemas, lenient, "--fail-on", "WARN"])).status).toBe(0);
    expect((await ran(["diff", schemas, lenient, "--fail-on", "INFO"])).status).toBe(1);
  });

  it("takes the severities of a file", async () => {
    const file = only("severities.json", '{"member-became-required":{"request":"WARN"}}');
    const args = ["diff", schemas, changed(request, needed)];
    const { status, out } = await ran([...args, "--severity", join(file, "severities.json")]);
    expect(status).toBe(0);
    expect(out).toMatch(/^WARN {2}request/);
  });

  it("prints JSON with --json", async () => {
    const { status, out, err } = await ran(["diff", schemas, changed(request, needed), "--json"]);
    expect({ status, err }).toEqual({ status: 1, err: "" });
    expect(JSON.parse(out)).toEqual({
      changes: [
        {
          rule: "member-became-required",
          direction: "request",
          severity: "ERR",
          place: `${request}#/properties/softDescriptor`,
          message: "softDescriptor",
        },
      ],
    });
  });

  it("lists its rules", async () => {
    const { status, out } = await ran(["diff", "--rules"]);
    expect(status).toBe(0);
    expect(out.trim().split("\n")).toHaveLength(1 + Object.keys(diffRules).length);
    expect(out).toMatch(/^member-added-required +ERR +INFO +INFO +a required member is new$/m);
    expect(JSON.parse((await ran(["diff", "--rules", "--json"])).out)).toEqual(diffRules);
  });

  it.each([
    ["without folders", []],
    ["with one folder", [schemas]],
    ["with a folder that is not there", [schemas, "/no/such/folder"]],
    ["with a severity that is none", [schemas, schemas, "--fail-on", "FATAL"]],
    ["with a file that is not there", [schemas, schemas, "--severity", "/no/such/file"]],
  ])("ends with 2 %s", async (_how, args) => {
    const { status, out, err } = await ran(["diff", ...args]);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toMatch(/^countersign: CS_CLI_ARGUMENT_UNUSABLE: /);
  });

  it.each([
    '{"no-such-rule":"ERR"}',
    '{"deprecated":"FATAL"}',
    '{"deprecated":{"query":"ERR"}}',
    "[]",
    "{",
  ])("ends with 2 for the severities %s", async (text) => {
    const file = join(only("severities.json", text), "severities.json");
    const { status, err } = await ran(["diff", schemas, schemas, "--severity", file]);
    expect(status).toBe(2);
    expect(err).toMatch(/^countersign: CS_CLI_ARGUMENT_UNUSABLE: /);
  });

  it("ends with 2 where a schema cannot be compared or read", async () => {
    const foreign = only("a.schema.json", '{"type":"string","contentEncoding":"base64"}');
    expect(await ran(["diff", foreign, foreign])).toMatchObject({
      status: 2,
      err: expect.stringContaining("contentEncoding") as unknown,
    });
    expect((await ran(["diff", schemas, only("a.schema.json", "{")])).status).toBe(2);
  });
});
