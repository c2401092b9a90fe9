import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { memoryInbox } from "@countersign/receiver";
import {
  github,
  lemonSqueezy,
  meta,
  type ProviderDocument,
  shopify,
  slack,
  square,
  standardWebhooks,
  stripe,
  twilio,
} from "@countersign/receiver/providers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { attemptOf, invoicePaid, line, receiverOf } from "./any-provider.ts";
import { sqliteInTest } from "./inboxes/in-test.ts";
import { nameOf, NOON, otherSecret, secret } from "./fixtures.ts";

describe("the option url", () => {
  const url = "https://shop.example/webhooks/square";
  const event = { event_id: "e1", type: "payment.created", data: { type: "payment" } };

  it("gives the signed URL with the request's query, whatever Host and path the request has", async () => {
    const { receiver } = receiverOf(square, { url });
    const sent = attemptOf(square, event, { url });
    const proxied = {
      ...sent,
      url: "/internal",
      headers: { ...sent.headers, host: "evil.example" },
    };
    expect((await receiver.receive(proxied)).kind).toBe("unrouted");
    const withQuery = attemptOf(square, { ...event, event_id: "e2" }, { url: `${url}?shop=1` });
    expect((await receiver.receive({ ...withQuery, url: "/internal?shop=1" })).kind).toBe(
      "unrouted",
    );
    expect((await receiver.receive({ ...withQuery, url: "/internal?shop=2" })).kind).toBe(
      "rejected",
    );
  });

  it("is an http URL without a query", () => {
    for (const wrong of ["shop.example", "ftp://shop.example", `${url}?a=1`])
      expect(() => receiverOf(square, { url: wrong })).toThrow(/"url" must be the public http/);
  });
});

describe("limits.bodyBytes", () => {
  it.each([
    ["as large as GitHub documents its bodies", github, "unrouted"],
    ["1 MiB for a provider that documents none", stripe, "CS_BODY_TOO_LARGE"],
  ])("is by default %s", async (_what, provider, name) => {
    const { receiver } = receiverOf(provider);
    const event = { id: "evt_1", type: "a.b", created: NOON / 1000, padding: "x".repeat(2 ** 21) };
    const headers = { "x-github-event": "push", "x-github-delivery": "d1" };
    const outcome = await receiver.receive(attemptOf(provider, event, { headers }));
    expect(nameOf(outcome)).toBe(name);
  });
});

describe("a handshake by GET", () => {
  const query = (token: string): string =>
    `/hooks?hub.mode=subscribe&hub.challenge=%3Cb%3E42&hub.verify_token=${token}`;
  const get = { method: "GET", headers: {}, body: new Uint8Array() };

  it("is answered as plain text only with the token, and runs nothing", async () => {
    const { receiver, seen } = receiverOf(meta, { verifyToken: "open-sesame" });
    const answered = await receiver.answer({ ...get, url: query("open-sesame") });
    expect(answered.outcome.kind).toBe("handshake");
    expect(answered.response).toEqual({
      status: 200,
      headers: { "content-type": "text/plain", "x-content-type-options": "nosniff" },
      body: "<b>42",
    });
    for (const url of [query("open-sesam"), query(""), "/hooks"]) {
      const { outcome, response } = await receiver.answer({ ...get, url });
      expect([response.status, response.headers["allow"]]).toEqual([405, "GET, POST"]);
      const facts = { method: "GET", place: "query:hub.verify_token" };
      expect(outcome).toEqual({ kind: "rejected", code: "CS_METHOD_NOT_ALLOWED", facts });
    }
    expect(seen).toEqual([]);
  });

  it("is not answered without the option verifyToken, of which a process warning says so, nor for a provider without one", async () => {
    const warned = vi.spyOn(process, "emitWarning");
    for (const { receiver } of [receiverOf(meta), receiverOf(github)])
      expect((await receiver.answer({ ...get, url: query("undefined") })).response.status).toBe(
        405,
      );
    const text = expect.stringMatching(/Meta .* refused until "verifyToken" is/) as string;
    const code = "CS_HANDSHAKE_TOKEN_MISSING";
    expect(warned.mock.calls).toContainEqual([text, { code }]);
  });

  it("must have a token: its document is refused", () => {
    const when = [{ at: "query:challenge", present: true }];
    const answer = { text: "query:challenge" };
    const provider: ProviderDocument = { ...github, handshakes: [{ when, method: "GET", answer }] };
    expect(() => receiverOf(provider)).toThrow(
      /^CS_PROVIDER_INVALID: .*GitHub: .* would answer anybody: add the place of its "token"$/,
    );
  });

  it("must not sign a stranger's text", () => {
    const when = [{ at: "query:challenge", present: true }];
    const answer = { json: { response: { hmac: "query:challenge" } } };
    const provider: ProviderDocument = { ...github, handshakes: [{ when, method: "GET", answer }] };
    expect(() => receiverOf(provider)).toThrow(/must not sign what a stranger sends/);
  });
});

