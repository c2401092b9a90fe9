import { createReceiver, type Receiver } from "@countersign/receiver";
import { receiverTarget, type ReceiverTarget } from "@countersign/contract-kit";
import type { Profile } from "@countersign/schemas";
import { profiles } from "@countersign/schemas/profiles";
import { mounts } from "../../../packages/receiver/test/adapters/mounts.ts";
import { functionUrl } from "./function-url.ts";
import { secrets } from "../receivers/conduct.ts";
import { makeEffects } from "../receivers/effects.ts";
import { listen, serveEffects } from "../receivers/listen.ts";
import type { Good } from "../good.ts";

type Mount = (typeof mounts)[number];

/** Our receiver, with the handlers of a merchant that tell what they have done. */
function ours(serve: Mount["serve"], profile: Profile): Good<ReceiverTarget>["open"] {
  return async () => {
    const effects = makeEffects({ handlerMs: 15 });
    const receiver = createReceiver({
      secrets: [...secrets],
      profile,
      fallback: (event) => effects.handle(event),
    });
    const attempts = await listen(
      // A mount hands attempts on; the types of handlers, which the profile decides, are nothing to it.
      await serve(receiver as unknown as Receiver),
    );
    const told = await serveEffects(effects);
    return {
      target: receiverTarget({
        url: `${attempts.origin}/webhooks`,
        effectsUrl: told.origin,
        secrets,
        profile,
      }),
      async close() {
        await Promise.all([attempts.close(), told.close()]);
      },
    };
  };
}

const adapters: Readonly<Record<string, Mount["serve"]>> = {
  "toNode on node:http": serverOf("toNode on node:http"),
  "toExpress on Express 5": serverOf("toExpress on Express 5"),
  "toFastify on Fastify 5": serverOf("toFastify on Fastify 5"),
  "toFetch on Hono": serverOf("toFetch on Hono"),
  "toLambda behind a function URL": functionUrl,
};

function serverOf(name: string): Mount["serve"] {
  const mount = mounts.find((one) => one.name === name);
  if (mount === undefined) throw new Error(`there is no mount ${name}`);
  return (receiver) => mount.serve(receiver);
}

export const ourReceivers: readonly Good<ReceiverTarget>[] = [
  ...Object.entries(adapters).map(([name, serve]) => ({
    name: `@countersign/receiver: ${name}`,
    open: ours(serve, profiles.standard),
  })),
  {
    name: "@countersign/receiver: toNode on node:http, profile x-signature",
    open: ours(serverOf("toNode on node:http"), profiles["x-signature"]),
  },
];
