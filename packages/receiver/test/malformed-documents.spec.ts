import { createReceiver, memoryInbox, verifyEvent } from "@countersign/receiver";
import { type ProviderDocument, stripe } from "@countersign/receiver/providers";
import { expect, it } from "vitest";
import { genuine, secret } from "./fixtures.ts";

const options = { secrets: [secret], fallback: () => undefined, inbox: memoryInbox() };
const when = [{ at: "body:/type", equals: "ping" }];
const { event } = stripe;
const conditions = /"when" needs conditions such as/;

it.each<readonly [what: string, members: object, message: RegExp]>([
  ["no event", { event: undefined }, /an "event" needs a "type"/],
  ["no type", { event: { id: "body:/id" } }, /an "event" needs a "type"/],
  ["a variant without a type", { variants: [{ when, event: {} }] }, /an "event" needs a "type"/],
  ["an id without a colon", { event: { ...event, id: "body/id" } }, /invalid place "body\/id"/],
  ["a word for retries", { retries: "sometimes" }, /"retries" must be "none" or such as/],
  ["a handshake for every event", { handshakes: [{ when: [], answer: {} }] }, conditions],
  ["a variant for every event", { variants: [{ when: [], event }] }, conditions],
  [
    "a condition on nothing",
    { handshakes: [{ when: [{ at: "body:/a" }], answer: {} }] },
    conditions,
  ],
])("refuses a document with %s and names it", (_what, members, message) => {
  // As plain JavaScript may write it.
  const provider = { ...stripe, ...members } as ProviderDocument;
  for (const start of [
    () => createReceiver({ ...options, provider }),
    () => verifyEvent(genuine, { ...options, provider }),
  ]) {
    expect(start).toThrow(message);
    expect(start).toThrow(/^CS_PROVIDER_INVALID: \w+: invalid provider "stripe": /);
  }
});
