import type { AddressInfo } from "node:net";
import { merchantApp } from "./app.ts";

const app = merchantApp({
  secrets: [process.env["WEBHOOK_SECRET"]],
  log: (line) => console.log(line),
});
const server = app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", (error?: Error) => {
  if (error !== undefined) throw error;
  console.log(`ready http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
});
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    server.close();
    server.closeIdleConnections();
  });
