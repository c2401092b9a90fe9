import type { AddressInfo } from "node:net";
import { merchantApp, type ToldOutcome } from "./app.ts";

const { DIAGNOSTICS_URL, DIAGNOSTICS_TOKEN = "" } = process.env;

const app = merchantApp({
  secrets: [process.env["WEBHOOK_SECRET"]],
  log: (line) => console.log(line),
  ...(DIAGNOSTICS_URL !== undefined && {
    tell: (told: ToldOutcome) => {
      const headers = {
        "content-type": "application/json",
        authorization: `Bearer ${DIAGNOSTICS_TOKEN}`,
      };
      const call = { method: "POST", headers, body: JSON.stringify(told) };
      // For people to look at: an event is handled all the same where nobody listens.
      fetch(DIAGNOSTICS_URL, call).catch(() => undefined);
    },
  }),
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
