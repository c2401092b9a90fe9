import type { AddressInfo } from "node:net";
import { stopServer } from "@countersign/receiver/node";
import { merchantApp } from "./app.ts";

let merchant: ReturnType<typeof merchantApp>;
try {
  merchant = merchantApp({
    secrets: [process.env["WEBHOOK_SECRET"]],
    log: (line) => console.log(line),
  });
} catch (error) {
  // One line instead of a stack: most likely WEBHOOK_SECRET is missing.
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
const { app, receiver } = merchant;
const server = app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", (error?: Error) => {
  if (error !== undefined) throw error;
  console.log(`ready http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
});
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void stopServer(server, receiver, { graceMs: 10_000 }));
