import { createServer, type Server } from "node:http";
import net, { type AddressInfo } from "node:net";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { undiciTransport } from "../../src/delivery/undici-transport.ts";
import { listenRaw } from "./listening.ts";

/** A proxy that opens tunnels to `to` whatever is asked for, and keeps what was asked. */
async function proxy(to: number) {
  const asked: string[] = [];
  const server: Server = createServer();
  server.on("connect", (request, socket) => {
    asked.push(request.url ?? "");
    const upstream = net.connect(to, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  // A listening TCP server has an address with a port.
  return { asked, url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}` };
}

describe("B8: the egress proxy that the operator names", () => {
  const post = async (egressProxy: string, href: string) => {
    const one = undiciTransport({ deadlineMs: 10_000, egressProxy });
    onTestFinished(() => one.close());
    return one.post({ url: new URL(href), headers: {}, body: Buffer.from("{}") });
  };

  it("is told the name, which it resolves by itself, and sees no more than a tunnel", async () => {
    let first = Buffer.alloc(0);
    const merchant = await listenRaw((socket) => socket.destroy());
    onTestFinished(() => merchant.close());
    const tunnel = net.createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", (data) => {
        first = data;
        socket.destroy();
      });
    });
    tunnel.listen(0, "127.0.0.1");
    await once(tunnel, "listening");
    onTestFinished(() => void tunnel.close());
    const { asked, url } = await proxy((tunnel.address() as AddressInfo).port);
    const answer = await post(url, "https://merchant.example/hooks");
    expect(answer).toMatchObject({ kind: "unanswered" });
    expect(asked).toEqual(["merchant.example:443"]);
    // A TLS handshake: the proxy reads neither the body nor its signature.
    expect(first[0]).toBe(0x16);
  });

  it("is never asked for a literal address that is not public", async () => {
    const { asked, url } = await proxy(1);
    for (const href of ["https://127.0.0.1/", "https://[::1]/", "https://169.254.169.254/"]) {
      expect(await post(url, href)).toEqual({
        kind: "unanswered",
        code: "CS_ATTEMPT_ADDRESS_REFUSED",
      });
    }
    expect(asked).toEqual([]);
  });
});
