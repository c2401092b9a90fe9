import { providersByName } from "@countersign/schemas/providers-by-name";
import { describe, expect, it } from "vitest";
import { attemptMaker } from "../../src/attempts.ts";
import { Signing } from "../../src/harness/signing.ts";

function makerFor(name: string, types?: readonly string[]) {
  const provider = providersByName.get(name);
  if (provider === undefined) throw new TypeError(`no provider ${name}`);
  const { catalogue = [] } = provider;
  const rows = catalogue.length > 0 ? catalogue : [{ type: "cstest.added" }];
  return attemptMaker({
    provider,
    url: new URL("http://localhost:3000/hooks?team=7"),
    secrets: [new Signing(provider).stranger("own")],
    prefix: "evt_cstest",
    rows: types?.map((type) => ({ type })) ?? rows,
    now: () => 1_790_000_000_000,
  });
}

/** Returns a genuine attempt of a provider's first type: its headers by name in lower case, and its body. */
function genuineOf(name: string, type = "") {
  const maker = makerFor(name);
  const row = maker.events.rows.find((one) => one.type === type);
  const { headers, body } = maker.attempt({ row });
  return {
    headers: Object.fromEntries(headers.map(([key, value]) => [key.toLowerCase(), value])),
    body: Buffer.from(body).toString(),
  };
}

it("an attempt carries the number of retries where the provider sends it", () => {
  const maker = makerFor("slack", ["app_mention"]);
  const { headers } = maker.attempt({ retries: 2 });
  expect(headers).toContainEqual(["X-Slack-Retry-Num", "2"]);
});

it("an event's type of several parts is split over header and body", () => {
  const maker = makerFor("github", ["issues.opened"]);
  const { headers, text } = maker.event();
  expect(headers).toContainEqual(["X-GitHub-Event", "issues"]);
  expect(JSON.parse(text)).toMatchObject({ action: "opened" });
});

it("an event of a form keeps the URL's query and is signed with it", () => {
  const maker = makerFor("twilio", ["message.received"]);
  const attempt = maker.attempt();
  expect(attempt.path).toBe("/hooks?team=7");
  expect(Buffer.from(attempt.body).toString()).toMatch(
    /^MessageSid=evt_cstest_1&SmsStatus=received/,
  );
  expect(maker.isGenuine(attempt)).toBe(true);
  expect(maker.isGenuine({ ...attempt, path: "/hooks?team=8" })).toBe(false);
});

describe("a genuine attempt", () => {
  it("of Shopify has the headers that its library demands", () => {
    const { headers } = genuineOf("shopify");
    expect(headers["x-shopify-topic"]).toBe("app/scopes_update");
    expect(headers["x-shopify-shop-domain"]).toMatch(/\.myshopify\.com$/);
    expect(headers["x-shopify-api-version"]).toMatch(/^\d{4}-\d{2}$/);
    expect(headers["x-shopify-webhook-id"]).toMatch(/cstest/);
  });

  it("of GitHub names the hook and the sender", () => {
    const { headers, body } = genuineOf("github");
    expect(headers["x-github-hook-id"]).toMatch(/^\d+$/);
    expect(headers["x-github-hook-installation-target-type"]).toBe("repository");
    expect(JSON.parse(body)).toHaveProperty("sender.login");
  });

  it.each([
    ["stripe", ["object", "api_version", "data.object", "request", "livemode"]],
    ["slack", ["type", "team_id", "api_app_id", "event.type"]],
    ["square", ["merchant_id", "data.type", "data.id", "data.object"]],
    ["openai", ["object", "id", "data.id"]],
    ["standard-webhooks", ["type", "timestamp", "data"]],
    ["paddle", ["notification_id", "data"]],
  ])("of %s has the members of its envelope", (name, members) => {
    const body: unknown = JSON.parse(genuineOf(name).body);
    for (const member of members) expect(body).toHaveProperty(member);
  });

  it("of Twilio has each field that the id and the type are joined of", () => {
    const fields = new URLSearchParams(genuineOf("twilio").body);
    for (const name of ["MessageSid", "SmsStatus", "AccountSid", "From", "To"])
      expect(fields.get(name)).toMatch(/./);
  });

  it("of a call by Twilio has none of a message's fields", () => {
    const fields = new URLSearchParams(genuineOf("twilio", "call.completed").body);
    expect(fields.get("CallSid")).toBe("evt_cstest_1");
    expect(fields.get("CallStatus")).toBe("completed");
    expect(fields.has("MessageSid") || fields.has("SmsStatus")).toBe(false);
  });
});
