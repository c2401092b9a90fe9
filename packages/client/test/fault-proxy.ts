import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { HttpMessages } from "./http-messages.ts";

/**
 * - `drop`: what is left is lost; the client waits for it until it gives up
 * - `delay`: the client gives up, and what is left arrives all the same
 * - `duplicate`: all of it comes again from its beginning
 * - `cut`: the connection ends
 */
export type FaultKind = "drop" | "delay" | "duplicate" | "cut";

/** What happens to an exchange once so many tenths of its request or its answer have gone through. */
export interface Fault {
  readonly kind: FaultKind;
  readonly of: "request" | "answer";
  readonly tenths: number;
}

export const faults: readonly Fault[] = (["request", "answer"] as const).flatMap((of) =>
  (["drop", "delay", "duplicate", "cut"] as const).flatMap((kind) =>
    Array.from({ length: 11 }, (_, tenths) => ({ kind, of, tenths })),
  ),
);

export interface FaultProxy {
  readonly url: string;
  /** Method and path of every request that came whole. */
  readonly requests: string[];
  /** Happen to the next refund requests, one each; `stalled` is called when a client is left waiting. */
  put(next: readonly Fault[], stalled: () => void): void;
  /** When everything that was let through has been answered or has failed. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** A TCP proxy before a server on this machine, which every exchange has a new connection to. */
export async function openFaultProxy(port: number): Promise<FaultProxy> {
  const requests: string[] = [];
  const underWay = new Set<Promise<void>>();
  let waiting: Fault[] = [];
  let stalled = (): void => undefined;

  const server = createServer((client) => {
    const messages = new HttpMessages();
    client.on("error", () => undefined);
    client.on("data", (chunk) => {
      for (const message of messages.push(chunk)) {
        const [method, path] = message.subarray(0, 200).toString("latin1").split(" ");
        requests.push(`${method} ${path}`);
        const fault = path === "/v1/refunds" ? waiting.shift() : undefined;
        const exchanged = pass(client, message, { port, fault, stalled: () => stalled() });
        underWay.add(exchanged);
        void exchanged.then(() => underWay.delete(exchanged));
      }
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  // A listening TCP server has an address with a port.
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}`,
    requests,
    put: (next, onStalled) => {
      waiting = [...next];
      stalled = onStalled;
    },
    settled: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    close: async () => {
      server.close();
      await Promise.all(underWay);
    },
  };
}

interface Passing {
  readonly port: number;
  readonly fault: Fault | undefined;
  readonly stalled: () => void;
}

/** One exchange. Never rejects: a connection that ends is what this is about. */
async function pass(client: Socket, request: Buffer, passing: Passing): Promise<void> {
  const { port, fault, stalled } = passing;
  const upstream = new Upstream(port);
  if (fault?.of !== "request") {
    upstream.write(request);
    const answer = await upstream.answer;
    upstream.end();
    await (fault === undefined
      ? write(client, answer)
      : passAnswer(client, answer, fault, stalled));
    return;
  }
  const at = Math.floor((request.length * fault.tenths) / 10);
  upstream.write(request.subarray(0, at));
  const gone = closed(client);
  switch (fault.kind) {
    case "cut":
      await upstream.flushed();
      client.destroy();
      break;
    case "drop":
      stalled();
      await gone;
      break;
    case "delay":
      stalled();
      await gone;
      upstream.write(request.subarray(at));
      await upstream.answer;
      break;
    case "duplicate": {
      const copy = new Upstream(port);
      copy.write(request);
      upstream.write(request.subarray(at));
      await write(client, await upstream.answer);
      await copy.answer;
      copy.end();
      break;
    }
    default:
      fault.kind satisfies never;
  }
  upstream.end();
}

async function passAnswer(
  client: Socket,
  answer: Buffer,
  { kind, tenths }: Fault,
  stalled: () => void,
): Promise<void> {
  const at = Math.floor((answer.length * tenths) / 10);
  const gone = closed(client);
  await write(client, answer.subarray(0, at));
  switch (kind) {
    case "cut":
      client.destroy();
      break;
    case "drop":
      if (at === answer.length) break;
      stalled();
      await gone;
      break;
    case "delay":
      if (at === answer.length) break;
      stalled();
      await write(client, answer.subarray(at));
      await gone;
      break;
    case "duplicate":
      await write(client, answer);
      break;
    default:
      kind satisfies never;
  }
}

/** Resolves when a socket is closed, also by an error. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.on("close", () => resolve());
  });
}

/** Resolves when the bytes have left, or when nobody takes them. */
function write(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (bytes.length === 0 || socket.destroyed) resolve();
    else socket.write(bytes, () => resolve());
  });
}

class Upstream {
  readonly #socket: Socket;
  #last: Promise<void> = Promise.resolve();
  /** The first answer; empty where the connection ends without one. */
  readonly answer: Promise<Buffer>;

  constructor(port: number) {
    const messages = new HttpMessages();
    this.#socket = connect(port, "127.0.0.1");
    this.answer = new Promise((resolve) => {
      this.#socket.on("data", (chunk) => {
        const [message] = messages.push(chunk);
        if (message !== undefined) resolve(message);
      });
      this.#socket.on("error", () => undefined);
      this.#socket.on("close", () => resolve(Buffer.alloc(0)));
    });
  }

  write(bytes: Buffer): void {
    this.#last = write(this.#socket, bytes);
  }

  async flushed(): Promise<void> {
    await this.#last;
  }

  end(): void {
    this.#socket.destroy();
  }
}
