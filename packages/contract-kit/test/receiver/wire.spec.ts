import { describe, expect, it, onTestFinished } from "vitest";
import { type Clock, systemClock } from "../../src/receiver/wire/clock.ts";
import type { Received } from "../../src/receiver/wire/connection.ts";
import {
  checkOwned,
  loopbackLookup,
  type Lookup,
  TargetNotOwnedError,
} from "../../src/receiver/wire/owned-host.ts";
import { pacer } from "../../src/receiver/wire/pace.ts";
import { openWire, TargetSilentError, type Wire } from "../../src/receiver/wire/wire.ts";
import { hostileTarget } from "./hostile-target.ts";

const post = {
  method: "POST",
  headers: [
    ["X-Twice", "1"],
    ["X-Twice", "2"],
  ],
  body: Buffer.from("é"),
} as const;

function wireTo(url: URL, deadlineMs = 5000): Wire {
  const wire = openWire({ url, deadlineMs });
  onTestFinished(wire.close);
  return wire;
}

/** What is read of a target that answers each request with these bytes, and then closes or not. */
async function received(
  text: string,
  { isEnded = false, deadlineMs = 5000, method = "POST" } = {},
): Promise<Received> {
  const { url } = await hostileTarget((socket) => {
    socket.write(Buffer.from(text, "latin1"));
    if (isEnded) socket.end();
  });
  return wireTo(url, deadlineMs).send({ ...post, method });
}

const statusOf = (one: Received): number | string =>
  one.kind === "answer" ? one.answer.status : one.why;
const bodyOf = (one: Received): string =>
  one.kind === "answer" ? Buffer.from(one.answer.body).toString() : one.detail;

describe("a request over the wire", () => {
  it("is the bytes that it was told, with what HTTP needs and no more", async () => {
    const { url, said } = await hostileTarget((socket) => socket.write("HTTP/1.1 204 X\r\n\r\n"));
    expect(statusOf(await wireTo(url).send(post))).toBe(204);
    expect(said).toEqual([
      `POST /hook?a=1 HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: 2\r\nConnection: close\r\nX-Twice: 1\r\nX-Twice: 2\r\n\r\n${Buffer.from("é").toString("latin1")}`,
    ]);
  });

  it("never follows a redirect", async () => {
    const { url, said } = await hostileTarget((socket) =>
      socket.write("HTTP/1.1 307 X\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"),
    );
    expect(statusOf(await wireTo(url).send(post))).toBe(307);
    expect(said).toHaveLength(1);
  });
});

describe("an answer", () => {
  it.each([
    ["of a length", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcd", "abc"],
    [
      "in chunks",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n1\r\nc\r\n0\r\nA: b\r\n\r\n",
      "abc",
    ],
    [
      "after others that are provisional",
      "HTTP/1.1 100 X\r\n\r\nHTTP/1.1 103 X\r\nLink: y\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na",
      "a",
    ],
    ["with line breaks of one character", "HTTP/1.1 200 OK\nContent-Length: 1\n\na", "a"],
  ])("%s is read to its end", async (_what, text, body) => {
    const one = await received(text);
    expect([statusOf(one), bodyOf(one)]).toEqual([200, body]);
  });

  it("without a length ends with its connection", async () => {
    expect(bodyOf(await received("HTTP/1.0 200 OK\r\n\r\nabc", { isEnded: true }))).toBe("abc");
  });

  it("has no body to HEAD, nor with 204", async () => {
    const text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    expect(bodyOf(await received(text, { method: "HEAD" }))).toBe("");
    expect(bodyOf(await received(text.replace("200", "204")))).toBe("");
  });

  it.each([
    ["is none", "hello\r\n\r\n", "garbled"],
    ["has a header that is none", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "garbled"],
    [
      "has a length that is none",
      "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nabcde",
      "garbled",
    ],
    [
      "has a chunk without a size",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
      "garbled",
    ],
    [
      "has a chunk longer than it says",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
      "garbled",
    ],
    ["is a flood of provisional ones", "HTTP/1.1 100 X\r\n\r\n".repeat(100), "garbled"],
    ["has a line without end", `HTTP/1.1 200 ${"x".repeat(40_000)}`, "garbled"],
    ["has headers without end", `HTTP/1.1 200 OK\r\n${"A: b\r\n".repeat(10_000)}`, "garbled"],
  ])("that %s is told as such", async (_what, text, why) => {
    expect(statusOf(await received(text))).toBe(why);
  });

  it("that ends before its end, or never begins, is told as such", async () => {
    const half = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab";
    expect(statusOf(await received(half, { isEnded: true }))).toBe("garbled");
    expect(statusOf(await received("", { isEnded: true }))).toBe("closed");
  });

  it("that trickles ends at its deadline, not at a byte's", async () => {
    const { url } = await hostileTarget((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
      const timer = setInterval(() => socket.write("x"), 5);
      socket.once("close", () => clearInterval(timer));
    });
    expect(statusOf(await wireTo(url, 100).send(post))).toBe("timeout");
  });

  it.each([
    ["HTTP/1.1 200 OK\r\n\r\n"],
    ["HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"],
    ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n"],
  ])("is read up to 64 KiB: %j", async (head) => {
    const { url } = await hostileTarget((socket) => {
      socket.write(head);
      const pour = (): void => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536, "x")));
      };
      socket.on("drain", pour);
      pour();
    });
    const one = await wireTo(url).send(post);
    expect(bodyOf(one)).toHaveLength(65_536);
  });
});

