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

/** The counts of a campaign with `countersign serve`. */
export interface ServeTally extends Verdict {
  readonly events: number;
  readonly paymentId: string;
}

export interface ServeCampaign {
  readonly cycles: number;
  /** Refunds that are due: each emits two events. */
  readonly refunds: number;
  readonly seed: number;
  /** `postgres://…` of an empty database. */
  readonly database: string;
  readonly driver: Driver;
}

/** A name in one of the test's certificates. */
const MERCHANT = "other.example";
/** Longest life of each process once both are ready, in milliseconds. */
const ALIVE_MS = 400;

/**
 * Kills two processes of `countersign serve` that share a database, again and again; a last one delivers the rest.
 * Deliveries go through an egress proxy to a merchant over TLS, whose certificate authority the processes trust.
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
    // The key of the test's vault.
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
      // Both are gone: nobody need wait for the end of their leases.
      await driver.transaction((tx) => tx.query("DELETE FROM delivery_members"));
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

/** Starts a merchant over TLS, and a proxy that connects every request to it. */
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
  const close = (): void => {
    for (const one of [server, proxy]) {
      one.closeAllConnections();
      one.close();
    }
  };
  return { proxy: url, arrived, close };
}

async function listen(server: net.Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  // A listening TCP server has an address with a port.
  return (server.address() as AddressInfo).port;
}
