import { describe, expect, it } from "vitest";
import { listen } from "../../sandbox/test/listen.ts";
import { openMerchant, SECRET } from "./fixtures.ts";
import { ran, type Ran } from "./ran.ts";

const second = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const verify = (url: string, ...more: readonly string[]): Promise<Ran> => {
  const env = { COUNTERSIGN_SECRET: `${SECRET} ${second}` };
  return ran(["verify", "receiver", "--url", url, ...more], env);
};

describe("countersign verify receiver", () => {
  it("exits with 0 for a correct receiver and names what it could not test", async () => {
    const { url } = await openMerchant([SECRET, second]);
    const { status, out } = await verify(url, "--only", "receiver/genuine", "receiver/rotation");
    expect(out).toMatch(/R-VERIFY-ROTATION/);
    expect(out).toMatch(/R-ROUTE-ONE/);
    expect(status).toBe(0);
  });

  it("exits with 1 for a receiver that accepts anything, and prints the exchange without a secret, the same for a nonce", async () => {
    const url = await listen((request, response) => {
      request.resume().on("end", () => response.writeHead(204).end());
    });
    const reports = [];
    for (const _ of [1, 2]) {
      const args = ["--only", "R-VERIFY-UNSIGNED", "--nonce", "a"];
      const { status, out, err } = await verify(url, ...args);
      expect(status).toBe(1);
      expect(out).toMatch(/POST \/ HTTP\/1\.1/);
      expect(out).toMatch(/HTTP\/1\.1 204 No Content/);
      expect(out).toMatch(/cstest_[0-9a-f]{8}_unsigned_/);
      expect(out + err).not.toContain(SECRET.slice("whsec_".length));
      const changing = /\d+ ms|\d{10}|v1,[^ \n]+|Date: .*|\d{4}-\d\d-\d\dT[\d:.]+Z/g;
      reports.push(out.replaceAll(changing, "…"));
    }
    expect(reports[0]).toBe(reports[1]);
  });
});