describe("a target that is silent", () => {
  it("is waited for twice, and then nobody waits any more", async () => {
    const { url, said } = await hostileTarget(() => undefined);
    const wire = wireTo(url, 50);
    // A batch that was sent at once is one time of waiting.
    await Promise.all([wire.send(post), wire.send(post), wire.send(post)]);
    expect(statusOf(await wire.send(post))).toBe("timeout");
    await expect(wire.send(post)).rejects.toThrow(TargetSilentError);
    expect(said).toHaveLength(4);
  });

  it("is left where all its answers together take too long", async () => {
    const { url, said } = await hostileTarget((socket) => socket.write("HTTP/1.1 204 X\r\n\r\n"));
    let now = 0;
    const clock: Clock = { ...systemClock, now: () => now };
    const wire = openWire({ url, deadlineMs: 5000, budgetMs: 60_000, clock });
    await wire.send(post);
    now += 60_001;
    await expect(wire.send(post)).rejects.toThrow(/answers too slowly/);
    expect(said).toHaveLength(1);
  });

  it("is not there where nobody has ever answered", async () => {
    await expect(wireTo(new URL("http://127.0.0.1:1/")).send(post)).rejects.toThrow(
      /127\.0\.0\.1:1 cannot be reached: ECONNREFUSED/,
    );
  });
});

describe("a wire that was closed", () => {
  it("ends what is open, and sends nothing any more", async () => {
    const { url, said } = await hostileTarget(() => undefined);
    const wire = openWire({ url, deadlineMs: 5000 });
    const waiting = wire.send(post).then(statusOf, (error: unknown) => error);
    await expect.poll(() => said.length).toBe(1);
    wire.close();
    expect(await waiting).toBe("closed");
    await expect(wire.send(post)).rejects.toThrow("the run has ended");
    expect(said).toHaveLength(1);
  });
});

describe("a connection that nobody reads", () => {
  it("is cut off where the target pours into it", async () => {
    const { url } = await hostileTarget((socket) => {
      const pour = (): void => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536, "x")));
      };
      socket.on("drain", pour);
      pour();
    });
    const connection = wireTo(url).open();
    connection.write(Buffer.from("GET / HTTP/1.1\r\n\r\n"));
    await expect.poll(() => connection.isOpen()).toBe(false);
  });
});

