import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

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
  /** Method and path of every request that arrived whole. */
  readonly requests: string[];
  /** Happen to the next refund requests, one each; `stalled` is called when a client is left waiting. */
  put(next: readonly Fault[], stalled: () => void): void;
  /** Waits until everything that passed has been answered or has failed. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** A TCP proxy before a server on this machine, with a new connection to it for every exchange. */
export async function openFaultProxy(port: number): Promise<FaultProxy> {
  const requests: string[] = [];
  const underWay = new Set<Promise<void>>();
  let waiting: Fault[] = [];
  let stalled = (): void => undefined;

  const server = createServer((client) => {
    const cut = messageCutter();
    client.on("error", () => undefined);
    client.on("data", (chunk) => {
      for (const message of cut(chunk)) {
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

/** Cuts a stream of HTTP/1.1 messages with their lengths into messages. */
function messageCutter(): (chunk: Buffer) => Buffer[] {
  let bytes = Buffer.alloc(0);
  return (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    const messages: Buffer[] = [];
    for (;;) {
      const head = bytes.indexOf("\r\n\r\n");
      const text = bytes.subarray(0, Math.max(0, head)).toString("latin1");
      const length = head + 4 + Number(/^content-length: *(\d+)$/im.exec(text)?.[1] ?? 0);
      if (head < 0 || length > bytes.length) return messages;
      messages.push(bytes.subarray(0, length));
      bytes = bytes.subarray(length);
    }
  };
}

interface Passing {
  readonly port: number;
  readonly fault: Fault | undefined;
  readonly stalled: () => void;
}

/** Passes one exchange. Never rejects: connections end here on purpose. */
async function pass(client: Socket, request: Buffer, passing: Passing): Promise<void> {
  const { port, fault, stalled } = passing;
  const upstream = openUpstream(port);
  // Also after an error, for which `once` would reject.
  const gone = new Promise((resolve) => void client.once("close", resolve));
  const { kind, tenths = 10 } = fault ?? {};
  const isRequest = fault?.of === "request";
  const whole = isRequest ? request : await upstream.exchange(request);
  const at = Math.floor((whole.length * tenths) / 10);
  const rest = whole.subarray(at);
  const forward = (bytes: Buffer): Promise<void> =>
    write(isRequest ? upstream.socket : client, bytes);
  const passed = forward(whole.subarray(0, at));
  const isWaiting = isRequest || rest.length > 0;
  switch (kind) {
    case "cut":
      await passed;
      client.destroy();
      break;
    case "drop":
      await passed;
      if (!isWaiting) break;
      stalled();
      await gone;
      break;
    case "delay":
      await passed;
      if (!isWaiting) break;
      stalled();
      if (!isRequest) await forward(rest);
      await gone;
      if (isRequest) await upstream.exchange(rest);
      break;
    case "duplicate": {
      if (!isRequest) {
        await forward(whole);
        break;
      }
      const copy = openUpstream(port);
      const copied = copy.exchange(request);
      await write(client, await upstream.exchange(rest));
      await copied;
      copy.socket.destroy();
      break;
    }
    case undefined:
      await passed;
      break;
    default:
      kind satisfies never;
  }
  upstream.socket.destroy();
}

/** Resolves when the bytes have left, or when nobody takes them. */
function write(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (bytes.length === 0 || socket.destroyed) resolve();
    else socket.write(bytes, () => resolve());
  });
}

/** A connection to the server. `exchange` sends bytes and waits for the first answer, empty if there is none. */
function openUpstream(port: number) {
  const cut = messageCutter();
  const socket = connect(port, "127.0.0.1");
  const answer = new Promise<Buffer>((resolve) => {
    socket.on("data", (chunk) => cut(chunk).forEach((message) => resolve(message)));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(Buffer.alloc(0)));
  });
  const exchange = async (bytes: Buffer): Promise<Buffer> => {
    await write(socket, bytes);
    return answer;
  };
  return { socket, exchange };
}
