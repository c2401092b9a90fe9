import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";

const KINDS = ["drop", "delay", "duplicate", "cut"] as const;

/** A fault of an exchange once so many tenths of its request or its answer have passed. */
export interface Fault {
  /**
   * - `drop`: the rest is lost; the client waits until it gives up
   * - `delay`: the client gives up, and the rest still arrives
   * - `duplicate`: everything arrives again from the beginning
   * - `cut`: the connection ends
   */
  readonly kind: (typeof KINDS)[number];
  readonly of: "request" | "answer";
  readonly tenths: number;
}

export const faults: readonly Fault[] = (["request", "answer"] as const).flatMap((of) =>
  KINDS.flatMap((kind) => Array.from({ length: 11 }, (_, tenths) => ({ kind, of, tenths }))),
);

export interface FaultProxy {
  readonly url: string;
  /** Happen to the next requests, one each; `stalled` is called when a client is left waiting. */
  put(next: readonly Fault[], stalled: () => void): void;
  /** Waits until everything that passed has been answered or has failed. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** A proxy before a server on this machine, with new connections for every exchange. */
export async function openFaultProxy(port: number): Promise<FaultProxy> {
  const inFlight = new Set<Promise<void>>();
  let waiting: Fault[] = [];
  let stalled = (): void => undefined;
  const server = createServer((request) => {
    const passed = pass(request, { port, fault: waiting.shift(), stalled: () => stalled() });
    inFlight.add(passed);
    void passed.then(() => inFlight.delete(passed));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    // A listening TCP server has an address with a port.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    put: (next, onStalled) => {
      waiting = [...next];
      stalled = onStalled;
    },
    settled: async () => {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
    close: async () => {
      server.close();
      await Promise.all(inFlight);
    },
  };
}

interface Passing {
  readonly port: number;
  readonly fault: Fault | undefined;
  readonly stalled: () => void;
}

/** Passes one exchange. Never rejects: connections end here on purpose. */
async function pass(incoming: IncomingMessage, passing: Passing): Promise<void> {
  const { port, fault, stalled } = passing;
  const client = incoming.socket;
  const gone = new Promise((resolve) => void client.once("close", resolve));
  const request = await bytesOf(incoming);
  const upstream = openUpstream(port);
  const isRequest = fault?.of === "request";
  if (!isRequest) await write(upstream.socket, request);
  const whole = isRequest ? request : await upstream.answer;
  const target = isRequest ? upstream.socket : client;
  const at = Math.floor((whole.length * (fault?.tenths ?? 10)) / 10);
  const rest = whole.subarray(at);
  await write(target, whole.subarray(0, at));
  if (fault?.kind === "cut") client.destroy();
  if (fault?.kind === "duplicate" && !isRequest) await write(client, whole);
  if (fault?.kind === "duplicate" && isRequest) {
    const copy = openUpstream(port);
    await write(copy.socket, request);
    await write(upstream.socket, rest);
    await write(client, await upstream.answer);
    await copy.answer;
  }
  const isStalling = fault?.kind === "drop" || fault?.kind === "delay";
  if (isStalling && (isRequest || rest.length > 0)) {
    stalled();
    if (fault.kind === "delay" && !isRequest) await write(client, rest);
    await gone;
    if (fault.kind === "delay" && isRequest) {
      await write(upstream.socket, rest);
      await upstream.answer;
    }
  }
  client.end();
  upstream.socket.destroy();
}

/** A request's bytes; its connection ends with the answer. */
async function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  const { method, url, headers } = incoming;
  const lines = Object.entries({ ...headers, connection: "close" }).map(
    ([name, value]) => `${name}: ${String(value)}`,
  );
  const head = [`${method} ${url} HTTP/1.1`, ...lines, "", ""].join("\r\n");
  return Buffer.concat([Buffer.from(head), await buffer(incoming)]);
}

/** Resolves when the bytes have left, or when nobody takes them. */
function write(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (bytes.length === 0 || socket.destroyed) resolve();
    else socket.write(bytes, () => resolve());
  });
}

/** A connection to the server, and its whole answer: empty if there is none. */
function openUpstream(port: number) {
  const socket = connect(port, "127.0.0.1");
  return { socket, answer: buffer(socket).catch(() => Buffer.alloc(0)) };
}
