import { providersByName } from "@countersign/schemas/providers-by-name";
import { expect, it } from "vitest";
import { attemptMaker } from "../../src/attempts.ts";

function makerFor(name: string, type: string) {
  const provider = providersByName.get(name);
  if (provider === undefined) throw new Error(`no provider ${name}`);
  return attemptMaker({
    provider,
    url: new URL("http://localhost:3000/hooks?team=7"),
    secrets: ["a-secret-of-this-test-only"],
    prefix: "evt",
    rows: [{ type }],
    now: () => 1_790_000_000_000,
  });
}

it("an attempt carries the number of retries where the provider sends it", () => {
  const maker = makerFor("slack", "app_mention");
  const { headers } = maker.attempt(maker.event(), { retries: 2 });
  expect(headers).toContainEqual(["X-Slack-Retry-Num", "2"]);
});

it("an event's type of several parts is split over header and body", () => {
  const maker = makerFor("github", "issues.opened");
  const { headers, text } = maker.event();
  expect(headers).toContainEqual(["X-GitHub-Event", "issues"]);
  expect(JSON.parse(text)).toMatchObject({ action: "opened" });
});

it("an event of a form keeps the URL's query and is signed with it", () => {
  const maker = makerFor("twilio", "message.received");
  const attempt = maker.genuine();
  expect(attempt.path).toBe("/hooks?team=7");
  expect(Buffer.from(attempt.body).toString()).toMatch(/^MessageSid=evt_1&SmsStatus=received/);
  expect(maker.isGenuine(attempt)).toBe(true);
  expect(maker.isGenuine({ ...attempt, path: "/hooks?team=8" })).toBe(false);
});
