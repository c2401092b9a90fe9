import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createReceiver, memoryInbox, type UnknownEvent } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import { providersByName } from "@countersign/schemas/providers-by-name";
import { expect, it, onTestFinished, vi } from "vitest";
import { requirements } from "../../src/check.ts";
import { receiverChecks } from "../../src/checks.ts";
import { receiverTarget } from "../../src/harness/receiver-target.ts";
import { Signing } from "../../src/harness/signing.ts";
import { run } from "../../src/run.ts";
import { listen } from "../listen.ts";

// Whole runs: a busy machine takes longer, and no time decides what they show.
vi.setConfig({ testTimeout: 900_000 });

interface Fault {
  /** The key by which the handler knows an event again. Default: the receiver's. */
  readonly keyOf?: (event: UnknownEvent) => string;
  /** True for an event of which the handler does nothing. */
  readonly skips?: (event: UnknownEvent) => boolean;
  /** Returns the status that a gateway answers with, in the receiver's place. */
  readonly gate?: (request: IncomingMessage, response: ServerResponse) => number | undefined;
  /** Bodies that a firewall refuses. */
  readonly refuses?: RegExp;
  /** The amount that the handler books. */
  readonly centsOf?: (event: UnknownEvent) => string;
  /** The text after an answer to a stranger. */
  readonly said?: (secret: string) => string;
  /** True if all requests of the run are sent after the first check. */
  readonly isOver?: boolean;
}

/** Runs one check against our receiver of a vendor, with a mistake of its merchant. */
async function findingsOf(name: string, only: string, fault: Fault = {}) {
  const provider = providersByName.get(name);
  if (provider === undefined) throw new TypeError(name);
  const secret = new Signing(provider).stranger("own");
  const done = new Map<string, object>();
  const known = new Set<string>();
  const receiver = toNode(
    createReceiver({
      provider,
      secrets: [secret],
      inbox: memoryInbox(),
      log: false,
      fallback: (event) => {
        if (fault.skips?.(event) === true) return;
        const key = fault.keyOf?.(event) ?? `${event.id} ${event.type}`;
        const amountCents = fault.centsOf?.(event);
        if (!known.has(key))
          done.set(`${event.id} ${event.type}`, {
            eventId: event.id,
            type: event.type,
            count: 1,
            amountCents,
          });
        known.add(key);
      },
    }),
  );
  const server = createServer((request, response) => {
    if (request.url === "/effects") response.end(JSON.stringify([...done.values()]));
    else if (request.method === "OPTIONS" && fault.said) response.end(fault.said(secret));
    else {
      const status = fault.gate?.(request, response);
      const writeHead = response.writeHead.bind(response);
      request.on("data", (bytes) => {
        if (fault.refuses?.test(String(bytes)) === true) response.writeHead = () => writeHead(403);
      });
      if (status === undefined) void receiver(request, response);
      else request.resume().on("end", () => response.writeHead(status).end());
    }
  });
  const { origin, close } = await listen(server);
  onTestFinished(close);
  const urls = { url: `${origin}/webhooks`, effects: `${origin}/effects` };
  const target = receiverTarget({ ...urls, provider, secrets: [secret], nonce: "a-test" });
  onTestFinished(target.close);
  const checks = { checks: receiverChecks, requirements: requirements("receiver") };
  const onCheck = ({ id }: { readonly id: string }): void => {
    if (fault.isOver === true && id !== "receiver/genuine")
      target.sockets.sent = target.sockets.maxRequests;
  };
  const { findings } = await run({ target, ...checks, only: ["receiver/genuine", only], onCheck });
  return findings.filter(({ status }) => status === "fail" || status === "warn");
}

const told = async (...given: Parameters<typeof findingsOf>): Promise<readonly string[]> =>
  (await findingsOf(...given)).map(
    ({ requirement, status, message }) => `${requirement.id} ${status}: ${message}`,
  );

