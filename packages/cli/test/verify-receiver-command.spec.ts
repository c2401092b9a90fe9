import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createReceiver } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { ran } from "./ran.ts";

const first = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const second = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const env = { COUNTERSIGN_SECRET: `${first} ${second}` };

async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const honest = (): Promise<string> => {
  const receive = toNode(createReceiver({ secrets: [first, second], fallback: () => {} }));
  return listening((request, response) => void receive(request, response));
};
const lax = (): Promise<string> =>
  listening((request, response) => {
    request.resume().on("end", () => response.writeHead(204).end());
  });

describe("countersign verify receiver", () => {
  it("ends with 0 at a receiver that keeps its word, and says what it cannot show", async () => {
    const only = ["--only", "receiver/genuine", "receiver/rotation"];
    const { status, out } = await ran(
      ["verify", "receiver", "--url", await honest(), ...only],
      env,
    );
    expect(out).toMatch(/R-VERIFY-ROTATION/);
    expect(out).toMatch(/R-ROUTE-ONE/);
    expect(status).toBe(0);
  });

  it("ends with 1 at one that does not, and shows the bytes but no secret", async () => {
    const only = ["--only", "R-VERIFY-UNSIGNED"];
    const { status, out, err } = await ran(
      ["verify", "receiver", "--url", await lax(), ...only],
      env,
    );
    expect(status).toBe(1);
    expect(out).toMatch(/POST \/ HTTP\/1\.1/);
    expect(out).toMatch(/HTTP\/1\.1 204 No Content/);
    expect(out).toMatch(/cstest_[0-9a-f]{8}_unsigned_/);
    expect(out + err).not.toContain(first.slice("whsec_".length));
  });

  it("makes the same report of the same seed and nonce", async () => {
    const url = await lax();
    const report = async (): Promise<string> => {
      const { out } = await ran(
        ["verify", "receiver", "--url", url, "--only", "R-VERIFY-UNSIGNED", "--nonce", "a"],
        env,
      );
      return out.replaceAll(/\d+ ms|\d{10}|v1,[^ \n]+|Date: .*|\d{4}-\d\d-\d\dT[\d:.]+Z/g, "…");
    };
    expect(await report()).toBe(await report());
  });

  it("sends nothing to a machine that is not one's own, and looks up no name", async () => {
    for (const url of ["http://8.8.8.8/hook", "http://no-such-host.invalid/"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { status, err } = await ran(["verify", "receiver", "--url", url], env);
      expect(status).toBe(2);
      expect(err).toMatch(/CS_CLI_TARGET_NOT_OWNED/);
    }
    const effects = ["--effects-url", "http://8.8.8.8/effects"];
    const { err } = await ran(
      ["verify", "receiver", "--url", "http://127.0.0.1:1/", ...effects],
      env,
    );
    expect(err).toMatch(/CS_CLI_TARGET_NOT_OWNED/);
  });

  it("ends with 2 where nobody is there, or no secret is", async () => {
    const absent = await ran(
      ["verify", "receiver", "--url", "http://127.0.0.1:1/", "--only", "receiver/genuine"],
      env,
    );
    expect(absent.status).toBe(2);
    expect(absent.out + absent.err).toMatch(/cannot be reached/);
    const bare = await ran(["verify", "receiver", "--url", "http://127.0.0.1:1/"], {});
    expect(bare).toMatchObject({ status: 2 });
    expect(bare.err).toMatch(/CS_CLI_SECRET_UNUSABLE/);
    const strange = ["--types", "refund.unheard"];
    const untyped = await ran(
      ["verify", "receiver", "--url", "http://127.0.0.1:1/", ...strange],
      env,
    );
    expect(untyped.err).toMatch(/CS_CLI_ARGUMENT_UNUSABLE.*refund\.unheard/);
    const garbled = { COUNTERSIGN_SECRET: "whsec_!!!" };
    const refused = await ran(["verify", "receiver", "--url", "http://127.0.0.1:1/"], garbled);
    expect(refused.err).toMatch(/CS_CLI_SECRET_UNUSABLE/);
    expect(refused.err).not.toContain("whsec_!!!");
  });
});
