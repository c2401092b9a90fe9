import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { diffRules } from "@countersign/contract-kit/diff";
import { describe, expect, it } from "vitest";
import { containing } from "./fixtures.ts";
import { ran } from "./ran.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const schemas = fileURLToPath(new URL("../../../schemas/documents", import.meta.url));
const request = "resources/refund-request.schema.json";

/** A copy of the published refund request in which one text is another; the folder of it. */
function changed(from: string, to: string): string {
  const copy = temporaryFolder();
  cpSync(schemas, copy, { recursive: true });
  const text = readFileSync(join(copy, request), "utf8");
  expect(text).toContain(from);
  writeFileSync(join(copy, request), text.replace(from, to));
  return copy;
}
const breaking = (): string =>
  changed('"amount","requestKey"]', '"amount","requestKey","softDescriptor"]');

function folderWith(path: string, text: string): string {
  const folder = temporaryFolder();
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
  return folder;
}

describe("countersign diff", () => {
  it("exits with 1 for a breaking change and prints its direction, rule and place, also as JSON", async () => {
    const args = ["diff", schemas, breaking()];
    const place = `${request}#/properties/softDescriptor`;
    expect(await ran(args)).toEqual({
      status: 1,
      out: `ERR   request   member-became-required  ${place}\n`,
      err: "1 change: 1 ERR, 0 WARN, 0 INFO\n",
    });
    const { status, out, err } = await ran([...args, "--json"]);
    const rule = { rule: "member-became-required", direction: "request", severity: "ERR" };
    expect({ status, err }).toEqual({ status: 1, err: "" });
    expect(JSON.parse(out)).toEqual({ changes: [{ ...rule, place, message: "softDescriptor" }] });
  });

  it("exits with 0 for a compatible change, unless --fail-on names its severity", async () => {
    const args = ["diff", schemas, changed('"maxLength":80', '"maxLength":90')];
    const { status, out } = await ran(args);
    expect({ status, out }).toEqual({
      status: 0,
      out: `INFO  request   bound-loosened  ${request}#/properties/softDescriptor  maxLength 80 → 90\n`,
    });
    expect((await ran([...args, "--fail-on", "WARN"])).status).toBe(0);
    expect((await ran([...args, "--fail-on", "INFO"])).status).toBe(1);
  });

  it("takes severities from a file", async () => {
    const text = '{"member-became-required":{"request":"WARN"}}';
    const file = join(folderWith("severities.json", text), "severities.json");
    const { status, out } = await ran(["diff", schemas, breaking(), "--severity", file]);
    expect([status, out]).toEqual([0, expect.stringMatching(/^WARN {2}request/)]);
  });

  it("lists its rules, also as JSON", async () => {
    const { status, out } = await ran(["diff", "--rules"]);
    expect(status).toBe(0);
    expect(out.trim().split("\n")).toHaveLength(1 + Object.keys(diffRules).length);
    expect(out).toMatch(/^member-added-required +ERR +INFO +INFO +\S/m);
    expect(JSON.parse((await ran(["diff", "--rules", "--json"])).out)).toEqual(diffRules);
  });

  it("exits with 2 for a removed document that others name, and a schema outside the subset", async () => {
    const without = temporaryFolder();
    cpSync(schemas, without, { recursive: true });
    rmSync(join(without, "events/refund.failed.schema.json"));
    const folders = (text: string) =>
      Array.from({ length: 2 }, () => folderWith("a.schema.json", text));
    for (const [folder, said] of [
      [[schemas, without], "unknown document events/refund.failed.schema.json"],
      [folders('{"allOf":[{"type":"string"}]}'), "the keyword allOf is unknown"],
      [folders('{"$ref":"a.schema.json"}'), "they refer to themselves"],
      [folders("{"), "cannot be read"],
    ] as const)
      expect(await ran(["diff", ...folder])).toMatchObject({
        status: 2,
        out: "",
        err: containing(said),
      });
  });

  it("compares OpenAPI files: parameters, bodies, webhooks and removed calls", async () => {
    const file = fileURLToPath(new URL("../../../schemas/openapi.json", import.meta.url));
    const text = readFileSync(file, "utf8");
    const other = (from: string, to: string): string => {
      expect(text).toContain(from);
      return join(folderWith("openapi.json", text.replaceAll(from, to)), "openapi.json");
    };
    const told = async (now: string): Promise<readonly string[]> => {
      const { out } = await ran(["diff", file, now]);
      return [...new Set(out.split("\n").map((line) => line.split(/ {2,}/).slice(0, 3).join(" ")))];
    };
    for (const [from, to, change] of [
      ['"name": "CUSTOMER_ID"', '"name": "ID"', "ERR request member-added-required"],
      ['"maxLength": 80', '"maxLength": 70', "ERR request bound-tightened"],
      ['"payment.failed"', '"payment.ended"', "ERR event document-removed"],
      ['"/v1/refunds"', '"/v2/refunds"', "ERR request document-removed"],
    ] as const)
      expect(await told(other(from, to))).toContain(change);
    const foreign = join(folderWith("openapi.json", '{"openapi":"3.0.3"}'), "openapi.json");
    const { status, err } = await ran(["diff", file, foreign]);
    expect([status, err]).toEqual([2, expect.stringContaining("expected OpenAPI 3.1, got 3.0.3")]);
  });
});
