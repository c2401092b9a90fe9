import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
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
      out: expect.stringMatching(
        /^ERR {3}request {3}member-became-required {2}resources.*\n$/,
      ) as unknown,
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

  it("exits with 2 and one sentence for a document that cannot be read", async () => {
    const without = temporaryFolder();
    cpSync(schemas, without, { recursive: true });
    rmSync(join(without, "events/refund.failed.schema.json"));
    const file = (text: string) => folderWith("a.yaml", text).concat("/a.yaml");
    const webhook = (schema: string): string =>
      `openapi: 3.1.0\nwebhooks: {a: {post: {requestBody: {content: {application/json: {schema: ${schema}}}}}}}\n`;
    for (const [path, code] of [
      ["missing.yaml", "CS_DOCUMENT_UNREADABLE"],
      [without, "CS_DOCUMENT_UNREADABLE"],
      [folderWith("a.schema.json", '{"$ref":"a.schema.json"}'), "CS_DOCUMENT_REFERENCE_CIRCULAR"],
      [folderWith("a.schema.json", "{"), "CS_DOCUMENT_UNREADABLE"],
      [file("a: [1\nb: }"), "CS_DOCUMENT_UNREADABLE"],
      [file("swagger: '2.0'"), "CS_DOCUMENT_UNSUPPORTED"],
      [file(webhook("{$ref: 'https://a.test/b.yaml'}")), "CS_DOCUMENT_REFERENCE_REMOTE"],
      [file(webhook("{$ref: '../b.yaml'}")), "CS_DOCUMENT_REFERENCE_OUTSIDE"],
      [file(webhook("{$ref: '#/components/none'}")), "CS_DOCUMENT_REFERENCE_DANGLING"],
    ] as const) {
      const { status, out, err } = await ran(["diff", schemas, path]);
      expect([path, status, out, err]).toEqual([path, 2, "", containing(code)]);
      // The second line is the link to the page of codes.
      expect(err.trim().split("\n")).toHaveLength(2);
    }
  });

  it.each([["diff"], ["types", "--language", "python", "--out", "events.py", "--openapi"]])(
    "%s exits with 2 and one sentence for a chain of 5,000 schemas",
    async (command, ...options) => {
      const next = (index: number): object =>
        index === 5000 ? { type: "string" } : { $ref: `#/components/schemas/S${index}` };
      const chain = Object.fromEntries(
        Array.from({ length: 5000 }, (_, index) => [
          `S${index}`,
          { type: "object", properties: { next: next(index + 1) } },
        ]),
      );
      const content = { "application/json": { schema: next(0) } };
      const document = {
        openapi: "3.1.0",
        webhooks: { a: { post: { requestBody: { content } } } },
        components: { schemas: chain },
      };
      const file = folderWith("a.json", JSON.stringify(document)).concat("/a.json");
      const files = command === "diff" ? [file, file] : [file];
      const { status, err } = await ran([command, ...options, ...files]);
      expect([status, err]).toEqual([2, containing("CS_DOCUMENT_TOO_LARGE")]);
    },
  );

  it("takes lists of values as open with --open-enums", async () => {
    const file = (values: string): string =>
      folderWith(
        "a.yaml",
        `openapi: 3.0.0\nx-webhooks: {a: {post: {requestBody: {content: {application/json: {schema: {enum: ${values}}}}}}}}\n`,
      ).concat("/a.yaml");
    const args = ["diff", file("[a, b]"), file("[a, b, c]")];
    expect(await ran(args)).toMatchObject({
      status: 1,
      out: 'ERR   event     value-added  events/a application~json#  "c"\n',
    });
    expect(await ran([...args, "--open-enums"])).toMatchObject({
      status: 0,
      out: 'INFO  event     value-added-open  events/a application~json#  "c"\n',
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
      ['"payment.failed"', '"payment.ended"', "ERR event part-removed"],
      ['"/v1/refunds"', '"/v2/refunds"', "ERR request part-removed"],
    ] as const)
      expect(await told(other(from, to))).toContain(change);
  });
});
