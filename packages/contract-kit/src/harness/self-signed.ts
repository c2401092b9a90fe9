import { createPrivateKey } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { bareHost } from "./owned-host.ts";

/** An https server that no client may trust. */
export interface UntrustedServer {
  readonly url: string;
  /** Resolves to true once a client has connected, to false if none does within three seconds. */
  readonly isReached: () => Promise<boolean>;
  /** Number of requests that clients have sent in spite of the certificate. */
  readonly requests: () => number;
  readonly close: () => void;
}

/** Milliseconds after its trigger in which a sender connects to a new address. */
const CONNECTING_MS = 3000;

/** Starts an https server with a self-signed certificate on the host of a URL. */
export async function untrustedServer(of: string): Promise<UntrustedServer> {
  let requests = 0;
  const key = createPrivateKey({ key: KEY, format: "jwk" }).export({
    type: "pkcs8",
    format: "pem",
  });
  const server = createServer({ key, cert: CERTIFICATE }, (_request, response) => {
    requests += 1;
    response.writeHead(204).end();
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  // A client that refuses the certificate ends the handshake, as it should.
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  const reached = once(server, "connection").then(
    () => true,
    () => false,
  );
  const { hostname } = new URL(of);
  server.listen(0, bareHost(hostname));
  await once(server, "listening");
  // A TCP server's address is not a path.
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://${hostname}:${port}/untrusted`,
    isReached: () => Promise.race([reached, setTimeout(CONNECTING_MS, false, { ref: false })]),
    requests: () => requests,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** A key that everybody may know, and its certificate of `localhost` until 2049: Node cannot make one. */
const KEY = {
  kty: "EC",
  crv: "P-256",
  x: "ncmjHW761btQTd1i1OfgBJsKLxr2C8542g2c6qp1qgM",
  y: "-IXUctTlUi6JxkR6f3cSP1vYkO8YCThMCBWv3OqmZ7k",
  d: "ck1zS3VhmUzGvvAi5uOG2TgDlbqQ8yjCo4zDGTzk2Gs",
};
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBGDCBvgIJAWWZCZNYuqXMMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2Fs
aG9zdDAeFw0yMDAxMDEwMDAwMDBaFw00OTEyMzEwMDAwMDBaMBQxEjAQBgNVBAMM
CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJ3Jox1u+tW7UE3d
YtTn4ASbCi8a9gvOeNoNnOqqdaoD+IXUctTlUi6JxkR6f3cSP1vYkO8YCThMCBWv
3OqmZ7kwCgYIKoZIzj0EAwIDSQAwRgIhAN9Xvj92Ucrgzi9FLz+UjdRz7w6mwpD7
fi9O6N+LUcGMAiEAnhfS3/sAK2kuD/uEguTk6lEZj3CxrXX7b21CYQvTpNs=
-----END CERTIFICATE-----
`;
