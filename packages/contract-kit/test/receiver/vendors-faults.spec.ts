import { createHash } from "node:crypto";
import { createServer } from "node:http";
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
  /** Bytes of the largest body that a gateway lets through. */
  readonly limit?: number;
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
    else if (Number(request.headers["content-length"]) > (fault.limit ?? Infinity))
      request.resume().on("end", () => response.writeHead(413).end());
    else if (request.method === "OPTIONS" && fault.said) response.end(fault.said(secret));
    else void receiver(request, response);
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
  const given = { limit: 1_048_576 };
  expect(await told("github", "R-BODY-DOCUMENTED", given)).toEqual([
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
