import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import net, { type AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { start, type Started } from "../../packages/cli/test/start-command.ts";
import { certificates, key } from "../../packages/service/test/delivery/certificates.ts";
import {
  shareDatabase,
  type SharedDatabase,
} from "../../packages/service/test/instances/shared-database.ts";
import type { ChaosStore } from "./delivery-store.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A name in one of the test's certificates. */
const MERCHANT = "other.example";

/** A database with a merchant who receives its events, and processes of `countersign serve` on it. */
export interface Served extends SharedDatabase {
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
export async function openServed({ database, driver }: ChaosStore): Promise<Served> {
  const shared = await shareDatabase(driver, `https://${MERCHANT}/hooks`);
  const { proxy, ...merchant } = await startMerchant();
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

/** Starts a merchant over TLS, and a proxy that connects every request to it. */
async function startMerchant(): Promise<
  Pick<Served, "arrived" | "holdAnswers"> & { readonly proxy: string }
> {
  const arrived = new Map<string, number>();
  let answering = Promise.resolve();
  const server = createHttpsServer({ key, cert: certificates.wrongHost }, (request, response) => {
    const id = String(request.headers["webhook-id"]);
    request.resume().on("end", () => {
      arrived.set(id, (arrived.get(id) ?? 0) + 1);
      void answering.then(() => response.writeHead(204).end());
    });
  });
  const port = await listen(server);
  const proxy = createHttpServer().on("connect", (_, socket) => {
    const upstream = net.connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  const url = `http://127.0.0.1:${String(await listen(proxy))}`;
  onTestFinished(() => {
    for (const one of [server, proxy]) {
      one.closeAllConnections();
      one.close();
    }
  });
  const holdAnswers = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    answering = promise;
    return resolve;
  };
  return { proxy: url, arrived, holdAnswers };
}

async function listen(server: net.Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  // A listening TCP server has an address with a port.
  return (server.address() as AddressInfo).port;
}
