import { createReceiver } from "@countersign/receiver";
import { github, paypal, slack, stripe, twilio } from "@countersign/receiver/providers";
import { emitterEventNames } from "@octokit/webhooks";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { attemptOf, receiverOf } from "./any-provider.ts";
import { NOON, secret } from "./fixtures.ts";

const url = "https://shop.example/twilio";

describe("the catalogue", () => {
  it("of GitHub names every event of octokit, but a sample and the ping that is answered as a handshake", () => {
    const names = new Set(
      github.catalogue?.flatMap(({ type }) => [type, type.replace(/\..*/s, "")]),
    );
    expect(emitterEventNames.filter((name) => !names.has(name))).toEqual([
      "ping",
      "repository_dispatch.sample.collected",
    ]);
  });

  it("of Stripe names every event of its SDK", () => {
    const file = new URL("../node_modules/stripe/esm/resources/Events.d.ts", import.meta.url);
    const types = [...readFileSync(file, "utf8").matchAll(/^ +type: '([\w.]+)';/gm)];
    const names = new Set(stripe.catalogue?.map(({ type }) => type));
    expect(types.length).toBeGreaterThan(200);
    expect(types.filter(([, type = ""]) => !names.has(type))).toEqual([]);
  });

  it.each([
    ["PAYMENT.REFUND.FAILED", paypal],
    ["CUSTOMER.ACCOUNT-LIMITATION.ADDED", paypal],
    ["dialog_submission", slack],
    ["repository_dispatch", github],
  ])("names %s", (type, { catalogue = [] }) => {
    expect(catalogue.map((row) => row.type)).toContain(type);
  });

  it.each([
    ["task.created", "task", "WorkspaceSid=WS1&Sid=EV1&EventType=task.created"],
    ["onMessageAdded", "conversations", "EventType=onMessageAdded&MessageSid=IM1"],
    [
      "conference.participant-join",
      "conference",
      "ConferenceSid=CF1&SequenceNumber=1&StatusCallbackEvent=participant-join",
    ],
    [
      "room.track-added",
      "room",
      "RoomSid=RM1&SequenceNumber=1&StatusCallbackEvent=track-added&Timestamp=2026-09-21T14:13:10Z",
    ],
    ["request", "request", "Body=text"],
  ])("of Twilio has handlers of %s and of its category %s", async (type, category, fields) => {
    for (const name of [type, category]) {
      const options = {
        provider: twilio,
        secrets: [secret],
        url,
        now: () => NOON,
        log: false as const,
      };
      const receiver = createReceiver({ ...options, fallback: () => {} }).on(name, () => {});
      const attempt = attemptOf(twilio, `${fields}&AccountSid=AC1`, { url });
      expect(await receiver.receive(attempt)).toMatchObject({ kind: "handled" });
    }
  });
});

describe("a call of Twilio", () => {
  it.each(["", "&TranscriptionStatus=completed"])(
    "without an idempotency token runs each of its requests for TwiML%s",
    async (more) => {
      const { receiver, seen } = receiverOf(twilio, { url });
      for (const digit of ["1", "2", "2"]) {
        const fields = `CallSid=CA1&CallStatus=in-progress&AccountSid=AC1&Digits=${digit}${more}`;
        expect((await receiver.receive(attemptOf(twilio, fields, { url }))).kind).toBe("unrouted");
      }
      expect(seen).toHaveLength(3);
    },
  );
});

it("Slack's ssl_check is answered with the status that Slack expects", async () => {
  const { receiver } = receiverOf(slack);
  const { outcome, response } = await receiver.answer(
    attemptOf(slack, "ssl_check=1&token=t", {
      headers: { "content-type": "application/x-www-form-urlencoded" },
    }),
  );
  expect([outcome.kind, response.status]).toEqual(["handshake", 200]);
});
