import { createServer } from "node:http";
import { createReceiver, memoryInbox } from "@countersign/receiver";
import { receiverTarget, type ReceiverTarget } from "@countersign/contract-kit";
import type { Profile } from "@countersign/schemas";
import { profiles } from "@countersign/schemas/profiles";
import { providerOf } from "@countersign/schemas/provider-of";
import { listen } from "../../packages/contract-kit/test/listen.ts";
import { makeEffects } from "../../packages/contract-kit/test/receiver/make-effects.ts";
import { secrets as known } from "../../packages/contract-kit/test/receiver/open-receiver.ts";
import { mounts } from "../../packages/receiver/test/adapters/mounts.ts";
import { openStrictReceiver } from "../faults/faults.ts";
import { stockReceivers } from "./stock.ts";

/** A receiver without intended faults. */
export interface Good {
  readonly name: string;
  /** Returns the reason why this machine cannot run it, or `undefined`. */
  readonly missing?: () => string | undefined;
  /** True for a typical merchant's receiver: only failures that fail a run by default are alarms. */
  readonly isStock?: boolean;
  /** Requirements that it breaks by its library's fault, which a run must find. */
  readonly findings?: readonly string[];
  readonly open: () => Promise<{
    readonly target: ReceiverTarget;
    readonly close: () => Promise<void>;
  }>;
}

/** Milliseconds after which a gateway gives up on a body. */
const GATEWAY_BODY_MS = 10_000;

/** Our receiver behind one of its adapters, with a merchant's handlers that report what they have done. */
const ours = (
  name: string,
  profile: Profile = profiles.standard,
  findings: readonly string[] = [],
): Good => ({
  findings,
  name: `@countersign/receiver: ${name}, profile ${profile.name}`,
  open: async () => {
    const mount = mounts.find((one) => one.name === name);
    if (mount === undefined) throw new Error(`unknown mount ${name}`);
    const secrets = known["standard"] ?? [];
    const effects = makeEffects({ handlerMs: 15 });
    const receiver = createReceiver({
      secrets: [...secrets],
      provider: providerOf(profile),
      fallback: (event) => effects.handle(event),
      inbox: memoryInbox(),
      log: false,
    });

    const server = await mount.serve(receiver);
    server.prependListener("request", (request, response) => {
      const deadline = setTimeout(() => {
        if (!request.complete && !mount.streams)
          response.writeHead(408, { connection: "close" }).end();
      }, GATEWAY_BODY_MS);
      response.once("close", () => clearTimeout(deadline));
    });
    const attempts = await listen(server);
    // At their own address, since not every adapter has room for them.
    const told = await listen(
      createServer((request, response) => void effects.answer(request, response)),
    );
    const url = `${attempts.origin}/webhooks`;
    const target = receiverTarget({
      url,
      effects: told.origin,
      secrets,
      provider: providerOf(profile),
    });
    const close = async (): Promise<void> => {
      await Promise.all([attempts.close(), told.close()]);
    };
    return { target, close };
  },
});

export const goodReceivers: readonly Good[] = [
  ours("toNode on node:http"),
  ours("toExpress on Express 5"),
  ours("toFastify on Fastify 5"),
  ours("toFetch on Hono"),
  // The platform reads a body to its limit before the function runs.
  ours("toLambda behind a function URL", profiles.standard, ["R-BODY-SIZE"]),
  ours("toNode on node:http", profiles["x-signature"]),
  { name: "node:http by hand", open: () => openStrictReceiver() },
  ...stockReceivers,
];
