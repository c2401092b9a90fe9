import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { payloadOf } from "./delivery-writer.ts";

/** Delay of every fourth response, in milliseconds, so that kills hit attempts that have arrived. */
const SLOW_MS = 20;
/** One event in so many is refused this many times first. */
const [REFUSED, REFUSALS] = [16, 2];
/** Everything is refused for so long, every so often, so that subscriptions fail completely; milliseconds. */
const [OUTAGE_MS, EVERY_MS] = [300, 5000];

/** The merchants' side. It is never killed: everything it counted has arrived. */
export interface Sink {
  readonly url: string;
  /** Number of times that each event arrived whole and was accepted. */
  readonly arrived: ReadonlyMap<string, number>;
  /**
   * Events that one process had accepted twice, or that arrived while another request of theirs was open: must be none.
   * A process knows what it has attempted, and nobody else attempts it while the process lives.
   */
  readonly doubled: readonly string[];
  /** Events with another body than was written: must be none. */
  readonly garbled: readonly string[];
  close(): Promise<void>;
}

export async function startSink(): Promise<Sink> {
  const arrived = new Map<string, number>();
  const refused = new Map<string, number>();
  const garbled: string[] = [];
  const doubled: string[] = [];
  const open = new Set<string>();
  const accepted = new Set<string>();
  let answers = 0;

  const statusOf = (id: string): number => {
    if (Date.now() % EVERY_MS < OUTAGE_MS) return 503;
    const refusals = refused.get(id) ?? 0;
    if (Number(id.slice("evt_".length)) % REFUSED === 0 && refusals < REFUSALS) {
      refused.set(id, refusals + 1);
      return 503;
    }
    arrived.set(id, (arrived.get(id) ?? 0) + 1);
    return 204;
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request).catch(() => undefined);
    // A request whose sender was killed while it sent has not arrived.
    if (body === undefined) return;
    const id = String(request.headers["webhook-id"]);
    const sender = request.headers["user-agent"] ?? "";
    if (body !== payloadOf(id)) garbled.push(id);
    if (open.has(id)) doubled.push(`${id} concurrently, by ${sender}`);
    open.add(id);
    response.on("close", () => open.delete(id));
    const status = statusOf(id);
    if (status === 204 && accepted.has(`${sender} ${id}`)) doubled.push(`${id} by ${sender}`);
    if (status === 204) accepted.add(`${sender} ${id}`);
    answers += 1;
    if (answers % 4 === 0) await setTimeout(SLOW_MS);
    response.writeHead(status).end();
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    arrived,
    doubled,
    garbled,
    url: `http://127.0.0.1:${String(port)}/hooks`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
