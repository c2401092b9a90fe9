import type { Server } from "node:http";
import { createReceiver, type Receiver } from "@countersign/receiver";
import { receiverTarget, type ReceiverTarget } from "@countersign/contract-kit";
import type { Profile } from "@countersign/schemas";
import type { Good } from "../good.ts";
import { secrets } from "../receivers/conduct.ts";
import { makeEffects } from "../receivers/effects.ts";
import { listen, serveEffects } from "../receivers/listen.ts";

/** Puts a receiver behind a server that does not listen yet. */
export type Serve = (receiver: Receiver) => Promise<Server> | Server;

/** Our receiver, with the handlers of a merchant that tell what they have done. */
export function openOurs(serve: Serve, profile: Profile): Good<ReceiverTarget>["open"] {
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
    const target = receiverTarget({
      url: `${attempts.origin}/webhooks`,
      effectsUrl: told.origin,
      secrets,
      profile,
    });
    return {
      target,
      async close() {
        await Promise.all([attempts.close(), told.close()]);
      },
    };
  };
}
