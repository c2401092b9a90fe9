import {
  amountCents,
  createReceiver,
  eventOf,
  type EventTypeMap,
  memoryInbox,
  type Receiver,
} from "@countersign/receiver";
import { reference } from "@countersign/receiver/providers";
import { toExpress } from "@countersign/receiver/express";
import express, { type Express } from "express";

/** The runs of a handler for one event. */
interface Effect {
  readonly eventId: string;
  readonly type: string;
  readonly handler: string;
  count: number;
}

/**
 * A merchant's app: one webhook route, handlers by category and by type, and a page that shows what
 * they did. `log` gets one line of text for each step.
 */
export function merchantApp(options: {
  readonly secrets: readonly (string | undefined)[];
  readonly log: (line: string) => void;
}): { readonly app: Express; readonly receiver: Receiver<EventTypeMap> } {
  const { log } = options;
  const effects = new Map<string, Effect>();
  const record = (handler: string, event: { id: string; type: string }): void => {
    const effect = effects.get(event.id) ?? {
      eventId: event.id,
      type: event.type,
      handler,
      count: 0,
    };
    effect.count += 1;
    effects.set(event.id, effect);
    log(`handler ${handler}: ${event.type} ${event.id}`);
  };

  const receiver = createReceiver({
    provider: reference,
    secrets: options.secrets,
    // Forgets all events when the process ends: use a durable inbox in production.
    inbox: memoryInbox(),
    fallback: (event) => record("fallback", event),
    onOutcome: (outcome, { durationMs }) => {
      const event = eventOf(outcome);
      const what = event?.key.id ?? ("code" in outcome ? outcome.code : "");
      log(`outcome ${outcome.kind} ${what} after ${durationMs.toFixed(1)} ms`);
    },
  })
    .on("PAYMENT", (event) => record("PAYMENT", event))
    .on("payment.succeeded", (event) => {
      log(`paid: ${String(amountCents(event.data.amount))} cents`);
      record("payment.succeeded", event);
    })
    .on("refund.authorized", (event) => {
      log(`money is on its way back: refund ${event.data.paymentId}`);
      record("refund.authorized", event);
    });

  const app = express();
  app.disable("x-powered-by");
  // Before any parser: the receiver reads the raw bytes itself.
  app.post(
    "/webhooks",
    (request, _response, next) => {
      const header = (name: string): string => request.get(`webhook-${name}`) ?? "none";
      log(
        `attempt ${header("id")} timestamp ${header("timestamp")} signature ${header("signature")}`,
      );
      next();
    },
    toExpress(receiver),
  );
  app.use(express.json());
  app.get("/effects", (_request, response) => {
    response.json([...effects.values()]);
  });
  return { app, receiver };
}
