import { readFileSync } from "node:fs";
import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { controls } from "../src/controls.ts";
import { Faults } from "../src/faults.ts";
import { openReceiver, openSandbox, type Body, type TestSandbox } from "./open-sandbox.ts";

interface CurlLine {
  readonly method: string;
  /** With `$NAMES` in it. */
  readonly path: string;
  readonly body: string | undefined;
}

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

/** A curl line as the shell would read it; its quotes around `$NAMES` fall away. */
function readLine(line: string): CurlLine {
  const body = / -d '(.*)' /.exec(line)?.[1]?.replaceAll("'", "");
  const method = / -X (\w+) /.exec(line)?.[1] ?? (body === undefined ? "GET" : "POST");
  const path = /\$URL(\/\S+?)"?$/.exec(line)?.[1] ?? "";
  expect(line).toContain('-H "$AUTH"');
  expect(line.includes('-H "$JSON"')).toBe(body !== undefined);
  return { method, path, body };
}

const lines = readme
  .split("\n")
  .filter((line) => line.startsWith("curl "))
  .map(readLine);

describe("the README's curl lines", () => {
  it("are at least one for each call, and none for another", async () => {
    const { sandbox } = await openSandbox();
    const routes = Object.entries(
      controls({
        engine: sandbox.engine,
        faults: new Faults(),
        accountTypes: [],
        onReset: () => undefined,
      }),
    );
    const calls = routes.flatMap(([path, methods]) =>
      methods.map(({ method }) => `${method} ${path.replaceAll(/:\w+/g, "*")}`),
    );
    const shown = lines.map(
      ({ method, path }) => `${method} ${path.replace(/\?.*$/, "").replaceAll(/\$[A-Z]+/g, "*")}`,
    );
    expect([...new Set(shown)].toSorted()).toEqual([...calls, "GET /sandbox/stream"].toSorted());
  });

  it("are answered as they stand, one after the other", async () => {
    const returning = { ...profiles.standard.refund, lateReturn: true };
    const one = await openSandbox({ profile: { ...profiles.standard, refund: returning } });
    const known = await sown(one);
    // The stream does not end; its own tests read it.
    for (const { method, path, body } of lines.filter((line) => !line.path.endsWith("/stream"))) {
      const filled = filler(known);
      const options = body === undefined ? {} : { text: filled(body) };
      const answer = await one.call(method, filled(path), options);
      expect([method, path, Math.floor(answer.status / 100), answer.text]).toEqual([
        method,
        path,
        2,
        answer.text,
      ]);
      remember(known, `${method} ${path}`, answer.body);
    }
  });
});

type Known = Map<string, string>;

const filler =
  (known: Known) =>
  (text: string): string =>
    text.replaceAll(/\$([A-Z]+)/g, (_, name: string) => known.get(name) ?? `no ${name}`);

/** What the lines name and do not make: a refund that can be returned, and a delivery. */
async function sown(one: TestSandbox): Promise<Known> {
  const { url } = await openReceiver(204);
  const subscription = await one.subscribe(url);
  const refund = await one.call("POST", "/v1/refunds", {
    json: {
      paymentId: one.opened.seeded?.payments.settled,
      amount: { currency: "USD", value: 1 },
      requestKey: "readme",
    },
  });
  expect(refund.body["paymentStatus"]).toBe("AUTHORIZED");
  const [delivery] = await one.list("/sandbox/deliveries");
  return new Map([
    ["SUBSCRIPTION", subscription],
    ["REFUND", String(refund.body["paymentId"])],
    ["DELIVERY", String(delivery?.["deliveryId"])],
    ["EVENT", String(delivery?.["eventId"])],
  ]);
}

/** What a line made is what the next ones name. */
function remember(known: Known, call: string, body: Body): void {
  if (call === "POST /sandbox/customers") known.set("CUSTOMER", String(body["id"]));
  if (call === "POST /sandbox/payments") known.set("PAYMENT", String(body["paymentId"]));
}
