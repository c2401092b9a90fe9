import * as tls from "node:tls";
import { onTestFinished } from "vitest";
import { certificates, key } from "./certificates.ts";
import { listen } from "./listening.ts";

/** The fault of a TLS server. */
export const faults = {
  "an expired certificate": { cert: certificates.expired },
  "the certificate of another host": { cert: certificates.wrongHost },
  "a self-signed certificate": { cert: certificates.selfSigned },
  "no version of TLS that is still safe": {
    cert: certificates.genuine,
    minVersion: "TLSv1",
    maxVersion: "TLSv1.1",
    // Without it OpenSSL would not offer them even to itself.
    ciphers: "DEFAULT@SECLEVEL=0",
  },
} as const satisfies Readonly<Record<string, tls.TlsOptions>>;

export const genuine: tls.TlsOptions = { cert: certificates.genuine };

/** A server over TLS that answers 204, for as long as the test. */
export async function listenTls(options: tls.TlsOptions): Promise<URL> {
  const server = tls.createServer({ ...options, key }, (socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end("HTTP/1.1 204 No Content\r\n\r\n"));
  });
  return new URL(`https://localhost:${(await listen(server)).port}/`);
}

/** The authority is one of those that this process trusts, for as long as the test. */
export function trustAuthority(): void {
  const before = tls.getCACertificates("default");
  tls.setDefaultCACertificates([...before, certificates.authority]);
  onTestFinished(() => tls.setDefaultCACertificates(before));
}
