import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import { listen } from "../../service/test/sandbox/listen.ts";
import { ran } from "./ran.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const key = Buffer.from("a canary that sings in a mine 32");
const SECRET = `whsec_${key.toString("base64")}`;
const TOKEN = "canary-token-of-this-test-alone";

const isReport = new Ajv2020({ allErrors: true }).compile(
  createRequire(import.meta.url)("@countersign/contract-kit/schemas/report.schema.json") as object,
);

/** A target that answers with all that it was sent and with what it knows, plain and in base64. */
const openEcho = (known: readonly string[]): Promise<string> =>
  listen((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const coded = known.map((one) => [one, Buffer.from(one).toString("base64")]);
      const told = { headers: request.headers, body: Buffer.concat(chunks).toString(), coded };
      response.writeHead(200, { "content-type": "application/json", "x-echo": known.join(" ") });
      response.end(JSON.stringify(told));
    });
  });

it.each([
  ["receiver", "COUNTERSIGN_SECRET", SECRET, ["receiver/forged"]],
  ["provider", "COUNTERSIGN_TOKEN", TOKEN, ["provider/common-headers"]],
  ["provider", "COUNTERSIGN_STATE_TOKEN", TOKEN, ["provider/common-headers"]],
] as const)(
  "verify %s prints and reports no value of %s, whatever the target echoes",
  async (which, variable, secret, only) => {
    const bytes = [Buffer.from(secret), ...(which === "receiver" ? [key] : [])];
    const url = await openEcho([secret, ...bytes.map((one) => one.toString("hex"))]);
    const folder = temporaryFolder();
    const formats = ["junit", "json", "html", "github"];
    const files = formats.map((format) => `${format}=${join(folder, format)}`).join(",");
    const args = ["verify", which, "--url", `${url}/hooks?key=a-key-in-the-query`];
    const env = { COUNTERSIGN_TOKEN: "another-token-of-this-test", [variable]: secret };
    const { out, err, status } = await ran([...args, "--report", files, "--only", ...only], env);
    expect(status).toBe(1);
    expect(out).toContain("[secret]");
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    expect(texts).toHaveLength(formats.length);
    isReport(JSON.parse(readFileSync(join(folder, "json"), "utf8")));
    expect(isReport.errors ?? []).toEqual([]);
    const forms = bytes.flatMap((one) => {
      const base64 = one.toString("base64");
      return [one.toString("hex"), base64.replace(/=+$/, ""), one.toString("base64url")];
    });
    const all = [secret, ...forms, "a-key-in-the-query"];
    for (const text of [...texts, out, err])
      expect(all.filter((form) => text.includes(form))).toEqual([]);
  },
);
