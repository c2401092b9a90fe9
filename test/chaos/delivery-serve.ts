import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import net, { type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Driver } from "@countersign/service";
import { start, temporaryFolder, type Started } from "../../packages/cli/test/start-command.ts";
import { certificates, key } from "../../packages/service/test/delivery/certificates.ts";
import { shareDatabase } from "../../packages/service/test/instances/shared-database.ts";
import { seeded } from "../fuzz/random.ts";
import { verdictOf, type Verdict } from "./delivery-verdict.ts";

/** What killing `countersign serve` came to. */
export interface ServeTally extends Verdict {
  readonly events: number;
  readonly paymentId: string;
}

export interface ServeCampaign {
  readonly cycles: number;
  /** Refunds that have come to be due: each tells two events. */
  readonly refunds: number;
  readonly seed: number;
  /** `postgres://…` of an empty database. */
  readonly database: string;
  readonly driver: Driver;
}

/** The name of one of the test's certificates. */
const MERCHANT = "other.example";
/** How long the processes live once both take calls, in milliseconds. */
const ALIVE_MS = 400;

/**
 * Two processes of `countersign serve` share a database and are killed, again and again; then one finishes.
 * What they send goes through an egress proxy to a merchant over TLS, whose authority they are told to trust.
 */
export async function serveCampaign(campaign: ServeCampaign): Promise<ServeTally> {
  const { cycles, refunds, seed, database, driver } = campaign;
  const random = seeded(seed);
  const { askDueRefunds, paymentId } = await shareDatabase(driver, `https://${MERCHANT}/hooks`);
  await askDueRefunds(refunds);
  const merchant = await startMerchant();
  const folder = temporaryFolder();
  const authority = join(folder, "authority.pem");
  writeFileSync(authority, certificates.authority);
  const env = {
    // Those of the test's vault.
    COUNTERSIGN_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, "k1").toString("base64")}`,
    COUNTERSIGN_DATABASE_URL: database,
    COUNTERSIGN_EGRESS_PROXY: merchant.proxy,
    NODE_EXTRA_CA_CERTS: authority,
  };
  const serve = (): Started => start(["serve", "--port", "0"], { folder, env });
  try {
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      const both = [serve(), serve()];
      await Promise.all(both.map((one) => one.ready()));
      for (const one of both) {
        await setTimeout(random.int(ALIVE_MS));
        await one.end("SIGKILL");
      }
      // Nobody is left whose claims these are: what a minute would do is done at once.
      await driver.transaction((tx) =>
        tx.query("UPDATE deliveries SET leased_until = 0 WHERE leased_until > 0"),
      );
    }
    const last = serve();
    await last.ready();
    await nothingWaits(driver);
    await last.end();
    const rows = await driver.query<{ id: string }>("SELECT event_id AS id FROM deliveries");
    const written = rows.map(({ id }) => id);
    const verdict = await verdictOf(driver, written, merchant.arrived);
    return { ...verdict, events: written.length, paymentId };
  } finally {
    merchant.close();
  }
}

async function nothingWaits(driver: Driver): Promise<void> {
  for (let waited = 0; waited < 30_000; waited += 50) {
    const rows = await driver.query(
      `SELECT id FROM deliveries WHERE next_at IS NOT NULL
       UNION ALL SELECT id FROM payments WHERE direction = 'CREDIT' AND status = 'PENDING' LIMIT 1`,
    );
    if (rows.length === 0) return;
    await setTimeout(50);
  }
}

/** A merchant over TLS, and the proxy that leads to it whatever is asked for. */
async function startMerchant(): Promise<{
  readonly proxy: string;
  readonly arrived: ReadonlyMap<string, number>;
  readonly close: () => void;
}> {
  const arrived = new Map<string, number>();
  const server = createHttpsServer({ key, cert: certificates.wrongHost }, (request, response) => {
    const id = String(request.headers["webhook-id"]);
    request.resume().on("end", () => {
      arrived.set(id, (arrived.get(id) ?? 0) + 1);
      response.writeHead(204).end();
    });
  });
  const proxy = createHttpServer();
  proxy.on("connect", (_, socket) => {
    const upstream = net.connect(portOf(server), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  for (const one of [server, proxy]) {
    one.listen(0, "127.0.0.1");
    await once(one, "listening");
  }
  return {
    proxy: `http://127.0.0.1:${String(portOf(proxy))}`,
    arrived,
    close: () => {
      for (const one of [server, proxy]) {
        one.closeAllConnections();
        one.close();
      }
    },
  };
}

// A listening TCP server has an address with a port.
const portOf = (server: net.Server): number => (server.address() as AddressInfo).port;
