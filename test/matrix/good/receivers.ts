import { createReceiver, memoryInbox, type Receiver } from "@countersign/receiver";
import { receiverTarget, type ReceiverTarget } from "@countersign/contract-kit";
import type { Profile } from "@countersign/schemas";
import { profiles } from "@countersign/schemas/profiles";
import { mounts } from "../../../packages/receiver/test/adapters/mounts.ts";
import type { Good } from "../matrix.ts";
import { type Conduct, secrets } from "../receivers/conduct.ts";
import { listen } from "../../../packages/contract-kit/test/listen.ts";
import { makeEffects } from "../../../packages/contract-kit/test/receiver/make-effects.ts";
import { serveEffects } from "../receivers/http.ts";
import { serve } from "../receivers/serve.ts";
import { stockReceivers } from "./stock.ts";

/** Milliseconds after which a gateway gives up on a body. */
const GATEWAY_BODY_MS = 10_000;

/** Our receiver behind one of its adapters, with a merchant's handlers that report what they have done. */
const ours = (name: string, profile: Profile = profiles.standard): Good<ReceiverTarget> => ({
  name: `@countersign/receiver: ${name}${profile === profiles.standard ? "" : `, profile ${profile.name}`}`,
  open: async () => {
    const mount = mounts.find((one) => one.name === name);
    if (mount === undefined) throw new Error(`unknown mount ${name}`);
    const effects = makeEffects({ handlerMs: 15 });
    const receiver = createReceiver({
      secrets: [...secrets],
      profile,
      fallback: (event) => effects.handle(event),
      inbox: memoryInbox(),
      log: false,
    });
    // An adapter does not use the types of handlers, which the profile decides.
    const server = await mount.serve(receiver as unknown as Receiver);
    server.prependListener("request", (request, response) => {
      const deadline = setTimeout(() => {
        if (!request.complete && !mount.streams)
          response.writeHead(408, { connection: "close" }).end();
      }, GATEWAY_BODY_MS);
      response.once("close", () => clearTimeout(deadline));
    });
    const attempts = await listen(server);
    const told = await serveEffects(effects);
    const url = `${attempts.origin}/webhooks`;
    const target = receiverTarget({ url, effectsUrl: told.origin, secrets, profile });
    return {
      target,
      async close() {
        await Promise.all([attempts.close(), told.close()]);
      },
    };
  },
});

/** The receiver that the broken ones are made of, without their faults. */
export const byHand =
  (change: Partial<Conduct> = {}): Good<ReceiverTarget>["open"] =>
  async () => {
    const { url, effectsUrl, close } = await serve(change);
    return {
      target: receiverTarget({ url, effectsUrl, secrets, profile: profiles.standard }),
      close,
    };
  };

export const goodReceivers: readonly Good<ReceiverTarget>[] = [
  ours("toNode on node:http"),
  ours("toExpress on Express 5"),
  ours("toFastify on Fastify 5"),
  ours("toFetch on Hono"),
  ours("toLambda behind a function URL"),
  ours("toNode on node:http", profiles["x-signature"]),
  { name: "node:http by hand", open: byHand() },
  ...stockReceivers,
];
