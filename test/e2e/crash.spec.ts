import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveHere } from "../../packages/cli/test/ran.ts";
import { type Api, createApi } from "../../packages/dev/src/api.ts";
import { startChild } from "../../packages/dev/src/child.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const TOKEN = "cst_crash-tests-0123456789abcdefghijkl";
/** Answered refunds of a cycle before the crash. */
const KILLED_AFTER = [1, 10];
const CALLS = 40;

// Three starts, two of them as processes, for which a busy machine takes its time.
describe("a service killed during refunds", { timeout: 120_000 }, () => {
  it("[P-EVENT-ATOMIC] keeps each refund with its event and delivery, or neither and a free key", async () => {
    const file = join(temporaryFolder(), "sandbox.db");
    const args = ["sandbox", "--port", "0", "--seed", "1", "--database", file];
    const env = { COUNTERSIGN_TOKEN: TOKEN };
    const script = "packages/cli/src/main.ts";
    const acknowledged: string[] = [];
    const asked: string[] = [];
    let paymentId: string | undefined;

    for (const [cycle, enough] of KILLED_AFTER.entries()) {
      // oxlint-disable-next-line no-await-in-loop -- one crash after the other
      const sandbox = await startChild({ name: "sandbox", script, args, env });
      onTestFinished(() => sandbox.kill());
      const api = createApi(sandbox.url, TOKEN);
      paymentId ??= await subscribed(api);
      const { promise: killing, resolve: kill } = Promise.withResolvers<void>();
      let answered = 0;
      const calls = Array.from({ length: CALLS }, (_, index) => {
        const requestKey = `key-${String(cycle)}-${String(index)}`;
        asked.push(requestKey);
        return api("POST", "/v1/refunds", refundOf(paymentId, requestKey)).then(
          ({ status }) => {
            if (status === 201) acknowledged.push(requestKey);
            if (++answered === enough) kill();
          },
          // The connection died with the service: whether the refund is stored is for the store to say.
          () => undefined,
        );
      });
      await killing;
      await sandbox.kill();
      await Promise.all(calls);
    }

    const api = createApi((await serveHere(args, env)).url, TOKEN);
    const database = new DatabaseSync(file, { readOnly: true });
    const rows = <Row>(sql: string): Row[] => database.prepare(sql).all() as Row[];
    const stored = rows<{ id: string; request_key: string }>(
      "SELECT id, request_key FROM payments WHERE direction = 'CREDIT' AND request_key LIKE 'key-%'",
    );
    const events = rows<{ id: string; deliveries: number }>(
      `SELECT json_extract(e.payload, '$.data.paymentId') AS id, count(d.id) AS deliveries
       FROM events e LEFT JOIN deliveries d ON d.event_id = e.id WHERE e.type LIKE 'refund.%' GROUP BY e.id`,
    );
    database.close();
    const told = new Map(events.map(({ id, deliveries }) => [id, deliveries]));

    const keys = stored.map(({ request_key: key }) => key);
    expect(acknowledged.filter((key) => !keys.includes(key))).toEqual([]);
    expect(stored.filter(({ id }) => told.get(id) !== 1)).toEqual([]);
    const free = asked.filter((key) => !keys.includes(key));
    const again = await Promise.all(
      free.slice(0, 5).map((key) => api("POST", "/v1/refunds", refundOf(paymentId, key))),
    );
    expect(again.filter(({ status }) => status !== 201)).toEqual([]);
    // Both sides of the crash were met, or the cycles proved nothing.
    expect(stored.length).toBeGreaterThan(0);
    expect(free.length).toBeGreaterThan(0);
  });
});

/** Subscribes, and finds a payment that can be refunded. */
async function subscribed(api: Api): Promise<string | undefined> {
  await api("POST", "/v1/webhook/subscribe", {
    // Nobody listens there: deliveries stay and can be counted.
    url: "http://127.0.0.1:9/",
    secretKey: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    subscriptionDetails: { type: "CATEGORY", details: ["PAYMENT"] },
  });
  const { payments } = (await api("GET", "/sandbox/payments")).body as {
    payments: { paymentId: string; paymentStatus: string }[];
  };
  return payments.find(({ paymentStatus }) => paymentStatus === "SUCCEEDED")?.paymentId;
}

const refundOf = (paymentId: string | undefined, requestKey: string): object => ({
  paymentId,
  amount: { currency: "USD", value: 0.01 },
  requestKey,
});
