import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { certificates, key } from "../../packages/service/test/delivery/certificates.ts";
import { listen, listenHttp, tunnelTo } from "../../packages/service/test/delivery/listening.ts";

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
}

/** Merchants who refuse some attempts, until the running test ends. An event's body is its id. */
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
    if (body !== JSON.stringify({ id })) garbled.push(id);
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
  const { url } = await listenHttp((request, response) => void answer(request, response));
  return { arrived, doubled, garbled, url: url.href };
}

/** A merchant over TLS, and a proxy that connects every request to it, until the running test ends. */
export async function startTlsMerchant() {
  const arrived = new Map<string, number>();
  let answering = Promise.resolve();
  const server = createHttpsServer({ key, cert: certificates.wrongHost }, (request, response) => {
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
