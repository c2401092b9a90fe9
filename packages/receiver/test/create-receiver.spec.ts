import { createReceiver, type Inbox, type InboxQueue, memoryInbox } from "@countersign/receiver";
import { github, livekit, paypal, square, stripe } from "@countersign/receiver/providers";
import { redisInbox } from "@countersign/receiver/redis";
import { describe, expect, it, vi } from "vitest";
import { defaultBackoff } from "../src/options.ts";
import { genuine, otherSecret, recordingReceiver, secret, silent } from "./fixtures.ts";

const HORIZON = 76 * 3_600_000;

/** Options as plain JavaScript may pass them. */
const create = (options: object): unknown =>
  createReceiver({ ...silent, inbox: memoryInbox(), ...options });
/** With an inbox that has a queue, as far as options are checked. */
const storing = (workers: object): object => ({
  acknowledge: "after-store",
  inbox: { ...memoryInbox(), queue: {} as InboxQueue } satisfies Inbox,
  workers,
});
const redis = redisInbox({ call: () => Promise.resolve(null) }, { prefix: "shop" });

describe("createReceiver", () => {
  const fooled = { ...github, signature: { ...github.signature, signed: ["header:x"] } };
  const unasked = () => Promise.resolve(undefined);
  const ofStripe = { provider: stripe, secrets: [] };
  const mistakes: Readonly<Record<string, readonly (readonly [string, object, RegExp])[]>> = {
    CS_SECRET_INVALID: [
      ["no secrets", { secrets: undefined }, /at least one secret/],
      ["an empty list of secrets", { secrets: [] }, /at least one secret/],
      ["a text for secrets", { secrets: secret }, /must have at least one secret, or be/],
      ["an unset secret", { secrets: [secret, undefined] }, /secrets\[1\] is undefined/],
      [
        "an unset secret of Stripe",
        { ...ofStripe, secrets: [undefined] },
        /set\? Stripe shows it at: Workb/,
      ],
      [
        "no secret of PayPal, which signs it",
        { provider: paypal, secrets: [], keyOf: unasked },
        /at least one secret, .* PayPal shows it at: .* Webhook ID/,
      ],
      ["an empty list of Stripe", ofStripe, /or be a function\. Stripe shows it at: Workb/],
    ],
    CS_OPTION_UNKNOWN: [
      ["a mistyped option", { fallbak: 1 }, /"fallbak"; expected one of "provider", "secrets", /],
      ["a mistyped limit", { limits: { bodybytes: 1 } }, /"limits.bodybytes"; .* "bodyBytes", /],
      ["a mistyped member of workers", storing({ concurency: 1 }), /"workers.concurency"; expect/],
    ],
    CS_OPTION_INVALID: [
      ["no fallback", { fallback: undefined }, /"fallback" must be a function/],
      ["a catalogue without events", { catalogue: null }, /"catalogue" must be/],
      ["an inbox without methods", { inbox: {} }, /"inbox" must be memoryInbox\(\)/],
      ["a log that cannot log", { log: true }, /"log" must be false/],
      ["an unknown acknowledge", { acknowledge: "before" }, /"acknowledge" must be/],
      ["a concurrency of 0", storing({ concurrency: 0 }), /workers.concurrency/],
      [
        "a backoff that is not a function",
        storing({ backoff: 5 }),
        /"workers.backoff" must be a f/,
      ],
      ["an empty verifyToken", { verifyToken: "" }, /"verifyToken" must be a text/],
      ["a replay by type", { replay: { push: "no" } }, /"replay" must be "report"/],
      ["limits of null", { limits: null }, /"limits" must be an object/],
      ["a provider that signs the URL without it", { provider: square }, /set "url"/],
      [
        "claims without LiveKit's own",
        { provider: livekit },
        /must have a text for "apiKey": LiveKit/,
      ],
      ["a misspelt claim", { provider: livekit, claims: { apikey: "key" } }, /a text for "apiKey"/],
      [
        "a replay of an unknown type",
        { provider: github, replay: { pusch: "refuse" } },
        /"replay" has the unknown type "pusch"/,
      ],
      ["a provider whose attempts name their keys", { provider: paypal }, /set "keyOf"/],
    ],
    CS_OPTION_CONFLICT: [
      ["a lease no longer than answerMs", { lease: 14_000 }, /"lease" must be longer/],
      ["after-store with memory", { acknowledge: "after-store" }, /needs sqliteInbox or postgres/],
      ["after-store with Redis", { ...storing({}), inbox: redis }, /needs sqliteInbox/],
      ["a retention shorter than the retries", { retention: HORIZON - 1 }, /"retention"/],
      ["workers without after-store", { workers: {} }, /after-store/],
    ],
    CS_PROVIDER_INVALID: [
      ["no provider", { provider: undefined }, /"provider" must be a document/],
      ["a provider's name", { provider: "stripe" }, /must be a document, such as stripe/],
      ["a document that could be fooled", { provider: fooled }, /: invalid provider "github": /],
    ],
  };

  it.each(
    Object.entries(mistakes).flatMap(([code, rows]) =>
      rows.map(([what, options, message]) => [what, code, options, message] as const),
    ),
  )("refuses %s with a TypeError of the code %s", (_what, code, options, message) => {
    expect(() => create(options)).toThrow(TypeError);
    expect(() => create(options)).toThrow(message);
    expect(() => create(options)).toThrow(expect.objectContaining({ code }) as Error);
    expect(() => create(options)).toThrow(new RegExp(`^${code}: createReceiver: `));
  });

  it("[R-SECRET-FORM] A7: refuses bad secrets, also next to a good one, without printing them", () => {
    for (const value of [
      "",
      undefined,
      7,
      "whsec_!!!",
      `${secret} `,
      `"${secret}"`,
      { raw: new Uint8Array(23) },
      "hunter2hunter2",
      "$WEBHOOK_SECRET",
      // A6: a public key of small order.
      `whpk_${Buffer.from(`01${"00".repeat(31)}`, "hex").toString("base64")}`,
      `whsk_${Buffer.alloc(64, 7).toString("base64")}`,
    ])
      for (const secrets of [[value], [otherSecret, value]]) {
        expect(() => create({ secrets })).toThrow(TypeError);
        expect(() => create({ secrets })).not.toThrow(otherSecret.slice(6));
        if (typeof value === "string" && value.length > 12)
          expect(() => create({ secrets })).not.toThrow(value.trim().slice(4));
      }
  });

  it("takes one set of options for every provider, and uses nothing that one has no use for", async () => {
    const shared = { verifyToken: "x", keyOf: unasked, claims: { apiKey: "key" } };
    const { receiver } = recordingReceiver(shared);
    expect((await receiver.receive(genuine)).kind).toBe("handled");
  });

  it("A20: refuses a limit that switches a check off", () => {
    for (const name of ["bodyBytes", "bodyMs", "answerMs"])
      for (const value of [Number.NaN, -1, 0, 1.5, Infinity, "1mb", "1024", null])
        expect(() => create({ limits: { [name]: value } })).toThrow(
          `"limits.${name}" must be a positive integer`,
        );
  });

  it("refuses a call without options, and takes options at their bounds", () => {
    const call = createReceiver as () => unknown;
    expect(() => call()).toThrow(/missing options; expected \{ provider, secrets/);
    expect(() => create({ retention: HORIZON })).not.toThrow();
    expect(() => create(storing({ concurrency: 1, maxAttempts: 1, pollMs: 1 }))).not.toThrow();
  });
});

describe("on", () => {
  const { receiver } = recordingReceiver();

  it.each<[string, string, RegExp]>([
    [
      "a mistyped name",
      "refund.autorized",
      /unknown type or category; expected one of .*"refund.authorized", /,
    ],
    ["a mistyped category", "PAYMNT", /unknown type or category; .*"PAYMENT"/],
    ["a name from an object's prototype", "constructor", /unknown type or category/],
    ["the name *", "*", /"fallback" option/],
    ["an empty name", "", /"fallback" option/],
    ["a second handler of one name", "PAYMENT", /already exists/],
  ])("refuses %s with a TypeError", (_what, name, message) => {
    const register = (): unknown => receiver.on(name as "PAYMENT", () => undefined);
    expect(register).toThrow(TypeError);
    expect(register).toThrow(expect.objectContaining({ code: "CS_HANDLER_INVALID" }) as Error);
    expect(register).toThrow(message);
  });

  it("says how to add a type that is newer than a vendor's catalogue", () => {
    const own = createReceiver({ ...silent, provider: stripe, inbox: memoryInbox() });
    expect(() => own.on("brand.new", () => undefined)).toThrow(
      /one of the \d{3} in .* extend a copy$/,
    );
    const catalogue = [...(stripe.catalogue ?? []), { type: "brand.new" }];
    const newer = createReceiver({
      ...silent,
      provider: { ...stripe, catalogue },
      inbox: memoryInbox(),
    });
    expect(() => newer.on("brand.new", () => undefined)).not.toThrow();
  });

  it("refuses a handler that is not a function, and any after the first attempt", async () => {
    expect(() => receiver.on("refund.failed", {} as () => void)).toThrow(/must be a function/);
    await receiver.receive(genuine);
    expect(() => receiver.on("refund.failed", () => undefined)).toThrow(/before the first attempt/);
  });
});

it("onOutcome changes no outcome by throwing, and its error is logged", async () => {
  const error = vi.fn<(text: string) => void>();
  const { receiver } = recordingReceiver({
    log: { warn: error, error },
    onOutcome: () => {
      throw new Error("metrics are away");
    },
  });
  expect((await receiver.receive(genuine)).kind).toBe("handled");
  const line = expect.stringContaining("onOutcome threw: Error: metrics are away") as string;
  expect(error.mock.calls).toEqual([[line]]);
});

describe("respond", () => {
  it("replaces the default answers", async () => {
    const { receiver } = recordingReceiver({
      respond: ({ kind }) => ({ status: 599, headers: {}, body: kind }),
    });
    const { response } = await receiver.answer(genuine);
    expect(response).toEqual({ status: 599, headers: {}, body: "handled" });
  });

  it.each([204, 205, 304])("sends no body with the status %i, which has none", async (status) => {
    const { receiver } = recordingReceiver({
      respond: () => ({ status, headers: { a: "b" }, body: "text" }),
    });
    const { response } = await receiver.answer(genuine);
    expect(response).toEqual({ status, headers: { a: "b" }, body: "" });
  });

  it.each<readonly [given: object | undefined, message: RegExp]>([
    ...[99, 199, 600, 200.5, "200"].map(
      (status) => [{ status }, /status from 200 to 599$/] as const,
    ),
    // A line break, a text beyond Latin-1, a number.
    ...["a\r\nb: c", "\u0100", 1].map((x) => [{ headers: { x } }, /invalid header "x"$/] as const),
    ...["a b", ""].map((name) => [{ headers: { [name]: "c" } }, /invalid header "/] as const),
    [{ body: {} }, /must return a text as "body"$/],
    [undefined, /undefined/],
    [new Error("no such template"), /^no such template$/],
  ])("is replaced by 503 and reported if it returns or throws %o", async (given, message) => {
    const { receiver, outcomes } = recordingReceiver({
      // As plain JavaScript may return it.
      respond: (): never => {
        if (given instanceof Error) throw given;
        return (given && { status: 200, headers: {}, body: "", ...given }) as never;
      },
    });
    const { outcome, response } = await receiver.answer(genuine);
    const error = { message: expect.stringMatching(message) as string };
    expect(outcome).toMatchObject({ kind: "failed", code: "CS_RECEIVER_FAILED", error });
    const body = '{"code":"CS_RECEIVER_FAILED","id":"evt_refund1"}';
    expect(response).toMatchObject({ status: 503, body });
    expect(outcomes).toEqual([outcome]);
  });
});

it("the default backoff waits between half of its longest and its longest, which grows fourfold to six hours", () => {
  const random = vi.spyOn(Math, "random");
  const seconds = [5, 20, 80, 320, 1280, 5120, 20_480, 21_600, 21_600];
  for (const [value, part] of [
    [0, 0.5],
    [1, 1],
  ] as const) {
    random.mockReturnValue(value);
    for (const [index, longest] of seconds.entries())
      expect(defaultBackoff(index + 1)).toBe(longest * part * 1000);
  }
  random.mockRestore();
});
