// One process of the shop: prints its port, and ends with its input.
import type { AddressInfo } from "node:net";
import type { Express } from "express";
import { clients } from "../../../packages/receiver/test/inboxes/servers.ts";
import type { Secrets } from "./app.ts";

export type Kind = "countersign" | "by hand, id logged last" | "by hand, id logged first";

export interface ProcessOptions {
  readonly kind: Kind;
  readonly port: number;
  readonly database: string;
  readonly secrets: Secrets;
}

// The campaign writes it.
const { kind, port, database, secrets } = JSON.parse(process.argv[2] ?? "{}") as ProcessOptions;
const pool = await clients.postgres(port, database);

/** A module in plain JavaScript, since the types of its SDKs are not in the workspace. */
interface ByHand {
  readonly shopByHand: (
    shop: typeof pool,
    own: Secrets,
    options: { readonly logFirst: boolean },
  ) => Promise<Express>;
}

async function openShop(): Promise<Express> {
  if (kind === "countersign") return (await import("./app.ts")).shopApp(pool, secrets);
  const path = new URL("by-hand.mjs", import.meta.url).href;
  const { shopByHand } = (await import(path)) as ByHand;
  return shopByHand(pool, secrets, { logFirst: kind === "by hand, id logged first" });
}

const app = await openShop();
const server = app.listen(0, "127.0.0.1", () =>
  console.log(String((server.address() as AddressInfo).port)),
);
process.stdin.resume().on("end", () => process.exit());
