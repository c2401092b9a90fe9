import type { RequestListener, Server } from "node:http";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { makeEffects } from "./make-effects.ts";

/** The mistakes that a small receiver can have. */
export type Mistake =
  | "duplicates hang"
  | "runs again by itself"
  | "a failed event blocks others"
  | "hung up is done"
  | "hung up keeps its claim"
  | "failure undoes others"
  | "id in a statement"
  | "one connection at a time"
  | "endless failure"
  | "duplicate is done"
  | "claim ends early"
  | "id is a pattern"
  | "dot removed"
  | "zero characters fail"
  | "one event a second"
  | "at once lost"
  | "no chunks"
  | "one handler at a time"
  | "duplicate key is done"
  | "query is part of the id"
  | "old events refused"
  | "old events forgotten";

/** Node's HTTP server leaves itself at each connection. */
type Served = Socket & { readonly server?: Server };

const HANDLER_MS = 40;
const AGAIN_MS = 2000;
const DAY_MS = 86_400_000;

/** A receiver that verifies nothing, whose inbox is a map: all of it is what a mistake can be made in. */
export function smallReceiver(mistake?: Mistake): RequestListener {
  const effects = makeEffects({ handlerMs: HANDLER_MS });
  const runs = new Map<string, Promise<boolean>>();
  let failed: string | undefined;

  const keyOf = (id: string): string => {
    if (mistake === "one event a second") return String(Math.floor(Date.now() / 1000));
    if (mistake !== "id is a pattern") return id;
    const escaped = id.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    const pattern = new RegExp(`^${escaped.replaceAll("%", ".*").replaceAll("_", ".")}$`);
    return [...runs.keys()].find((known) => pattern.test(known)) ?? id;
  };

  let running = 0;
  let failures = 0;
  let last: Promise<unknown> = Promise.resolve();
  const deliver = async (body: string, url: string, isGone: () => boolean): Promise<number> => {
    // Any other body is one that another check has broken.
    const event = JSON.parse(body) as {
      readonly id: string;
      readonly type: string;
      readonly timestamp: string;
      readonly data: unknown;
    };
    const { id } = event;
    if (mistake === "old events refused" && Date.now() - Date.parse(event.timestamp) > 300_000)
      return 401;
    if (mistake === "zero characters fail" && body.includes(String.raw`\u0000`)) return 500;
    if (mistake === "dot removed") {
      const [all = "", value = ""] = /"value":([\d.]+)/.exec(body) ?? [];
      if (all !== "")
        Object.assign(event.data ?? {}, {
          amount: { value: Number(value.replace(".", "")) / 100 },
        });
    }
    if (mistake === "id in a statement" && id.includes("'")) return 500;
    if (mistake === "a failed event blocks others" && failed !== undefined && failed !== id)
      return 503;
    const key = mistake === "query is part of the id" ? url + id : keyOf(id);
    const earlier = runs.get(key);
    if (earlier !== undefined) {
      if (mistake === "duplicate is done") return 200;
      if (mistake === "hung up keeps its claim")
        return (await Promise.race([earlier, Promise.resolve(false)])) ? 200 : 503;
      const isDone = await earlier;
      if (!isDone && mistake === "duplicates hang") await new Promise<never>(() => {});
      return isDone ? 200 : 503;
    }
    const isCancelled = (): boolean => mistake === "hung up is done" && isGone();
    const begun = failures;
    const handle = async (): Promise<boolean> => {
      if (mistake?.startsWith("hung up") === true)
        await new Promise((done) => setTimeout(done, HANDLER_MS));
      if (mistake === "hung up keeps its claim" && isGone()) await new Promise<never>(() => {});
      running += 1;
      // All requests share one transaction, which a failure undoes.
      const isUndone = mistake === "failure undoes others" && failures > begun;
      const isLost = isUndone || (mistake === "at once lost" && running > 1);
      if (!isCancelled() && !isLost) await effects.handle(event);
      else await new Promise((done) => setTimeout(done, HANDLER_MS));
      running -= 1;
      return true;
    };
    const isInTurn = mistake === "one handler at a time" || mistake === "failure undoes others";
    const before = isInTurn ? last : Promise.resolve();
    const run = before.then(handle).catch((error: unknown) => {
      running -= 1;
      failures += 1;
      return mistake === "duplicate key is done" && /duplicate key/.test(String(error));
    });
    last = run;
    runs.set(key, run);
    if (mistake === "claim ends early") setTimeout(() => runs.delete(key), HANDLER_MS / 4);
    if (await run) {
      const isOld = Date.now() - Date.parse(event.timestamp) > DAY_MS;
      if (mistake === "old events forgotten" && isOld) runs.delete(key);
      if (failed === id) failed = undefined;
      return 200;
    }
    failed = id;
    runs.delete(key);
    if (mistake === "runs again by itself")
      setTimeout(() => void effects.handle(event).catch(() => {}), AGAIN_MS);
    return 500;
  };

  const connections = new Set<Socket>();
  const accept = (socket: Socket): void => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  };
  /** Waits until all connections before it are closed, with a request or without. */
  const untilFirst = async (socket: Served): Promise<void> => {
    if (connections.size === 0) {
      accept(socket);
      socket.server?.on("connection", accept);
    }
    for (const before of connections)
      if (before === socket) return;
      else await new Promise((closed) => before.once("close", closed));
  };

  return (request, response) => {
    if (request.url === "/effects") {
      void effects.answer(request, response);
      return;
    }
    let isGone = false;
    response.on("close", () => (isGone = !response.writableEnded));
    const { socket } = request;
    if (mistake === "no chunks" && request.headers["transfer-encoding"] !== undefined) {
      request.resume().on("end", () => response.writeHead(400).end());
      return;
    }
    void (mistake === "one connection at a time" ? untilFirst(socket) : Promise.resolve())
      .then(() => text(request))
      .then((body) => deliver(body, request.url ?? "", () => isGone))
      .catch(() => 400)
      .then((status) => {
        if (status === 500 && mistake === "endless failure")
          response.socket?.write("HTTP/1.1 500 Failed\r\n\r\nfailed");
        else response.writeHead(status).end();
      });
  };
}
