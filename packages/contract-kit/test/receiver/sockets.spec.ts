import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Clock, Pacer, systemClock } from "../../src/harness/clock.ts";
import type { Received } from "../../src/harness/connection.ts";
import { checkOwned, type Lookup, TargetNotOwnedError } from "../../src/harness/owned-host.ts";
import { RunOverError, Sockets } from "../../src/harness/sockets.ts";
import { drip, flood, hostileTarget } from "./hostile-target.ts";

const post = {
  method: "POST",
  headers: [
    ["X-Twice", "1"],
    ["X-Twice", "2"],
  ],
  body: Buffer.from("é"),
} as const;

function wireTo(url: URL, deadlineMs = 5000): Sockets {
  const sockets = new Sockets({ url, deadlineMs, clock: systemClock });
  onTestFinished(() => sockets.close());
  return sockets;
}

const answering = (text: string) => hostileTarget((socket) => socket.write(text));
const statusOf = ({ status, failure }: Received): number | string | undefined => failure ?? status;

const pour = (socket: Socket): void => flood(socket, Buffer.alloc(65_536, "x"));

/** Waits that pass at once. */
function immediate() {
  const waits: number[] = [];
  const after = (ms: number, call: () => void) => {
    waits.push(ms);
    call();
    return () => undefined;
  };
  return { waits, after };
}

describe("the sockets", () => {
  it("sends the given bytes with only the headers that HTTP needs, and follows no redirect", async () => {
    const { url, said } = await answering(
      "HTTP/1.1 307 X\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n",
    );
    expect(statusOf(await wireTo(url).send(post))).toBe(307);
    expect(said).toEqual([
      `POST /hook?a=1 HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: 2\r\nX-Twice: 1\r\nX-Twice: 2\r\n\r\n${Buffer.from("é").toString("latin1")}`,
    ]);
  });

  it("distinguishes a garbled answer from a closed connection", async () => {
    const ending = (text: string) => hostileTarget((socket) => socket.end(text));
    const half = await ending("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab");
    expect(statusOf(await wireTo(half.url).send(post))).toBe("garbled");
    expect(statusOf(await wireTo((await ending("")).url).send(post))).toBe("closed");
  });

  it("ends a trickling answer at its deadline", async () => {
    const { url } = await hostileTarget((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
      drip(socket, "x");
    });
    expect(statusOf(await wireTo(url, 100).send(post))).toBe("timeout");
  });

  it.each([
    "",
    "Content-Length: 99999999999\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\nfffffff\r\n",
  ])("reads up to 64 KiB of an endless answer with the header %j", async (header) => {
    const { url } = await hostileTarget((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${header || "\r\n"}`);
      pour(socket);
    });
    expect((await wireTo(url).send(post)).body).toHaveLength(65_536);
  });

  it("gives a target less time after two timeouts", async () => {
    const { url } = await hostileTarget(() => undefined);
    const waits: number[] = [];
    const after: Clock["after"] = (ms, call) => {
      waits.push(ms);
      return systemClock.after(0, call);
    };
    const sockets = new Sockets({ url, deadlineMs: 9000, clock: { ...systemClock, after } });
    onTestFinished(() => sockets.close());
    for (let turn = 0; turn < 3; turn += 1)
      expect(statusOf(await sockets.send(post))).toBe("timeout");
    expect(waits).toEqual([9000, 9000, 2000]);
  });

  it("gives a target whose answers are slow more time to answer at once, up to its deadline", async () => {
    let now = 0;
    const { url } = await hostileTarget((socket) => {
      now += 700;
      socket.write("HTTP/1.1 204 X\r\n\r\n");
    });
    const sockets = new Sockets({
      url,
      deadlineMs: 9000,
      clock: { ...systemClock, elapsed: () => now },
    });
    onTestFinished(() => sockets.close());
    expect(sockets.soonMs(2000)).toBe(2000);
    await sockets.send(post);
    expect([sockets.soonMs(2000), sockets.soonMs(20_000)]).toEqual([2800, 9000]);
  });

  it("sends over one kept connection, and over a new one after a refusal", async () => {
    const ports = new Set<number | undefined>();
    let status = 204;
    const { url } = await hostileTarget((socket) => {
      const answer = (): void => {
        ports.add(socket.remotePort);
        socket.write(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`);
      };
      answer();
      socket.on("data", answer);
    });
    const sockets = wireTo(url);
    for (let turn = 0; turn < 3; turn += 1) await sockets.send(post);
    expect(ports.size).toBe(1);
    status = 401;
    await sockets.send(post);
    await sockets.send(post);
    expect(ports.size).toBe(2);
  });

  it("opens at most four connections at once", async () => {
    const open: Socket[] = [];
    let most = 0;
    const answerAll = (): void => {
      for (const socket of open.splice(0))
        socket.end("HTTP/1.1 204 X\r\nConnection: close\r\n\r\n");
    };
    const { url } = await hostileTarget((socket) => {
      most = Math.max(most, open.push(socket));
      // A fifth one would come meanwhile.
      if (open.length === 4) setTimeout(answerAll, 20);
    });
    const sockets = wireTo(url);
    await Promise.all(Array.from({ length: 12 }, () => sockets.send(post)));
    expect(most).toBe(4);
  });

  it("ends the run after the most requests that it may send", async () => {
    const { url, said } = await answering("HTTP/1.1 204 X\r\n\r\n");
    const sockets = wireTo(url);
    sockets.maxRequests = 1;
    await sockets.send(post);
    await expect(sockets.send(post)).rejects.toThrow(RunOverError);
    expect(said).toHaveLength(1);
  });

  it("names a target that cannot be reached", async () => {
    await expect(wireTo(new URL("http://127.0.0.1:1/")).send(post)).rejects.toThrow(
      /127\.0\.0\.1:1 cannot be reached: ECONNREFUSED/,
    );
  });

  it("ends open requests and sends nothing once it is closed", async () => {
    const { url, said } = await hostileTarget(() => undefined);
    const sockets = wireTo(url);
    const waiting = sockets.send(post).then(statusOf, (error: unknown) => error);
    await expect.poll(() => said.length).toBe(1);
    sockets.close();
    expect(await waiting).toBe("closed");
    await expect(sockets.send(post)).rejects.toThrow("the run has ended");
    expect(said).toHaveLength(1);
  });

  it("cuts off a flooding connection that is not read", async () => {
    const { url } = await hostileTarget(pour);
    const connection = wireTo(url).open();
    connection.write(Buffer.from("GET / HTTP/1.1\r\n\r\n"));
    await expect.poll(() => connection.isOpen()).toBe(false);
  });

  it("reads one answer after the other from a kept connection, and none of what is provisional", async () => {
    const { url } = await hostileTarget((socket) => {
      socket.write("HTTP/1.1 100 X\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na");
      socket.on("data", () => socket.write("HTTP/1.1 401 X\r\nContent-Length: 0\r\n\r\n"));
    });
    const sockets = wireTo(url);
    const connection = sockets.open();
    const read = () => {
      connection.write(sockets.bytes(post, true));
      return connection.read({ method: "POST", deadlineMs: 5000 });
    };
    expect([statusOf(await read()), statusOf(await read())]).toEqual([200, 401]);
    expect(connection.isOpen()).toBe(true);
  });

  it.each([
    ["no status line", "hello\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nabcde"],
    ["a chunk without a size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n"],
    ["a hundred provisional answers", "HTTP/1.1 102 X\r\n\r\n".repeat(100)],
    ["20,000 headers", `HTTP/1.1 200 OK\r\n${"A: b\r\n".repeat(20_000)}`],
  ])("rejects an answer with %s", async (_what, text) => {
    expect(statusOf(await wireTo((await answering(text)).url).send(post))).toBe("garbled");
  });

  it("closes a kept connection after Connection: close", async () => {
    const { url } = await answering(
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
    );
    const sockets = wireTo(url);
    const connection = sockets.open();
    connection.write(sockets.head(post, true));
    await connection.read({ method: "POST", deadlineMs: 5000 });
    expect(connection.isOpen()).toBe(false);
  });

  it("paces requests to another machine, at most 50 a second", () => {
    const options = { clock: systemClock, deadlineMs: 1, owned: "hook.example" };
    const limitOf = (url: string) => new Sockets({ ...options, url: new URL(url) }).perSecond;
    expect([limitOf("http://hook.example/"), limitOf("http://127.0.0.1/")]).toEqual([
      50,
      undefined,
    ]);
  });

  it("sends nothing for as long as a rate limiter asks, and half as fast after it", async () => {
    const { waits, after } = immediate();
    const pace = new Pacer({ ...systemClock, elapsed: () => 0, after }, undefined);
    await pace.wait();
    pace.slowDown(500);
    for (let sent = 0; sent < 3; sent += 1) await pace.wait();
    expect(waits).toEqual([500, 510, 520]);
  });
});

