import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { createApi } from "../../packages/dev/src/api.ts";
import { type Child, startChild } from "../../packages/dev/src/child.ts";

const TOKEN = "cst_crash-tests-0123456789abcdefghijkl";
const CYCLES = 5;
/** How long refunds run before each crash, in milliseconds: spread over their first writes. */
const DELAYS = [3, 10, 30, 80, 200];

describe("a service that is killed in the middle of refunds", () => {
  it("[P-EVENT-ATOMIC] keeps each refund with its event and its delivery, or neither and a free key", async () => {
    const folder = mkdtempSync(join(tmpdir(), "countersign-crash-"));
    const file = join(folder, "sandbox.db");
    const start = (): Promise<Child> =>
      startChild({
        name: "sandbox",
        script: "packages/cli/src/main.ts",
        args: ["sandbox", "--port", "0", "--seed", "1", "--database", file],
        env: { COUNTERSIGN_TOKEN: TOKEN },
      });
    let sandbox = await start();
    try {
      let api = createApi(sandbox.url, TOKEN);
      await api("POST", "/v1/webhook/subscribe", {
        // Nobody listens there: deliveries stay and can be counted.
        url: "http://127.0.0.1:9/",
        secretKey: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        subscriptionDetails: { type: "CATEGORY", details: ["PAYMENT"] },
      });
      const { payments } = (await api("GET", "/sandbox/payments")).body as {
        payments: { paymentId: string; paymentStatus: string }[];
      };
      const paymentId = payments.find(
        ({ paymentStatus }) => paymentStatus === "SUCCEEDED",
      )?.paymentId;
      const acknowledged: string[] = [];
      const asked: string[] = [];

      for (let cycle = 0; cycle < CYCLES; cycle += 1) {
        const calls = Array.from({ length: 40 }, (_, index) => {
          const requestKey = `key-${String(cycle)}-${String(index)}`;
          asked.push(requestKey);
          const amount = { currency: "USD", value: 0.01 };
          return api("POST", "/v1/refunds", { paymentId, amount, requestKey }).then(
            ({ status }) => status === 201 && acknowledged.push(requestKey),
            // The connection died with the service: whether the refund is stored is for the store to say.
            () => undefined,
          );
        });
        await new Promise((resolve) => setTimeout(resolve, DELAYS[cycle] ?? 0));
        await sandbox.kill();
        await Promise.all(calls);
        sandbox = await start();
        api = createApi(sandbox.url, TOKEN);
      }

      const database = new DatabaseSync(file, { readOnly: true });
      const stored = database
        .prepare(
          "SELECT id, request_key FROM payments WHERE direction = 'CREDIT' AND request_key LIKE 'key-%'",
        )
        .all() as { id: string; request_key: string }[];
      const events = database
        .prepare(
          `SELECT e.payload, count(d.id) AS deliveries FROM events e LEFT JOIN deliveries d ON d.event_id = e.id
           WHERE e.type LIKE 'refund.%' GROUP BY e.id`,
        )
        .all() as { payload: string; deliveries: number }[];
      database.close();
      const told = new Map(
        events.map(({ payload, deliveries }) => [
          (JSON.parse(payload) as { data: { paymentId: string } }).data.paymentId,
          deliveries,
        ]),
      );

      const keys = stored.map(({ request_key: key }) => key);
      expect(acknowledged.filter((key) => !keys.includes(key))).toEqual([]);
      expect(stored.filter(({ id }) => told.get(id) !== 1)).toEqual([]);
      const free = asked.filter((key) => !keys.includes(key));
      const again = await Promise.all(
        free.slice(0, 5).map((requestKey) =>
          api("POST", "/v1/refunds", {
            paymentId,
            amount: { currency: "USD", value: 0.01 },
            requestKey,
          }),
        ),
      );
      expect(again.filter(({ status }) => status !== 201)).toEqual([]);
      // Both sides of the crash were met, or the cycles proved nothing.
      expect(stored.length).toBeGreaterThan(0);
      expect(free.length).toBeGreaterThan(0);
    } finally {
      await sandbox.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
