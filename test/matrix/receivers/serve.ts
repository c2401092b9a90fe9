import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { type Conduct, honest, type Known } from "./conduct.ts";
import { listen } from "../../../packages/contract-kit/test/listen.ts";
import { makeEffects } from "../../../packages/contract-kit/test/receiver/make-effects.ts";
import { type Answer, type Arrived, ok, refusal } from "./http.ts";
import { type Happening, readEvent } from "./read-event.ts";

/**
 * A small receiver on node:http, by hand: it shares nothing with `@countersign/receiver`, so that the
 * kit is not judged by our own code.
 */
export async function serve(change: Partial<Conduct> = {}) {
  const conduct = { ...honest, ...change };
  const effects = makeEffects(conduct);
  const inbox = new Map<string, Known>();
  const refused = new WeakSet<Socket>();
  let running = 0;

  /** Headers → body → signature → event → inbox → handler. */
  const receive = async (request: IncomingMessage): Promise<Answer | undefined> => {
    if (refused.has(request.socket)) return undefined;
    if (request.method !== "POST") return conduct.wrongMethod;
    const head = { rawHeaders: request.rawHeaders, body: Buffer.alloc(0) };
    const early = conduct.judgeHeaders(head);
    if (early !== undefined) return early;
    const read = await readBody(request, conduct);
    if (!Buffer.isBuffer(read)) return read;
    const arrived = { ...head, body: conduct.bodyOf({ ...head, body: read }) };

    const reason = await conduct.judgeSignature(arrived, conduct.verifying);
    if (reason !== undefined) return conduct.unbelieved(reason);
    let event: Happening;
    try {
      event = readEvent(arrived.body, conduct);
    } catch {
      return conduct.unreadable(arrived.body);
    }
    if (conduct.hangs(event)) return undefined;
    return conduct.judgeEvent(event, arrived) ?? handleOnce(event, arrived);
  };

  const handleOnce = async (event: Happening, arrived: Arrived): Promise<Answer> => {
    const key = conduct.keyOf(event, arrived);
    const known = inbox.get(key);
    const answered = known && conduct.answerKnown(known, arrived.body);
    if (answered !== undefined) return answered;
    if (running >= conduct.concurrent) return conduct.overloaded;
    if (conduct.claimsFirst) inbox.set(key, { at: "running", body: arrived.body });
    const handled = handle(event, key, arrived.body);
    return conduct.awaitsHandler ? handled : ok;
  };

  const handle = async (event: Happening, key: string, body: Buffer): Promise<Answer> => {
    running += 1;
    try {
      const runs = Array.from({ length: conduct.handlers(event) }, () =>
        // The fault may remove the id.
        effects.handle(conduct.listed(event) as Happening),
      );
      if ((await within(conduct.handlerLimitMs, Promise.all(runs))) === "late") {
        inbox.delete(key);
        return refusal(503, "late", { "retry-after": "1" });
      }
    } catch (error) {
      if (conduct.releases) inbox.delete(key);
      else inbox.set(key, { at: "handled", body });
      return conduct.failed(error);
    } finally {
      running -= 1;
    }
    inbox.set(key, { at: "handled", body });
    for (const [oldest] of inbox) if (inbox.size > conduct.remembers) inbox.delete(oldest);
    return ok;
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === "/effects") return effects.answer(request, response);
    const said = await receive(request);
    if (said === undefined) return undefined;
    if (said.status >= 400 && !conduct.servesAfterRefusal) refused.add(request.socket);
    response.writeHead(said.status, said.headers).end(said.body);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  if (!conduct.continues)
    server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
      server.emit("request", request, response);
    });
  const { origin, close } = await listen(server);
  return { url: `${origin}/webhooks`, effectsUrl: `${origin}/effects`, close };
}

/** Resolves to `late` if the work takes longer. */
async function within(ms: number, work: Promise<unknown>): Promise<unknown> {
  if (ms === Infinity) return work;
  const deadline = new AbortController();
  const late = setTimeout(ms, "late", { signal: deadline.signal });
  late.catch(() => undefined);
  return Promise.race([work, late]).finally(() => deadline.abort());
}

/** Reads the whole body, or refuses one that is too long or too slow. */
async function readBody(
  request: IncomingMessage,
  { bodyBytes, bodyMs, tooLarge }: Conduct,
): Promise<Buffer | Answer | undefined> {
  const collect = async (): Promise<Buffer | Answer | undefined> => {
    const chunks: Buffer[] = [];
    let size = 0;
    // An early answer must leave the connection open.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length;
      if (size > bodyBytes) return tooLarge;
      chunks.push(chunk as Buffer);
    }
    return Buffer.concat(chunks);
  };
  const read = await within(
    bodyMs,
    collect().catch(() => refusal(400, "aborted")),
  );
  return read === "late"
    ? refusal(408, "slow", { connection: "close" })
    : (read as Buffer | Answer | undefined);
}
