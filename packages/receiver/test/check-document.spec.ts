import { createReceiver, memoryInbox, verifyEvent } from "@countersign/receiver";
import {
  adyenPayments,
  discord,
  meta,
  type ProviderDocument,
  shopify,
  slack,
  stripe,
  zoom,
} from "@countersign/receiver/providers";
import { validateProviderDocument } from "@countersign/schemas/provider-validator";
import { providersByName } from "@countersign/schemas/providers-by-name";
import { expect, it, vi } from "vitest";
import { genuine, secret } from "./fixtures.ts";

const options = { secrets: [secret], fallback: () => undefined, inbox: memoryInbox() };
const when = [{ at: "body:/type", equals: "ping" }];
const { event } = stripe;

it.each<readonly [what: string, members: object, message: RegExp]>([
  ["no event", { event: undefined }, /"event" must be an object such as \{ "id"/],
  ["no type", { event: { id: "body:/id" } }, /"event\/type" must be a place, /],
  [
    "an id without a colon",
    { event: { ...event, id: "body/id" } },
    /"event\/id" must be a place such/,
  ],
  [
    "a misspelt member",
    { event: { ...event, acount: "body:/a" } },
    /"event\/acount" must be left out/,
  ],
  ["a word for retries", { retries: "sometimes" }, /"retries" must be "none" or such as/],
  ["a text of media", { media: "application/json" }, /"media" must be a list/],
  [
    "a handshake for every event",
    { handshakes: [{ when: [], answer: {} }] },
    /"handshakes\/0\/when" must be a list/,
  ],
  [
    "a handshake without an answer",
    { handshakes: [{ when }] },
    /"handshakes\/0\/answer" must be an object/,
  ],
  [
    "a condition on nothing",
    { handshakes: [{ when: [{ at: "body:/a" }], answer: {} }] },
    /"handshakes\/0\/when"/,
  ],
  [
    "a variant for every event",
    { variants: [{ when: [], event }] },
    /"variants\/0\/when" must be one or more/,
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

const WRONG: readonly unknown[] = [null, -1, "", "no", true, [], {}, [{}]];
/** Returns copies of a value with one wrong part each. */
function* broken(value: unknown): Generator {
  yield* WRONG;
  if (typeof value !== "object" || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    const others = Array.isArray(value) ? [...(value as unknown[])] : { ...value };
    for (const one of broken(part)) yield Object.assign(others, { [name]: one });
  }
  if (!Array.isArray(value)) yield { ...value, unknown: "body:/id" };
}

it("refuses what its JSON Schema refuses in the parts that receivers read, and accepts every document", () => {
  vi.spyOn(process, "emitWarning").mockReturnValue();
  const refusalOf = (provider: ProviderDocument): string => {
    try {
      verifyEvent(genuine, { provider, secrets: [] });
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };
  const unrefused: string[] = [];
  for (const document of providersByName.values())
    expect(refusalOf(document)).not.toMatch(/^CS_PROVIDER_INVALID/);
  for (const document of [adyenPayments, discord, meta, shopify, slack, stripe, zoom])
    for (const part of ["event", "variants", "handshakes", "retries", "media", "answer"] as const)
      for (const wrong of broken(document[part])) {
        const provider = { ...document, [part]: wrong } as ProviderDocument;
        const isRefused = refusalOf(provider).includes(
          `CS_PROVIDER_INVALID: verifyEvent: invalid provider "${document.name}"`,
        );
        if (!isRefused && !validateProviderDocument(provider).ok)
          unrefused.push(`${document.name} ${part} ${JSON.stringify(wrong)}`);
      }
  expect(unrefused).toEqual([]);
});
