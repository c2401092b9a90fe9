import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { reference } from "@countersign/schemas/providers";
import { providersByName } from "@countersign/schemas/providers-by-name";
import { describe, expect, it } from "vitest";
import { freePort } from "../../../test/free-port.ts";
import { ciAfter } from "../../../test/tags.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { verify } from "./verify-sender.ts";

describe("countersign verify sender", () => {
  it(
    "passes an honest sender, which repeats its event in the foreground",
    { tags: "ci", timeout: 180_000 },
    async () => {
      const { status, out } = await verify(["--wait", "20"]);
      expect(out.match(/^(?:FAIL|warn|error).*/gm)).toBeNull();
      for (const id of [
        "SIGNED",
        "ID-KEPT",
        "RETRY-AFTER",
        "NO-REDIRECT",
        "SUCCESS",
        "TLS",
        "GONE",
      ])
        expect(out).toMatch(new RegExp(`^pass {3}P-EVENT-${id} `, "m"));
      expect(status).toBe(0);
    },
  );

  it("verifies a sender that knows one URL only", { tags: "ci" }, async () => {
    const port = await freePort(43_210);
    const at = ["--listen", `127.0.0.1:${port}`];
    const env = { SENDER_URL: `http://127.0.0.1:${port}/webhooks` };
    const { status, out } = await verify(
      [...at, "--only", "sender/deliveries", "sender/gone"],
      env,
    );
    expect(out).toMatch(/^pass {3}P-EVENT-SIGNED/m);
    expect(out).toMatch(/^n\/a: .*--subscribe\S*\n {2}P-EVENT-GONE$/m);
    expect(out).not.toMatch(/^ +$/m);
    expect(status).toBe(0);
  });

  const mistakes = [
    ["unsigned-id", "P-EVENT-SIGNED", "sender/deliveries"],
    ["new-body", "P-EVENT-ID-KEPT", "sender/retries"],
    ["follows", "P-EVENT-NO-REDIRECT", "sender/attempt-answers"],
    ["decodes-url", "P-EVENT-HEADER-INJECTION", "sender/header-injection"],
    ["media", "P-EVENT-HEADERS", "sender/deliveries"],
    ["debug", "P-EVENT-NO-SECRETS", "sender/deliveries"],
    ["old-time", "P-EVENT-TIMESTAMP", "sender/retries"],
    ["new-id", "P-EVENT-ID-KEPT", "sender/retries"],
    ["never-retries", "P-EVENT-RETRY", "sender/retries"],
    ["type-header", "P-EVENT-HEADER-INJECTION", "sender/header-injection"],
    ["time-id", "P-EVENT-ID-UNIQUE", "sender/deliveries"],
  ] as const;
  for (const [index, [fault, requirement, check]] of mistakes.entries())
    it.concurrent(
      `names the mistake ${fault} by ${requirement}`,
      { tags: ciAfter(1, index) },
      async () => {
        const more = [
          "--wait",
          // Only one sender waits so long in vain.
          fault === "never-retries" ? "3" : "20",
          "--only",
          check,
          "--fail-on",
          "exploitable,loses-or-repeats-events",
        ];
        const { status, out } = await verify(more, { SENDER_FAULT: fault });
        expect(out).toMatch(new RegExp(`^FAIL {3}${requirement} `, "m"));
        expect(status).toBe(1);
      },
    );

  it.concurrent.each([
    ["hurries", "P-EVENT-RETRY-AFTER", "sender/retry-after"],
    ["no-dates", "P-EVENT-RETRY-AFTER", "sender/retry-after"],
    ["local-dates", "P-EVENT-RETRY-AFTER", "sender/retry-after"],
    ["even", "P-EVENT-BACKOFF", "sender/retries"],
    ["loop", "P-EVENT-BACKOFF", "sender/retries"],
  ])(
    "names the mistake %s by %s, with a retry that it has measured",
    { tags: "ci" },
    async (fault, id, check) => {
      const more = ["--wait", "20", "--only", "sender/retries", check];
      const { out } = await verify(more, { SENDER_FAULT: fault });
      expect(out).toMatch(new RegExp(`^(?:FAIL|warn) {3}${id} `, "m"));
    },
  );

  it.concurrent(
    "shows the attempt whose answer 4xx ended the retries",
    { tags: "ci" },
    async () => {
      const more = ["--wait", "20", "--only", "sender/retries", "sender/attempt-answers"];
      const { out } = await verify(more, { SENDER_FAULT: "drops-4xx" });
      const [, block = ""] = /^FAIL {3}P-EVENT-SUCCESS (.*?)^ +check /ms.exec(out) ?? [];
      expect(block.match(/(?<=sent.*:\n +)\d+/g)).toEqual([
        expect.stringMatching(/^4/),
        expect.stringMatching(/^4/),
      ]);
    },
  );

  it.concurrent(
    "names a sender that obeys a Retry-After of a day, if its document has a factor",
    { tags: "ci" },
    async () => {
      const sending = { ...reference.sending, retryAfterFactor: 2 };
      const document = { ...providersByName.get("standard-webhooks"), name: "acme", sending };
      const file = join(temporaryFolder(), "acme.json");
      writeFileSync(file, JSON.stringify(document));
      const only = ["--only", "sender/retries", "sender/retry-after"];
      const more = ["--provider", file, "--wait", "20", ...only];
      const [honest, obeying] = await Promise.all([
        verify(more),
        verify(more, { SENDER_FAULT: "obeys" }),
      ]);
      expect(honest.out).toMatch(/^pass {3}P-EVENT-RETRY-AFTER/m);
      expect(obeying.out).toMatch(/^warn {3}P-EVENT-RETRY-AFTER.*\n.*a day/m);
    },
  );

  it(
    "compares events with an OpenAPI document, whose first type it triggers",
    { tags: "ci" },
    async () => {
      const openapi = (name: string, properties: object) => {
        const schema = { type: "object", required: ["data"], properties };
        const content = { "application/json": { schema } };
        const responses = { 204: { description: "taken" } };
        const file = join(temporaryFolder(), "openapi.json");
        const webhooks = { [name]: { post: { requestBody: { content }, responses } } };
        const info = { title: "shop", version: "1" };
        writeFileSync(file, JSON.stringify({ openapi: "3.1.0", info, webhooks }));
        return ["--only", "sender/deliveries", "--openapi", file];
      };
      const name = { type: "string", const: "Zoë" };
      const fits = { data: { type: "object", properties: { name } } };
      const honest = await verify(openapi("order.paid", fits));
      expect(honest.out).toMatch(/^pass {3}P-EVENT-CATALOGUE/m);
      expect(honest.out).toMatch(/^pass {3}P-EVENT-SCHEMA/m);
      const other = await verify(openapi("order.paid", { data: { type: "string" } }));
      expect(other.out).toMatch(/^FAIL {3}P-EVENT-SCHEMA.*\n.*order\.paid: .*data/m);
      const unknown = [...openapi("order.paid", fits), "--types", "order.lost"];
      expect((await verify(unknown)).out).toMatch(/^FAIL {3}P-EVENT-CATALOGUE.*\n.*order\.lost/m);
    },
  );

  it("names a sender that verifies no certificate", { tags: "ci" }, async () => {
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const { status, out, err } = await verify(["--only", "sender/certificates"], env);
    expect(err).toMatch(/^runs --trigger about \d+ times/);
    expect(out).toMatch(/^FAIL {3}P-EVENT-TLS /m);
    expect(status).toBe(1);
  });
});
