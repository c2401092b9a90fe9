import type { ReceiverTarget } from "@countersign/contract-kit";
import { profiles } from "@countersign/schemas/profiles";
import { mounts } from "../../../packages/receiver/test/adapters/mounts.ts";
import type { Good } from "../good.ts";
import { functionUrl } from "./function-url.ts";
import { openOurs, type Serve } from "./open-ours.ts";

const adapters: Readonly<Record<string, Serve>> = {
  "toNode on node:http": serverOf("toNode on node:http"),
  "toExpress on Express 5": serverOf("toExpress on Express 5"),
  "toFastify on Fastify 5": serverOf("toFastify on Fastify 5"),
  "toFetch on Hono": serverOf("toFetch on Hono"),
  "toLambda behind a function URL": functionUrl,
};

function serverOf(name: string): Serve {
  const mount = mounts.find((one) => one.name === name);
  if (mount === undefined) throw new Error(`there is no mount ${name}`);
  return (receiver) => mount.serve(receiver);
}

export const ourReceivers: readonly Good<ReceiverTarget>[] = [
  ...Object.entries(adapters).map(([name, serve]) => ({
    name: `@countersign/receiver: ${name}`,
    open: openOurs(serve, profiles.standard),
  })),
  {
    name: "@countersign/receiver: toNode on node:http, profile x-signature",
    open: openOurs(serverOf("toNode on node:http"), profiles["x-signature"]),
  },
];