describe("the option keyOf", () => {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pemOf = (key: KeyObject): string => key.export({ type: "spki", format: "pem" }).toString();
  const pem = pemOf(publicKey);
  const otherPem = pemOf(generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey);
  const provider: ProviderDocument = {
    name: "signed-by-key",
    title: "Signed by key",
    documentation: "https://example.com",
    signature: {
      algorithm: "rsa-sha256",
      key: "spki",
      encoding: "base64",
      carrier: [{ at: "header:x-signature" }],
      signed: ["body"],
      keyFrom: { at: "header:x-key", matches: "key-[0-9]{1,3}" },
    },
    event: { id: "body:/id", type: "body:/type" },
  };
  const sent = (id: string, key = "key-1") => {
    const body = Buffer.from(JSON.stringify({ id, type: "a.b" }));
    const headers = {
      "x-key": key,
      "x-signature": sign("sha256", body, privateKey).toString("base64"),
    };
    return { headers, body };
  };

  it("answers 401 if the secrets function has none for an attempt, also where the secret is a part of the signed text", async () => {
    const signed = ["secret", { text: "." }, "body"] as const;
    const signature = { ...provider.signature, signed };
    const { receiver } = receiverOf(
      { ...provider, signature },
      { secrets: () => ({ tenant: "", secrets: [] }), keyOf: () => Promise.resolve(pem) },
    );
    const { outcome, response } = await receiver.answer(sent("1"));
    expect([nameOf(outcome), response.status]).toEqual(["CS_TENANT_UNKNOWN", 401]);
  });

  it("is asked once for a key that is allowed, and never for another", async () => {
    const keyOf = vi.fn<(value: string) => Promise<string | undefined>>(() => Promise.resolve(pem));
    const { receiver } = receiverOf(provider, { secrets: [], keyOf });
    const kinds = await Promise.all(
      ["1", "2", "3"].map(async (id) => nameOf(await receiver.receive(sent(id)))),
    );
    expect(kinds).toEqual(["unrouted", "unrouted", "unrouted"]);
    expect((await receiver.answer(sent("4", "https://evil.example/"))).response.status).toBe(401);
    expect(keyOf.mock.calls).toEqual([["key-1"]]);
  });

  const stopTime = (): void => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
  };
  const stranger = (name: number) => sent("x", `key-${String(name)}`);

  it("answers 503 if its source is down, 401 for an unknown key, and bounds what strangers can ask", async () => {
    stopTime();
    let answer: () => Promise<string | undefined> = () => Promise.reject(new Error("ECONNREFUSED"));
    const keyOf = vi.fn<(value: string) => Promise<string | undefined>>(() => answer());
    const log = { error: vi.fn<() => void>(), warn: () => {} };
    const { receiver } = receiverOf(provider, { secrets: [], keyOf, log });
    const down = await receiver.answer(sent("1"));
    expect([nameOf(down.outcome), down.response.status]).toEqual(["CS_KEY_UNAVAILABLE", 503]);
    answer = () => Promise.resolve(undefined);
    const unknown = await receiver.answer(sent("1", "key-2"));
    expect([nameOf(unknown.outcome), unknown.response.status]).toEqual(["CS_KEY_UNKNOWN", 401]);
    answer = () => Promise.resolve(pem);
    expect((await receiver.receive(sent("1"))).kind).toBe("unrouted");
    answer = () => Promise.resolve("no key");
    expect(nameOf(await receiver.receive(sent("1", "key-3")))).toBe("CS_KEY_UNAVAILABLE");
    answer = () => Promise.resolve(pem);
    for (let name = 100; name < 200; name += 1) await receiver.receive(stranger(name));
    expect(keyOf).toHaveBeenCalledTimes(20);
    // The others are counted.
    expect(log.error).toHaveBeenCalledTimes(1);
    expect((await receiver.receive(sent("2"))).kind).toBe("unrouted");
  });

  it("keeps a key that has verified an attempt for an hour, and finds it again, whatever names strangers send", async () => {
    stopTime();
    const asked: string[] = [];
    const keyOf = (name: string) => {
      asked.push(name);
      return Promise.resolve(name === "key-1" ? pem : otherPem);
    };
    const { receiver } = receiverOf(provider, { secrets: [], keyOf });
    expect((await receiver.receive(sent("1"))).kind).toBe("unrouted");
    for (let name = 100; name < 300; name += 1) {
      vi.advanceTimersByTime(1000);
      expect(nameOf(await receiver.receive(stranger(name)))).toBe("CS_SIGNATURE_MISMATCH");
    }
    expect((await receiver.receive(sent("2"))).kind).toBe("unrouted");
    expect(asked.filter((name) => name === "key-1")).toHaveLength(1);
    vi.advanceTimersByTime(3_600_000);
    for (let name = 300; name < 400; name += 1) await receiver.receive(stranger(name));
    expect((await receiver.receive(sent("3"))).kind).toBe("unrouted");
    expect(asked.filter((name) => name === "key-1")).toHaveLength(2);
  });

  it("finds a new key a second after strangers have used up the look-ups", async () => {
    stopTime();
    const keyOf = (name: string) => Promise.resolve(name === "key-1" ? pem : undefined);
    const { receiver } = receiverOf(provider, { secrets: [], keyOf });
    for (let name = 100; name < 200; name += 1) await receiver.receive(stranger(name));
    expect(nameOf(await receiver.receive(sent("1")))).toBe("CS_KEY_UNAVAILABLE");
    vi.advanceTimersByTime(1000);
    expect((await receiver.receive(sent("1"))).kind).toBe("unrouted");
  });

  it("may return a JWK as an object, and null for an unknown key; another value is answered 503 and named in the log", async () => {
    const answers: readonly unknown[] = [publicKey.export({ format: "jwk" }), null, 7, { kty: 1 }];
    const outcomes: string[] = [];
    for (const answer of answers) {
      // As plain JavaScript may return it.
      const keyOf = () => Promise.resolve(answer as object);
      const { receiver } = receiverOf(provider, { secrets: [], keyOf });
      outcomes.push(nameOf(await receiver.receive(sent("1"))));
    }
    const down = "CS_KEY_UNAVAILABLE";
    expect(outcomes).toEqual(["unrouted", "CS_KEY_UNKNOWN", down, down]);
    const text = line.mock.calls.flat().join("\n");
    expect(text).toContain('"keyOf" must return PEM or JWK text, a JWK, or undefined');
    expect(text).toContain('invalid "key": expected PEM or JWK');
  });

  it("asks again a minute after its source returned a key that verifies nothing", async () => {
    stopTime();
    let page = "<html>";
    const { receiver } = receiverOf(provider, { secrets: [], keyOf: () => Promise.resolve(page) });
    expect(nameOf(await receiver.receive(sent("1")))).toBe("CS_KEY_UNAVAILABLE");
    page = pem;
    vi.advanceTimersByTime(60_000);
    expect((await receiver.receive(sent("1"))).kind).toBe("unrouted");
  });
});

