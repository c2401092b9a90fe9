import type { AddressInfo } from "node:net";
import { stopServer } from "@countersign/receiver/node";
import { merchantApp, type ToldOutcome } from "./app.ts";

const { DIAGNOSTICS_URL, DIAGNOSTICS_TOKEN = "" } = process.env;

const options: Parameters<typeof merchantApp>[0] = {
  secrets: [process.env["WEBHOOK_SECRET"]],
  log: (line) => console.log(line),
  ...(DIAGNOSTICS_URL !== undefined && {
    tell: (told: ToldOutcome) => {
      const headers = {
        "content-type": "application/json",
        authorization: `Bearer ${DIAGNOSTICS_TOKEN}`,
      };
      const call = { method: "POST", headers, body: JSON.stringify(told) };
      // For people to look at: an event is handled anyway if nobody listens.
      fetch(DIAGNOSTICS_URL, call).catch(() => undefined);
    },
  }),
};
let merchant: ReturnType<typeof merchantApp>;
try {
  merchant = merchantApp(options);
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
