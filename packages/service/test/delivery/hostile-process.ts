import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { constants, setPriority } from "node:os";
import { hostileEndpoints } from "./hostile-endpoints.ts";

// Listens once for each kind and prints the ports. Ends with whoever started it. Floods cost a processor that is
// another machine's elsewhere: here the sender comes first.

setPriority(constants.priority.PRIORITY_LOW);

const ports: Record<string, number> = {};
for (const [kind, hostility] of Object.entries(hostileEndpoints)) {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => hostility(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A listening TCP server has an address with a port.
  ports[kind] = (server.address() as AddressInfo).port;
}
console.log(JSON.stringify(ports));
process.stdin.on("end", () => process.exit()).resume();
