import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { start, type Started } from "../../packages/cli/test/start-command.ts";
import { certificates } from "../../packages/service/test/delivery/certificates.ts";
import {
  shareDatabase,
  type SharedDatabase,
} from "../../packages/service/test/instances/shared-database.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { startTlsMerchant } from "./delivery-merchants.ts";
import type { ChaosStore } from "./delivery-store.ts";

/** A database with a merchant who receives its events, and processes of `countersign serve` on it. */
export interface Served extends SharedDatabase {
  readonly store: ChaosStore;
  /** Number of times that each event arrived. */
  readonly arrived: ReadonlyMap<string, number>;
  /** Has the merchant leave requests open until the returned function is called. */
  readonly holdAnswers: () => () => void;
  /** Asks a process for a refund of 0.01 over HTTP. Rejects without an answer within 20 s. */
  readonly askOver: (url: string, requestKey: string) => Promise<Response>;
  /** Starts a process. @param more Arguments in addition to port and database. */
  readonly serve: (env?: Readonly<Record<string, string>>, more?: readonly string[]) => Started;
}

/**
 * Prepares an empty database for `countersign serve`. Deliveries go through an egress proxy to a merchant over TLS,
 * whose certificate authority the processes trust. All of it ends with the running test.
 */
export async function openServed(store: ChaosStore): Promise<Served> {
  const { database, driver } = store;
  // A name in one of the test's certificates.
  const shared = await shareDatabase(driver, "https://other.example/hooks");
  const { proxy, ...merchant } = await startTlsMerchant();
  const folder = temporaryFolder();
  const authority = join(folder, "authority.pem");
  writeFileSync(authority, certificates.authority);
  const isPostgres = database.startsWith("postgres:");
  const settings = {
    // The key of the test's vault.
    COUNTERSIGN_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, "k1").toString("base64")}`,
    COUNTERSIGN_EGRESS_PROXY: proxy,
    NODE_EXTRA_CA_CERTS: authority,
    ...(isPostgres && { COUNTERSIGN_DATABASE_URL: database }),
  };
  const refund = { paymentId: shared.paymentId, amount: { currency: "USD", value: 0.01 } };
  const args = ["serve", "--port", "0", ...(isPostgres ? [] : ["--database", database])];
  return {
    ...shared,
    ...merchant,
    store,
    askOver: (url, requestKey) =>
      fetch(`${url}/v1/refunds`, {
        method: "POST",
        headers: { authorization: `Bearer ${shared.token}`, "content-type": "application/json" },
        body: JSON.stringify({ ...refund, requestKey }),
        signal: AbortSignal.timeout(20_000),
      }),
    serve: (env = {}, more = []) =>
      start([...args, ...more], { folder, env: { ...settings, ...env } }),
  };
}
