import { createReceiver } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import { describe, expect, it } from "vitest";
import { listen } from "../../sandbox/test/listen.ts";
import { SECRET } from "./fixtures.ts";
import { ran, type Ran } from "./ran.ts";

const second = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const verify = (url: string, more: readonly string[]): Promise<Ran> =>
  ran(["verify", "receiver", "--url", url, ...more], {
    COUNTERSIGN_SECRET: `${SECRET} ${second}`,
  });

const lax = (): Promise<string> =>
  listen((request, response) => {
    request.resume().on("end", () => response.writeHead(204).end());
  });

describe("countersign verify receiver", () => {
  it("exits with 0 for a correct receiver and names what it could not test", async () => {
    const secrets = [SECRET, second];
    const receive = toNode(createReceiver({ secrets, fallback: () => {}, log: false }));
    const url = await listen((request, response) => void receive(request, response));
    const { status, out } = await verify(url, ["--only", "receiver/genuine", "receiver/rotation"]);
    expect(out).toMatch(/R-VERIFY-ROTATION/);
    expect(out).toMatch(/R-ROUTE-ONE/);
    expect(status).toBe(0);
  });

  it("exits with 1 for a receiver that accepts anything, and prints the exchange without a secret", async () => {
    const { status, out, err } = await verify(await lax(), ["--only", "R-VERIFY-UNSIGNED"]);
    expect(status).toBe(1);
    expect(out).toMatch(/POST \/ HTTP\/1\.1/);
    expect(out).toMatch(/HTTP\/1\.1 204 No Content/);
    expect(out).toMatch(/cstest_[0-9a-f]{8}_unsigned_/);
    expect(out + err).not.toContain(SECRET.slice("whsec_".length));
  });

  it("makes the same report for the same seed and nonce", async () => {
    const url = await lax();
    const report = async (): Promise<string> => {
      const { out } = await verify(url, ["--only", "R-VERIFY-UNSIGNED", "--nonce", "a"]);
      return out.replaceAll(/\d+ ms|\d{10}|v1,[^ \n]+|Date: .*|\d{4}-\d\d-\d\dT[\d:.]+Z/g, "…");
    };
    expect(await report()).toBe(await report());
  });
});
