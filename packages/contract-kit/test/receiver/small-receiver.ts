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
  | "id in a statement"
  | "one connection at a time"
  | "endless failure";

/** Node's HTTP server leaves itself at each connection. */
type Served = Socket & { readonly server?: Server };

const HANDLER_MS = 40;
const AGAIN_MS = 300;

/** A receiver that verifies nothing, whose inbox is a map: all of it is what a mistake can be made in. */
export function smallReceiver(mistake?: Mistake): RequestListener {
  const effects = makeEffects({ handlerMs: HANDLER_MS });
  const runs = new Map<string, Promise<boolean>>();
  let failed: string | undefined;

  const deliver = async (body: string, isGone: () => boolean): Promise<number> => {
    // What is no event here is one that another check has broken.
    const event = JSON.parse(body) as {
      readonly id: string;
      readonly type: string;
      readonly data: unknown;
    };
    const { id } = event;
    if (mistake === "id in a statement" && id.includes("'")) return 500;
    if (mistake === "a failed event blocks others" && failed !== undefined && failed !== id)
      return 503;
    const earlier = runs.get(id);
    if (earlier !== undefined) {
      const isDone = await earlier;
      if (!isDone && mistake === "duplicates hang") await new Promise<never>(() => {});
      return isDone ? 200 : 503;
    }
    const isCancelled = (): boolean => mistake === "hung up is done" && isGone();
    const handle = async (): Promise<boolean> => {
      if (mistake === "hung up is done") await new Promise((done) => setTimeout(done, HANDLER_MS));
      if (!isCancelled()) await effects.handle(event);
      return true;
    };
    const run = handle().catch(() => false);
    runs.set(id, run);
    if (await run) {
      if (failed === id) failed = undefined;
      return 200;
    }
    failed = id;
    runs.delete(id);
    if (mistake === "runs again by itself") setTimeout(() => void effects.handle(event), AGAIN_MS);
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
    void (mistake === "one connection at a time" ? untilFirst(socket) : Promise.resolve())
      .then(() => text(request))
      .then((body) => deliver(body, () => isGone))
      .catch(() => 400)
      .then((status) => {
        if (status === 500 && mistake === "endless failure")
          response.socket?.write("HTTP/1.1 500 Failed\r\n\r\nfailed");
        else response.writeHead(status).end();
      });
  };
}