describe("a connection that is kept", () => {
  it("carries one answer after the other, also those that came together", async () => {
    const { url } = await hostileTarget((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 401 X\r\nContent-");
      socket.write("Length: 0\r\n\r\n");
    });
    const wire = wireTo(url);
    const connection = wire.open();
    connection.write(wire.head(post, true));
    const read = () => connection.read({ method: "POST", deadlineMs: 5000 });
    expect([statusOf(await read()), statusOf(await read())]).toEqual([200, 401]);
    expect(connection.isOpen()).toBe(true);
  });

  it("is closed where the answer says so", async () => {
    const { url } = await hostileTarget((socket) =>
      socket.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
    );
    const wire = wireTo(url);
    const connection = wire.open();
    connection.write(wire.head(post, true));
    await connection.read({ method: "POST", deadlineMs: 5000 });
    expect(connection.isOpen()).toBe(false);
  });
});

describe("the rate to another machine", () => {
  it("is 50 requests a second, evenly spaced", async () => {
    const waits: number[] = [];
    const clock: Clock = {
      now: () => 1000,
      after: (ms, call) => {
        waits.push(ms);
        call();
        return () => undefined;
      },
    };
    const pace = pacer(clock, 50);
    for (let sent = 0; sent < 4; sent += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await pace();
    }
    expect(waits).toEqual([20, 40, 60]);
    const options = { deadlineMs: 1, url: new URL("http://hook.example/"), owned: "hook.example" };
    expect(openWire(options).perSecond).toBe(50);
    expect(openWire({ ...options, url: new URL("http://127.0.0.1/") }).perSecond).toBeUndefined();
  });
});

describe("whose machine it is", () => {
  it.each([
    "http://8.8.8.8/",
    "http://hook.example/",
    "http://10.0.0.1/",
    "http://0.0.0.0/",
    "http://[::]/",
    "http://localhost.example/",
    "http://127.0.0.1.example/",
    "http://2130706434.example/",
    "http://[fe80::1]/",
  ])("%s is refused by its spelling, and taken where it is said to be one's own", (text) => {
    const url = new URL(text);
    expect(() => checkOwned(url, undefined)).toThrow(TargetNotOwnedError);
    expect(() => checkOwned(url, "other.example")).toThrow(TargetNotOwnedError);
    expect(() => checkOwned(url, url.hostname.replaceAll(/[[\]]/g, ""))).not.toThrow();
  });

  it.each([
    "http://127.0.0.1/",
    "http://127.9.9.9/",
    "http://[::1]/",
    "http://localhost/",
    "http://a.localhost/",
    "http://0x7f.1/",
  ])("%s is this machine by its spelling", (text) => {
    expect(() => checkOwned(new URL(text), undefined)).not.toThrow();
  });

  it("is judged by the address too: localhost is a name like any other", async () => {
    const { url, said } = await hostileTarget(() => undefined);
    const elsewhere: Lookup = (_host, done) =>
      done(null, [
        { address: "127.0.0.1", family: 4 },
        { address: "192.0.2.1", family: 4 },
      ]);
    const asked = new URL(`http://localhost:${url.port}/`);
    const wire = openWire({ url: asked, deadlineMs: 1000, lookup: elsewhere });
    await expect(wire.send(post)).rejects.toThrow(/localhost is 192\.0\.2\.1, not this machine/);
    expect(said).toEqual([]);
  });

  it("passes on what the look-up itself says", () => {
    const failing: Lookup = (_host, done) => done(new Error("ENOTFOUND"), []);
    const seen: unknown[] = [];
    loopbackLookup(failing)("localhost", {}, (error) => seen.push(error?.message));
    expect(seen).toEqual(["ENOTFOUND"]);
  });
});

describe("the clock", () => {
  it("of the target is told by its Date, and changes nothing that is sent", async () => {
    const { url } = await hostileTarget((socket) => {
      const ahead = new Date(systemClock.now() + 90_000).toUTCString();
      socket.write(`HTTP/1.1 204 X\r\nDate: ${ahead}\r\n\r\n`);
    });
    const wire = wireTo(url);
    expect(wire.aheadSeconds()).toBeUndefined();
    await wire.send(post);
    // Whole seconds, and what the answer was on its way on a busy machine.
    expect(Math.abs((wire.aheadSeconds() ?? 0) - 90)).toBeLessThanOrEqual(5);
  });
});
