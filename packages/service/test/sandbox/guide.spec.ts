import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { errorCodes, memberCodes } from "../../src/error-codes.ts";
import { sandboxErrorCodes } from "../../src/sandbox/refusals.ts";
import { openReceiver, openSandbox } from "./open-sandbox.ts";
import { routesOf } from "./routes.ts";

const guide = readFileSync(new URL("../../../../docs/guides/sandbox.md", import.meta.url), "utf8");

/** A line of the guide's function `call` as the shell would read it; its quotes around `$NAMES` fall away. */
function readLine(line: string) {
  const body = / -d '(.*)' /.exec(line)?.[1]?.replaceAll("'", "");
  const method = / -X (\w+) /.exec(line)?.[1] ?? (body === undefined ? "GET" : "POST");
  const path = /\$URL(\/\S+?)"?$/.exec(line)?.[1] ?? "";
  return { method, path, body };
}

const lines = guide
  .split("\n")
  .filter((line) => line.startsWith("call "))
  .map(readLine);

describe("the calls of the guide", () => {
  it("show every control and no other call", async () => {
    const { sandbox } = await openSandbox();
    // The other calls are those of the page.
    const calls = routesOf(sandbox)
      .filter((route) => / \/sandbox\/(?!inspect)/.test(route))
      .map((route) => route.replaceAll(/:\w+/g, "*"));
    const shown = lines.map(
      ({ method, path }) => `${method} ${path.replace(/\?.*$/, "").replaceAll(/\$[A-Z]+/g, "*")}`,
    );
    expect([...new Set(shown)].toSorted()).toEqual(calls.toSorted());
  });

  it("are answered as printed, one after the other", async () => {
    const one = await openSandbox();
    // The lines need a refund that can be returned, and a delivery.
    const subscription = await one.subscribe((await openReceiver(204)).url);
    const refund = await one.refund("readme");
    expect(refund.body["paymentStatus"]).toBe("AUTHORIZED");
    const [delivery] = await one.list("/sandbox/deliveries");
    const known = new Map<string, unknown>([
      ["SUBSCRIPTION", subscription],
      ["REFUND", refund.body["paymentId"]],
      ["DELIVERY", delivery?.["deliveryId"]],
      ["EVENT", delivery?.["eventId"]],
    ]);
    const filled = (text: string): string =>
      text.replaceAll(/\$([A-Z]+)/g, (_, name: string) => String(known.get(name)));
    // The stream does not end; its own tests read it.
    for (const { method, path, body } of lines.filter((line) => !line.path.endsWith("/stream"))) {
      const options = body === undefined ? {} : { text: filled(body) };
      const answer = await one.call(method, filled(path), options);
      expect(Math.floor(answer.status / 100), `${method} ${path}: ${answer.text}`).toBe(2);
      if (method !== "POST") continue;
      if (path === "/sandbox/customers") known.set("CUSTOMER", answer.body["id"]);
      if (path === "/sandbox/payments") known.set("PAYMENT", answer.body["paymentId"]);
    }
  });
});

it("an error code of the sandbox has the service's meaning if the service has it too", () => {
  const service = new Map<string, object>(Object.entries({ ...errorCodes, ...memberCodes }));
  for (const [code, [status, meaning]] of Object.entries(sandboxErrorCodes)) {
    const entry = { status, meaning };
    expect(service.get(code) ?? entry).toMatchObject(entry);
  }
});
