import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { payloadOf } from "./delivery-writer.ts";

/** Every fourth answer takes so long, in milliseconds, that kills meet attempts which have arrived. */
const SLOW_MS = 20;
/** One event of so many is refused at first, so often. */
const [REFUSED, REFUSALS] = [16, 2];
/** For so long, every so often, all is refused, so that subscriptions are met that only fail; milliseconds. */
const [OUTAGE_MS, EVERY_MS] = [300, 5000];

/** The merchants' side. It is never killed: what it has counted has arrived. */
export interface Sink {
  readonly url: string;
  /** How often each event arrived whole and was taken. */
  readonly arrived: ReadonlyMap<string, number>;
  /** Events whose bodies were not what was written: must be none. */
  readonly garbled: readonly string[];
  close(): Promise<void>;
}

export async function startSink(): Promise<Sink> {
  const arrived = new Map<string, number>();
  const refused = new Map<string, number>();
  const garbled: string[] = [];
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
    const body = await bodyOf(request);
    // Whose sender was killed in the middle of it has not arrived.
    if (body === undefined) return;
    const id = String(request.headers["webhook-id"]);
    if (body !== payloadOf(id)) garbled.push(id);
    const status = statusOf(id);
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
    garbled,
    url: `http://127.0.0.1:${String(port)}/hooks`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  try {
    return await text(request);
  } catch {
    return undefined;
  }
}
