import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import tls from "node:tls";
import { certificates, key } from "./certificates.ts";
import { hostileEndpoints, hostileHandshakes } from "./hostile-endpoints.ts";

// Listens once for each kind and prints the URLs. Ends with whoever started it.

const urls: Record<string, string> = {};

async function listen(kind: string, server: net.Server, scheme: "http" | "https"): Promise<void> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  urls[kind] = `${scheme}://${scheme === "http" ? "127.0.0.1" : "localhost"}:${String(port)}/`;
}

for (const [kind, hostility] of Object.entries(hostileEndpoints)) {
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      if (data.toString("latin1", 0, 5) === "POST ") hostility(socket);
    });
  });
  await listen(kind, server, "http");
}
for (const [kind, hostility] of Object.entries(hostileHandshakes)) {
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => hostility(socket));
  });
  await listen(kind, server, "https");
}
for (const name of ["expired", "wrongHost", "selfSigned"] as const) {
  const server = tls.createServer({ cert: certificates[name], key });
  server.on("tlsClientError", () => {});
  await listen(`has a certificate that is ${name}`, server, "https");
}
console.log(JSON.stringify(urls));
process.stdin.on("end", () => process.exit()).resume();
