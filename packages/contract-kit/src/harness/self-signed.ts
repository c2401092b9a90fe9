import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";

/** An https server that no client may trust. */
export interface UntrustedServer {
  readonly url: string;
  /** True once a client has connected; false if none did in time. */
  readonly connected: Promise<boolean>;
  /** Number of requests that clients have sent in spite of the certificate. */
  readonly requests: () => number;
  readonly close: () => void;
}

/**
 * Starts an https server with a new self-signed certificate of its host.
 *
 * @param waitMs Milliseconds to wait for a client.
 */
export async function untrustedServer(host: string, waitMs: number): Promise<UntrustedServer> {
  let requests = 0;
  const server = createServer(selfSigned(), (_request, response) => {
    requests += 1;
    response.writeHead(204).end();
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  // A client that refuses the certificate ends the handshake, as it should.
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  const first = once(server, "connection", { signal: AbortSignal.timeout(waitMs) }).then(
    () => true,
    () => false,
  );
  server.listen(0, host);
  await once(server, "listening");
  // A TCP server's address is not a path.
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://${host.includes(":") ? `[${host}]` : host}:${port}/untrusted`,
    connected: first,
    requests: () => requests,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** A new key and its certificate (RFC 5280), valid for a day around now: Node can read certificates, but not make one. */
function selfSigned(): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = der(0x30, Buffer.from("06082a8648ce3d040302", "hex"));
  const commonName = der(
    0x30,
    Buffer.from("0603550403", "hex"),
    der(0x0c, Buffer.from("localhost")),
  );
  const name = der(0x30, der(0x31, commonName));
  const day = 86_400_000;
  const times = [Date.now() - day, Date.now() + day].map((at) =>
    der(0x17, Buffer.from(`${new Date(at).toISOString().slice(2, 19).replaceAll(/[-:T]/g, "")}Z`)),
  );
  const body = der(
    0x30,
    der(0x02, Buffer.from([0x01]), randomBytes(8)),
    algorithm,
    name,
    der(0x30, ...times),
    name,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = sign("sha256", body, privateKey);
  const whole = der(0x30, body, algorithm, der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString("base64").replaceAll(/.{64}/g, "$&\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

/** A value in DER: its tag, its length and its parts. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const value = Buffer.concat(parts);
  const { length } = value;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
}
