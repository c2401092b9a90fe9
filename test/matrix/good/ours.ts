import { createReceiver, type Receiver } from "@countersign/receiver";
import { receiverTarget, type ReceiverTarget } from "@countersign/contract-kit";
import type { Profile } from "@countersign/schemas";
import { profiles } from "@countersign/schemas/profiles";
import { mounts } from "../../../packages/receiver/test/adapters/mounts.ts";
import { secrets } from "../receivers/conduct.ts";
import { makeEffects } from "../receivers/effects.ts";
import { listen, serveEffects } from "../receivers/listen.ts";
import type { Good } from "../good.ts";

type Mount = (typeof mounts)[number];

/** Our receiver, with the handlers of a merchant that tell what they have done. */
function ours(mount: Mount, profile: Profile): Good<ReceiverTarget>["open"] {
  return async () => {
    const effects = makeEffects({ handlerMs: 15 });
    const receiver = createReceiver({
      secrets: [...secrets],
      profile,
      fallback: (event) => effects.handle(event),
    });
    const attempts = await listen(
      // A mount hands attempts on; the types of handlers, which the profile decides, are nothing to it.
      await mount.serve(receiver as unknown as Receiver),
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

const adapters: readonly (readonly [string, string])[] = [
  ["toNode on node:http", "toNode on node:http"],
  ["toExpress on Express 5", "toExpress on Express 5"],
  ["toFastify on Fastify 5", "toFastify on Fastify 5"],
  ["toFetch on Hono", "toFetch on Hono"],
  ["toLambda behind a function URL", "toLambda behind a function URL"],
];

function mountOf(name: string): Mount {
  const mount = mounts.find((one) => one.name === name);
  if (mount === undefined) throw new Error(`there is no mount ${name}`);
  return mount;
}

export const ourReceivers: readonly Good<ReceiverTarget>[] = [
  ...adapters.map(([name, mount]) => ({
    name: `@countersign/receiver: ${name}`,
    open: ours(mountOf(mount), profiles.standard),
  })),
  {
    name: "@countersign/receiver: toNode, profile x-signature",
    open: ours(mountOf("toNode on node:http"), profiles["x-signature"]),
  },
];