describe("the answer that a provider expects", () => {
  const url = "https://shop.example/sms";
  const form = (sid: string): string => `MessageSid=${sid}&SmsStatus=received&Body=a%26b`;
  const sms = (sid: string) => attemptOf(twilio, form(sid), { url });

  it("is a handler's reply in the provider's media type, or else its fixed body", async () => {
    const twiml = { toString: () => "<Response><Message>Hi</Message></Response>" };
    const { receiver } = receiverOf(twilio, {
      url,
      fallback: ({ data }) => {
        const { Body: body, MessageSid: sid } = data as Record<string, string>;
        expect(body).toBe("a&b");
        return sid === "SM1" ? twiml : undefined;
      },
    });
    const xml = { "content-type": "text/xml" };
    const replied = await receiver.answer(sms("SM1"));
    expect(replied.response).toEqual({ status: 200, headers: xml, body: String(twiml) });
    for (const sid of ["SM1", "SM2"]) {
      const { response } = await receiver.answer(sms(sid));
      expect(response).toEqual({ status: 200, headers: xml, body: "<Response/>" });
    }
  });

  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  it.each<readonly [what: string, provider: ProviderDocument, returned: unknown]>([
    ["an object for XML", twilio, { a: 1 }],
    ["a number for XML", twilio, 7],
    ["a text for JSON", slack, "Deployed."],
    ["a circular object for JSON", slack, circular],
    ["a BigInt for JSON", slack, { cents: 1n }],
  ])(
    "is not %s, which is logged once, and the event is handled and acknowledged",
    async (_what, provider, returned) => {
      const fallback = (): unknown => returned;
      const { receiver } = receiverOf(provider, { url, fallback });
      const { body = "", success = body === "" ? 204 : 200 } = provider.answer ?? {};
      const command = (id: string): object => ({
        type: "event_callback",
        event_id: id,
        event: { type: "a" },
      });
      const kinds: string[] = [];
      for (const id of ["1", "2", "2"]) {
        const sent = attemptOf(provider, provider === twilio ? form(id) : command(id), { url });
        const { outcome, response } = await receiver.answer(sent);
        kinds.push(outcome.kind);
        expect([response.status, response.body]).toEqual([success, body]);
      }
      expect([kinds, line.mock.calls.length]).toEqual([["unrouted", "unrouted", "duplicate"], 1]);
      expect(line.mock.calls[0]?.[0]).toMatch(
        /CS_REPLY_INVALID handled .* return (?:text\/xml|application\/json), as/,
      );
    },
  );

  it("is JSON that a handler has printed itself", async () => {
    const text = '{ "text": "Deployed." }';
    const { receiver } = receiverOf(slack, { fallback: () => text });
    const event = { type: "event_callback", event_id: "1", event: { type: "a" } };
    const { response } = await receiver.answer(attemptOf(slack, event));
    const headers = { "content-type": "application/json" };
    expect(response).toEqual({ status: 200, headers, body: text });
  });

  it("refuses a form in which a field appears twice", async () => {
    const { receiver } = receiverOf(shopify, {});
    const provider: ProviderDocument = { ...shopify, media: ["application/x-www-form-urlencoded"] };
    const headers = { "X-Shopify-Event-Id": "e1", "X-Shopify-Topic": "orders/create" };
    expect((await receiver.receive(attemptOf(shopify, {}, { headers }))).kind).toBe("unrouted");
    const forms = receiverOf(provider);
    const outcome = await forms.receiver.receive(attemptOf(provider, "a=1&b=2&a=3", { headers }));
    expect(outcome).toMatchObject({ code: "CS_EVENT_ENVELOPE", details: [{ message: /form:a/ }] });
  });
});