const messages = async (...given: Parameters<typeof findingsOf>): Promise<string> =>
  (await findingsOf(...given)).map(({ message }) => message).join();

it(
  "two topics of one Shopify event are warned of if the id alone is known",
  { tags: "ci" },
  async () => {
    expect(await findingsOf("shopify", "R-ONCE-DISTINCT")).toEqual([]);
    const keyOf = ({ id }: UnknownEvent): string => id;
    expect(await told("shopify", "R-ONCE-DISTINCT", { keyOf })).toEqual([
      expect.stringMatching(/warn: .*differ in their type.*One id of Shopify/),
    ]);
  },
);

it(
  "an event that switches all handlers off is named, and nothing else",
  { tags: "ci" },
  async () => {
    let isOff = false;
    const skips = ({ type }: UnknownEvent): boolean => {
      const wasOff = isOff;
      isOff ||= type === "app/uninstalled";
      return wasOff;
    };
    const findings = await told("shopify", "R-ONCE-DISTINCT", { skips });
    expect(findings).toEqual([
      expect.stringMatching(/^R-ROUTE-ONE fail: handlers ran until .*app\/uninstalled/),
    ]);
  },
);

it("types without an effect are warned of if unknown ones have one", { tags: "ci" }, async () => {
  const skips = ({ type }: UnknownEvent): boolean => !type.includes(".");
  expect(await told("github", "receiver/unknown-types", { skips })).toEqual([
    expect.stringMatching(/warn: .*types of the catalogue.*: .*push/),
  ]);
});

it("a limit far below the documented one is warned of", { tags: "ci" }, async () => {
  expect(await findingsOf("github", "R-BODY-DOCUMENTED")).toEqual([]);
  const gate = ({ headers }: IncomingMessage): number | undefined =>
    Number(headers["content-length"]) > 1_048_576 ? 413 : undefined;
  expect(await told("github", "R-BODY-DOCUMENTED", { gate })).toEqual([
    expect.stringMatching(/warn: .*8388608 bytes.* answered by 413/),
  ]);
});

it(
  "events with equal bodies and other ids are expected to be handled apart",
  { tags: "ci" },
  async () => {
    const keyOf = ({ data }: UnknownEvent): string =>
      createHash("sha256").update(JSON.stringify(data)).digest("hex");
    expect(await messages("github", "R-ONCE-DISTINCT", { keyOf })).toMatch(/equal bodies/);
  },
);

it(
  "amounts are sent where the vendor's events have them, and their cents compared",
  { tags: "ci" },
  async () => {
    const total = ({ data }: UnknownEvent): number =>
      Number((data as { readonly total_price?: string }).total_price ?? 0);
    const exact = (event: UnknownEvent): string => String(Math.round(total(event) * 100));
    const cut = (event: UnknownEvent): string => String(Math.trunc(total(event) * 100));
    expect(await findingsOf("shopify", "R-MONEY-EXACT", { centsOf: exact })).toEqual([]);
    expect(await messages("shopify", "R-MONEY-EXACT", { centsOf: cut })).toMatch(
      /0\.29: expected 29 cents at the handler, got 28/,
    );
  },
);

it(
  "an amount of a currency without a smaller unit is expected as it is",
  { tags: "ci" },
  async () => {
    const object = ({ data }: UnknownEvent) =>
      (data as { readonly data: { readonly object: { amount_total?: number; currency?: string } } })
        .data.object;
    const exact = (event: UnknownEvent): string => String(object(event).amount_total ?? 0);
    const scaled = (event: UnknownEvent): string =>
      `${exact(event)}${object(event).currency === "jpy" ? "00" : ""}`;
    expect(await findingsOf("stripe", "R-MONEY-EXACT", { centsOf: exact })).toEqual([]);
    expect(await messages("stripe", "R-MONEY-EXACT", { centsOf: scaled })).toMatch(
      /an event of 1200 jpy, which has no smaller unit: got 120000/,
    );
  },
);