describe("a target's host", () => {
  it("is refused unless it is this machine or the user owns it", () => {
    const others = `8.8.8.8 hook.example 10.0.0.1 0.0.0.0 [::] localhost.example 127.0.0.1.example
      2130706434.example [fe80::1]`;
    for (const host of others.split(/\s+/)) {
      const url = new URL(`http://${host}/`);
      expect(() => checkOwned(url, undefined)).toThrow(TargetNotOwnedError);
      expect(() => checkOwned(url, "other.example")).toThrow(TargetNotOwnedError);
      checkOwned(url, url.hostname.replaceAll(/[[\]]/g, ""));
    }
    for (const host of "127.0.0.1 127.9.9.9 [::1] localhost a.localhost 0x7f.1".split(" "))
      checkOwned(new URL(`http://${host}/`), undefined);
  });

  it("is refused if localhost resolves to another machine", async () => {
    const { url, said } = await hostileTarget(() => undefined);
    const found = ["127.0.0.1", "192.0.2.1"].map((address) => ({ address, family: 4 }));
    const lookup: Lookup = (_host, done) => done(null, found);
    const local = new URL(`http://localhost:${url.port}/`);
    const sockets = new Sockets({ url: local, deadlineMs: 1000, clock: systemClock, lookup });
    await expect(sockets.send(post)).rejects.toThrow(/localhost is 192\.0\.2\.1, not this machine/);
    expect(said).toEqual([]);
  });
});