it("the option mode acknowledges events of the other mode, and neither runs nor records them", async () => {
  const inbox = memoryInbox();
  const sent = invoicePaid("evt_1", { livemode: false });
  const live = receiverOf(stripe, { inbox, mode: "live" });
  const { outcome, response } = await live.receiver.answer(sent);
  expect([outcome.kind, response.status, live.seen]).toEqual(["ignored", 204, []]);
  const test = receiverOf(stripe, { inbox, mode: "test" });
  expect((await test.receiver.receive(sent)).kind).toBe("unrouted");
  expect(test.seen[0]).toMatchObject({ live: false, category: "invoice", provider: "stripe" });
  expect(() => receiverOf(github, { mode: "live" })).toThrow(/GitHub does not say/);
});

it.each([
  ["Stripe's without livemode", stripe, invoicePaid(), "body:/livemode"],
  ["Stripe's with another value", stripe, invoicePaid("e", { livemode: 1 }), "body:/livemode"],
  [
    "Lemon Squeezy's without test_mode",
    lemonSqueezy,
    attemptOf(lemonSqueezy, { meta: { event_name: "order_created" }, data: {} }),
    "body:/data/attributes/test_mode",
  ],
])(
  "the option mode refuses, records and runs nothing of an event that does not say its mode: %s",
  async (_what, provider, attempt, place) => {
    const inbox = memoryInbox();
    for (const mode of ["live", "test"] as const) {
      const { receiver, seen } = receiverOf(provider, { inbox, mode });
      const { outcome, response } = await receiver.answer(attempt);
      const message = `${place} must say whether the event is live, since the option "mode" is "${mode}"`;
      const refused = { code: "CS_EVENT_ENVELOPE", details: [{ message }] };
      expect(outcome).toMatchObject(refused);
      expect([response.status, seen]).toEqual([400, []]);
      expect(line.mock.lastCall?.[0]).toContain(message.slice(0, 40));
    }
    const { receiver, seen } = receiverOf(provider, { inbox });
    expect((await receiver.receive(attempt)).kind).toBe("unrouted");
    expect(seen[0]?.live).toBeUndefined();
  },
);