it(
  "two events of one object in one second are expected to be handled",
  { tags: "ci" },
  async () => {
    const newest = new Map<unknown, number>();
    const skips = ({ data, time = 0 }: UnknownEvent): boolean => {
      const { id } = (data as { readonly data: { readonly object: { readonly id?: unknown } } })
        .data.object;
      const isOld = (newest.get(id) ?? 0) >= time;
      if (!isOld) newest.set(id, time);
      return isOld;
    };
    expect(await messages("stripe", "R-ONCE-DISTINCT", { skips })).toMatch(
      /one type about one resource and one time: .*handlers have run 1 times/,
    );
  },
);

it(
  "an event that refers to an unknown object is expected to be handled",
  { tags: "ci" },
  async () => {
    const skips = ({ data }: UnknownEvent): boolean =>
      JSON.stringify(data).includes('"payment_intent"');
    expect(await findingsOf("stripe", "receiver/order")).toEqual([]);
    expect(await told("stripe", "receiver/order", { skips })).toEqual([
      expect.stringMatching(/^R-ORDER-NONE warn: .* of no earlier event .*handler has not run/),
    ]);
  },
);

it.each([
  [
    "texts that look like an attack",
    "shopify",
    /<script/,
    /^R-ACK-GENUINE fail: the text <script>/,
  ],
  ["another version of the API", "stripe", /"2031-/, /^R-EVENT-UNKNOWN fail: another version of/],
])("a refusal of %s is named", { tags: "ci" }, async (_what, name, refuses, message) => {
  const only = name === "stripe" ? "receiver/shapes" : "receiver/forms";
  expect(await told(name, only, { refuses })).toEqual([expect.stringMatching(message)]);
});

it(
  "an event is expected to be handled after forged attempts with its id",
  { tags: "ci" },
  async () => {
    const reserved = new Set<unknown>();
    const gate = ({ headers }: IncomingMessage, response: ServerResponse): number | undefined => {
      const id = headers["svix-id"];
      response.on("finish", () => response.statusCode === 401 && reserved.add(id));
      return reserved.has(id) ? 200 : undefined;
    };
    expect(await findingsOf("svix", "receiver/refusals")).toEqual([]);
    expect(await told("svix", "receiver/refusals", { gate })).toEqual([
      expect.stringMatching(/^R-ACK-GENUINE fail: the genuine event after .*without an effect/),
    ]);
  },
);

it("an event of the amount 0 is expected to be handled", { tags: "ci" }, async () => {
  const centsOf = ({ data }: UnknownEvent): string => {
    const price = (data as { readonly total_price?: string }).total_price ?? "1.00";
    if (Number(price) === 0) throw new Error("missing price");
    return price.replace(".", "");
  };
  expect(await messages("shopify", "R-MONEY-EXACT", { centsOf })).toMatch(
    /an event of 0\.00: expected 0 cents at the handler, got 503/,
  );
});

it("an earlier event is found in an answer to a stranger", { tags: "ci" }, async () => {
  const said = (): string => "last: cstestcanary";
  expect(await messages("github", "R-LEAK-NOTHING", { said })).toMatch(
    /OPTIONS: the answer \(200\) contains the payload of an earlier attempt/,
  );
});

it("a secret is found in the answer to any request of the run", { tags: "ci" }, async () => {
  const said = (secret: string): string => `debug: ${secret}`;
  expect(await messages("github", "R-LEAK-NOTHING", { said })).toMatch(
    /OPTIONS: the answer \(200\) contains a secret/,
  );
});

it(
  "a secret is found in the answers of a run that has sent all its requests",
  { tags: "ci" },
  async () => {
    const said = (secret: string): string => `debug: ${secret}`;
    expect(await messages("github", "R-LEAK-NOTHING", { said, isOver: true })).toMatch(
      /contains a secret/,
    );
  },
);
