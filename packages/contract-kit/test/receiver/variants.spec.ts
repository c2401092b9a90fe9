import { providersByName } from "@countersign/schemas/providers-by-name";
import { describe, expect, it } from "vitest";
import { KitSender } from "../../src/harness/kit-sender.ts";
import { expectVariants } from "../../src/receiver/variants.ts";
import { Verdicts } from "../../src/verdicts.ts";
import type { OpenOptions } from "./open-receiver.ts";
import { openVendor } from "./open-vendor.ts";

type Fault = NonNullable<OpenOptions["fault"]>;

/** Gives requests that a pattern describes another status. */
const answered =
  (pattern: RegExp, status: number): Fault =>
  (next) =>
  (request, response) => {
    const writeHead = response.writeHead.bind(response);
    request.on("data", (bytes) => {
      const isMeant = pattern.test(`${JSON.stringify(request.headers)} ${String(bytes)}`);
      if (isMeant) response.writeHead = () => writeHead(status);
    });
    next(request, response);
  };

async function verdictOf(name: string, fault?: Fault): Promise<string> {
  const provider = providersByName.get(name);
  if (provider === undefined) throw new TypeError(name);
  const target = await openVendor(provider, fault);
  const verdicts = new Verdicts("receiver/shapes", ["R-ACK-GENUINE"]);
  const kit = new KitSender(target, { seed: 1, runs: 1 }, verdicts);
  target.runState.handled.push(kit.event({ row: kit.row() }));
  await expectVariants(kit);
  const [verdict] = verdicts.list();
  return `${verdict?.status} ${verdict && "message" in verdict ? verdict.message : ""}`;
}

describe("handshakes and other forms of events", () => {
  const providers = [...providersByName.values()].filter(
    ({ handshakes, variants, signature }) =>
      (handshakes ?? variants) !== undefined && signature.keyFrom === undefined,
  );

  it.each(providers.map(({ name }) => name).filter((name) => name !== "meta"))(
    "of %s are answered by our receiver as documented",
    async (name) => {
      expect(await verdictOf(name)).toBe("pass ");
    },
  );

  it("fails for a handshake that is refused or not answered, and for a form that makes it fail", async () => {
    const thin = answered(/v2\.core\.event"/, 500);
    expect(await verdictOf("stripe", thin)).toMatch(
      /^fail .*v2.core.event at body:\/object: expected a status of 2xx, got 500/,
    );
    expect(await verdictOf("github", answered(/"ping"/, 404))).toMatch(/GitHub, ping: .*got 404/);
    const silent: Fault = (next) => (request, response) => {
      const end: () => typeof response = response.end.bind(response);
      response.end = () => end();
      next(request, response);
    };
    expect(await verdictOf("slack", silent)).toMatch(/2xx with cstestchallenge in its body/);
  });

  it("fails for a coding that is acknowledged unread, and allows one that is refused", async () => {
    const answering =
      (status: number): Fault =>
      (next) =>
      (request, response) => {
        if (request.headers["content-type"] === "application/json") next(request, response);
        else request.resume().on("end", () => response.writeHead(status).end());
      };
    expect(await verdictOf("github", answering(200))).toMatch(/urlencoded .*without an effect/);
    expect(await verdictOf("github", answering(415))).toBe("pass ");
  });
});
