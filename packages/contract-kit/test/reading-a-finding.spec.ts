import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { entryOfFinding } from "../src/report/report-document.ts";
import { terminalEntry } from "../src/report/terminal.ts";
import { requirements } from "../src/requirements.ts";
import { shownBytes } from "../src/shown-bytes.ts";

const page = readFileSync(new URL("../../../docs/reading-a-finding.md", import.meta.url), "utf8");

const sent = [
  "POST /webhooks HTTP/1.1",
  "Host: 127.0.0.1:3000",
  "webhook-id: cstest_1",
  "webhook-timestamp: 1760000000",
  "webhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  "",
  '{"id":"cstest_1","amount":999}',
].join("\r\n");

it("the page on how to read a finding shows one as it is printed", () => {
  const requirement = requirements("receiver").find(({ id }) => id === "R-VERIFY-TAMPERED");
  expect(requirement).toBeDefined();
  if (requirement === undefined) return;
  const entry = entryOfFinding(
    {
      check: "receiver/tampered",
      requirement,
      status: "fail",
      message: "one byte of the body was changed after signing: a refusal expected, 204 came",
      evidence: {
        curl: [],
        exchanges: [
          { sent: shownBytes(sent), received: shownBytes("HTTP/1.1 204 No Content\r\n\r\n") },
        ],
      },
      ms: 1,
    },
    {
      seed: 1,
      replay: (check, { seed }) =>
        `countersign verify receiver --url http://127.0.0.1:3000/webhooks --only ${check} --seed ${seed}`,
    },
  );
  const [, block] = /```text\n([\s\S]*?)```/.exec(page) ?? [];
  expect(block).toBe(terminalEntry(entry).join("\n"));
});