it("an attempt that waited in a queue is judged by the time of its arrival", async () => {
  const { receiver } = receiverOf(stripe, { now: () => NOON + 3_600_000 });
  const sent = invoicePaid();
  expect(nameOf(await receiver.receive(sent))).toBe("CS_SIGNATURE_TIMESTAMP_TOO_OLD");
  expect((await receiver.receive({ ...sent, receivedAt: NOON + 1000 })).kind).toBe("unrouted");
  const wrong = { ...sent, receivedAt: Number.NaN };
  expect(nameOf(await receiver.receive(wrong))).toBe("CS_RECEIVER_FAILED");
});

it("[R-LOG-NOTHING] a stored event keeps nothing of its body next to it, so that encrypt covers all of it", async () => {
  const inbox = sqliteInTest();
  const store = vi.spyOn(inbox.queue, "store");
  const { receiver } = receiverOf(standardWebhooks, { inbox, acknowledge: "after-store" });
  const event = {
    type: "user.created",
    timestamp: new Date(NOON).toISOString(),
    data: { name: "canary" },
  };
  await receiver.receive(attemptOf(standardWebhooks, event, { id: "msg_1" }));
  const [request] = store.mock.calls[0] ?? [];
  expect([request?.body.includes("canary"), request?.facts.includes("canary")]).toEqual([
    true,
    false,
  ]);
});

describe("a tenant", () => {
  it("that shares its secret with another one is reported by one process warning, since nothing proves it", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
    const own = { "/a": secret, "/b": otherSecret } as const;
    const send = async (secretOf: (path: "/a" | "/b") => string): Promise<number> => {
      warned.mockClear();
      const { receiver } = receiverOf(stripe, {
        secrets: ({ path }) => ({ tenant: path ?? "", secrets: [secretOf(path as "/a")] }),
      });
      warned.mockClear();
      for (const path of ["/a", "/a", "/b", "/b", "/a"])
        await receiver.receive({ ...invoicePaid(), path });
      return warned.mock.calls.length;
    };
    expect([await send((path) => own[path]), await send(() => secret)]).toEqual([0, 1]);
  });

  const secrets = ({ path }: { path: string | undefined }) => ({
    tenant: path ?? "",
    secrets: [secret],
  });

  it("cannot use up the handler slots of others with handlers that hang", async () => {
    const gate = Promise.withResolvers<void>();
    const { receiver } = receiverOf(stripe, {
      secrets,
      limits: { concurrentHandlers: 8 },
      fallback: (_event, { tenant }) => (tenant === "/a" ? gate.promise : undefined),
    });
    const hanging = Array.from({ length: 16 }, (_, index) =>
      receiver.receive({ ...invoicePaid(`evt_${String(index)}`), path: "/a" }),
    );
    expect((await receiver.receive({ ...invoicePaid("evt_b"), path: "/b" })).kind).toBe("unrouted");
    gate.resolve();
    expect(new Set((await Promise.all(hanging)).map(nameOf))).toEqual(new Set(["unrouted"]));
  });

  it.each(["\ud800", "a\0"])(
    "is refused as a mistake of the secrets function if it is %j",
    async (tenant) => {
      const { receiver } = receiverOf(stripe, { secrets: () => ({ tenant, secrets: [secret] }) });
      expect(nameOf(await receiver.receive(invoicePaid()))).toBe("CS_SECRETS_UNAVAILABLE");
    },
  );
});
