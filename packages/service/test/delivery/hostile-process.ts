import { spawn } from "node:child_process";
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import tls from "node:tls";
import { fileURLToPath } from "node:url";
import { certificates, key } from "./certificates.ts";
import { hostileEndpoints, hostileHandshakes } from "./hostile-endpoints.ts";

/** A server of each kind in a separate process, whose work does not slow the sender. */
export async function startHostileServers() {
  const script = fileURLToPath(import.meta.url);
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const [data] = (await once(child.stdout, "data")) as [Buffer];
  const urls = JSON.parse(String(data)) as Record<string, string>;
  return {
    kinds: Object.keys(urls),
    urlOf: (kind: string) => new URL(urls[kind] ?? ""),
    stop: () => void child.kill("SIGKILL"),
  };
}

/** Listens once for each kind and prints the URLs. Ends with whoever started it. */
async function main(): Promise<void> {
  const urls: Record<string, string> = {};
  const listen = async (kind: string, server: net.Server, origin: string): Promise<void> => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    // A listening TCP server has an address with a port.
    const { port } = server.address() as AddressInfo;
    urls[kind] = `${origin}:${String(port)}/`;
  };
  const quiet = (serve: (socket: net.Socket) => void): net.Server =>
    net.createServer((socket) => serve(socket.on("error", () => {})));
  for (const [kind, hostility] of Object.entries(hostileEndpoints)) {
    const server = quiet((socket) =>
      socket.on("data", (data) => {
        if (data.toString("latin1", 0, 5) === "POST ") hostility(socket);
      }),
    );
    await listen(kind, server, "http://127.0.0.1");
  }
  for (const [kind, hostility] of Object.entries(hostileHandshakes)) {
    const server = quiet((socket) => socket.once("data", () => hostility(socket)));
    await listen(kind, server, "https://localhost");
  }
  for (const name of ["expired", "wrongHost", "selfSigned"] as const) {
    const server = tls.createServer({ cert: certificates[name], key });
    server.on("tlsClientError", () => {});
    await listen(`has a certificate that is ${name}`, server, "https://localhost");
  }
  console.log(JSON.stringify(urls));
  process.stdin.on("end", () => process.exit()).resume();
}

if (import.meta.main) await main();
