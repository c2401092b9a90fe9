import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { startSandbox } from "@countersign/sandbox";
import { profiles } from "@countersign/schemas/profiles";
import { sqliteDriver } from "@countersign/service";
import { describe, expect, it, onTestFinished } from "vitest";
import { vaultOf } from "../src/encryption-keys.ts";
import { SOON } from "./soon.ts";
import { start, temporaryFolder } from "./start-command.ts";

const TOKEN = "a-token-of-sixteen-characters-or-more";

describe("a process that is killed while it delivers", () => {
  it("leaves the delivery to the next one, which goes on with it once the lease has ended", async () => {
    const ids: string[] = [];
    const held: ServerResponse[] = [];
    const receiver = createServer((request, response) => {
      request.resume().on("end", () => {
        ids.push(String(request.headers["webhook-id"]));
        // The first process never gets its answer.
        if (ids.length === 1) held.push(response);
        else response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => {
      receiver.listen(0, "127.0.0.1", resolve);
    });
    onTestFinished(() => {
      receiver.closeAllConnections();
      receiver.close();
    });
    const { port } = receiver.address() as AddressInfo;
    const folder = temporaryFolder();
    const file = join(folder, "sandbox.db");
    const args = ["sandbox", "--port", "0", "--database", file];
    const one = start([...args, "--deliver-to", `http://127.0.0.1:${port}/`], {
      folder,
      env: { COUNTERSIGN_TOKEN: TOKEN },
    });
    const headers = { authorization: `Bearer ${TOKEN}` };
    const emit = new URL("/sandbox/customers", await one.ready());
    expect((await fetch(emit, { method: "POST", headers })).status).toBe(201);
    await expect.poll(() => held.length, SOON).toBe(1);
    await one.end("SIGKILL");

    let ahead = 0;
    const next = await startSandbox({
      driver: sqliteDriver(file),
      vault: vaultOf(readFileSync(`${file}.keys`, "utf8")),
      profile: profiles.standard,
      port: 0,
      clock: { now: () => Date.now() + ahead },
    });
    onTestFinished(() => next.close({ graceMs: 0 }));
    const deliveries = async (): Promise<unknown> => {
      const answer = await fetch(new URL("/sandbox/deliveries", next.url), { headers });
      return (await answer.json()) as unknown;
    };
    expect(await deliveries()).toMatchObject({ deliveries: [{ state: "waiting", attempts: [] }] });
    expect(ids).toHaveLength(1);
    ahead = 60_000;
    await expect
      .poll(deliveries, SOON)
      .toMatchObject({ deliveries: [{ state: "delivered", attempts: [{ number: 2 }] }] });
    expect(ids).toEqual([ids[0], ids[0]]);
  });
});
