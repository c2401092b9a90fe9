import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { start } from "../../packages/cli/test/start-command.ts";
import { certificates, key } from "../../packages/service/test/delivery/certificates.ts";
import { listen, tunnelTo } from "../../packages/service/test/delivery/listening.ts";
import { askRefund } from "../../packages/service/src/use-cases/ask-refund.ts";
import { settledPayments } from "../../packages/service/test/payments.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import type { ChaosStore } from "./chaos-store.ts";

const METRICS_TOKEN = "a-token-for-metrics";

/** Reads the metrics of a process. */
export async function metricsOf(url: string): Promise<string> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  return (await fetch(`${url}/metrics`, { headers })).text();
}

export type Served = Awaited<ReturnType<typeof openServed>>;

/**
 * Prepares an empty database for `countersign serve`. Deliveries go through an egress proxy to a merchant over TLS,
 * whose certificate authority the processes trust. All of it ends with the running test.
 */
export async function openServed(store: ChaosStore) {
  const { database, driver } = store;
  // A payment of 10 000.00, of which each refund takes a cent, and a name in one of the test's certificates.
  const made = { count: 1, cents: 1_000_000n, url: "https://other.example/hooks" };
  const { context, merchant, paymentIds } = await settledPayments(driver, made);
  const [paymentId = ""] = paymentIds;
  const { proxy, ...receiver } = await startTlsMerchant();
  const folder = temporaryFolder();
  const authority = join(folder, "authority.pem");
  writeFileSync(authority, certificates.authority);
  const isPostgres = database.startsWith("postgres:");
  const settings = {
    // The key of the test's vault.
    COUNTERSIGN_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, "k1").toString("base64")}`,
    COUNTERSIGN_EGRESS_PROXY: proxy,
    COUNTERSIGN_METRICS_TOKEN: METRICS_TOKEN,
    NODE_EXTRA_CA_CERTS: authority,
    ...(isPostgres && { COUNTERSIGN_DATABASE_URL: database }),
  };
  const refund = { paymentId, amount: { currency: "USD", value: 0.01 } };
  const args = ["serve", "--port", "0", ...(isPostgres ? [] : ["--database", database])];
  /** Asks a process for a refund of 0.01 over HTTP. Rejects without an answer within 20 s. */
  const askOver = (url: string, requestKey: string): Promise<Response> =>
    fetch(`${url}/v1/refunds`, {
      method: "POST",
      headers: { authorization: `Bearer ${merchant.token}`, "content-type": "application/json" },
      body: JSON.stringify({ ...refund, requestKey }),
      signal: AbortSignal.timeout(20_000),
    });
  /** Starts a process. @param more Arguments in addition to port and database. */
  const serve = (env: Readonly<Record<string, string>> = {}, more: readonly string[] = []) =>
    start([...args, ...more], { folder, env: { ...settings, ...env } });
  const due = { paymentId, amountCents: 1n, clientReferenceId: null, softDescriptor: null };
  /** Requests refunds of 0.01 that are due. */
  const askDueRefunds = async (count: number): Promise<void> => {
    // They wait for each other at their payment: more at once would wait for a connection too.
    const keys = Array.from({ length: count }, (_, index) => `due-${index}`);
    while (keys.length > 0) {
      const asked = keys.splice(0, 8).map((requestKey) => ({ ...due, requestKey }));
      await Promise.all(asked.map((one) => askRefund(context, merchant, one)));
    }
  };
  return { ...receiver, isShared: isPostgres, paymentId, store, askDueRefunds, askOver, serve };
}

/** A merchant over TLS, and a proxy that connects every request to it, until the running test ends. */
async function startTlsMerchant() {
  /** Number of times that each event arrived. */
  const arrived = new Map<string, number>();
  let answering = Promise.resolve();
  const server = createServer({ key, cert: certificates.wrongHost }, (request, response) => {
    const id = String(request.headers["webhook-id"]);
    request.resume().on("end", () => {
      arrived.set(id, (arrived.get(id) ?? 0) + 1);
      void answering.then(() => response.writeHead(204).end());
    });
  });
  const { proxy } = await tunnelTo((await listen(server)).port);
  /** Leaves requests open until the returned function is called. */
  const holdAnswers = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    answering = promise;
    return resolve;
  };
  return { proxy, arrived, holdAnswers };
}
