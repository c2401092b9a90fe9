import {
  amountCents,
  createReceiver,
  type EventsOf,
  type HandlerContext,
  memoryInbox,
  type UnknownEvent,
} from "@countersign/receiver";
import { toFetch } from "@countersign/receiver/fetch";
import { type LambdaEvent, toLambda } from "@countersign/receiver/lambda";
import {
  type PostgresClient,
  postgresInbox,
  type PostgresTransaction,
} from "@countersign/receiver/postgres";
import { github, reference, stripe } from "@countersign/receiver/providers";
import { sqliteInbox, type SqliteTransaction } from "@countersign/receiver/sqlite";
import type { EventCategoryMap, EventTypeMap, Payment, Refund } from "@countersign/schemas";
import { Pool } from "pg";
import { describe, expectTypeOf, it } from "vitest";

const options = { provider: reference, secrets: ["whsec_"], fallback: (): void => undefined };
const receiver = createReceiver(options);

describe("createReceiver", () => {
  it("narrows a handler's event by its type, or to the union of its category", () => {
    createReceiver(options)
      .on("refund.authorized", (event) => {
        expectTypeOf(event).toEqualTypeOf<EventTypeMap["refund.authorized"]>();
        expectTypeOf(event.data).toExtend<Refund>();
        expectTypeOf(event.data.paymentStatus).toEqualTypeOf<"AUTHORIZED">();
      })
      .on("payment.succeeded", (event, { signal, idempotencyKey }) => {
        expectTypeOf(event.data).toExtend<Payment>();
        expectTypeOf(amountCents(event.data.amount)).toBeBigInt();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        expectTypeOf(idempotencyKey).toBeString();
      })
      .on("CUSTOMER", async (event) => {
        expectTypeOf(event).toEqualTypeOf<EventCategoryMap["CUSTOMER"]>();
        await Promise.resolve();
      });
  });

  it("compiles only with names of the catalogue, secrets and a fallback for any event", () => {
    // @ts-expect-error no such type
    receiver.on("refund.autorized", () => undefined);
    // @ts-expect-error no such category
    receiver.on("REFUND", () => undefined);
    // @ts-expect-error no fallback
    createReceiver({ provider: reference, secrets: ["whsec_"] });
    createReceiver({
      provider: reference,
      secrets: [process.env["WEBHOOK_SECRET"]],
      fallback: (event) => {
        expectTypeOf(event).toEqualTypeOf<UnknownEvent>();
        expectTypeOf(event.data).toBeUnknown();
      },
    });
  });

  it("takes any name of a provider without types, for bodies of unknown JSON", () => {
    createReceiver({ ...options, provider: stripe }).on("anything", (body) => {
      expectTypeOf(body["metadata"]).toBeUnknown();
    });
  });

  it("takes the union of an SDK's events with a type, and its categories", () => {
    // As stripe-node writes it.
    interface Succeeded {
      readonly id: string;
      readonly type: "invoice.paid";
      readonly data: { readonly object: { readonly total: number } };
    }
    interface Completed {
      readonly id: string;
      readonly type: "checkout.session.completed";
      readonly data: { readonly object: { readonly url: string } };
    }
    type StripeEvent = Succeeded | Completed;
    const typed = createReceiver<EventsOf<StripeEvent>>({ ...options, provider: stripe })
      .on("invoice.paid", (event) => expectTypeOf(event).toEqualTypeOf<Succeeded>())
      .on("checkout", (event) => expectTypeOf(event).toEqualTypeOf<Completed>());
    // @ts-expect-error no such type
    typed.on("invoice.payed", () => undefined);
  });

  it("takes the union of an SDK's events with a name and a payload, by their names and actions", () => {
    interface Opened {
      readonly action: "opened";
      readonly number: number;
    }
    interface Closed {
      readonly action: "closed";
      readonly merged: boolean;
    }
    // As octokit writes it.
    type EmitterWebhookEvent =
      | { readonly id: string; readonly name: "pull_request"; readonly payload: Opened | Closed }
      | { readonly id: string; readonly name: "push"; readonly payload: { readonly ref: string } };
    createReceiver<EventsOf<EmitterWebhookEvent>>({ ...options, provider: github })
      .on("pull_request.opened", (event) => expectTypeOf(event).toEqualTypeOf<Opened>())
      .on("pull_request", (event) => expectTypeOf(event).toEqualTypeOf<Opened | Closed>())
      .on("push", (event) => expectTypeOf(event.ref).toBeString());
  });

  it("gives a handler's context the transaction of its inbox, or none", () => {
    createReceiver({
      ...options,
      inbox: sqliteInbox("inbox.db"),
      fallback: (_event, context) => {
        expectTypeOf(context.transaction).toEqualTypeOf<SqliteTransaction>();
      },
    });
    createReceiver({ ...options, inbox: postgresInbox(new Pool(), { schema: "shop" }) }).on(
      "PAYMENT",
      async (event, { transaction }) => {
        expectTypeOf(transaction).toEqualTypeOf<PostgresTransaction<PostgresClient>>();
        const { rows } = await transaction.query<{ n: number }>("SELECT $1 AS n", [event.id]);
        expectTypeOf(rows).toEqualTypeOf<{ n: number }[]>();
      },
    );
    for (const without of [{}, { inbox: memoryInbox() }])
      createReceiver({ ...options, ...without }).on("PAYMENT", (_event, context) => {
        expectTypeOf(context).toEqualTypeOf<HandlerContext>();
        // @ts-expect-error no transaction in memory
        expectTypeOf(context.transaction).toBeUnknown();
      });
  });
});

it("the adapters fit Next.js and Lambda, whose types they do not import", () => {
  type Route = (request: Request, context: { params: Promise<object> }) => Promise<Response>;
  expectTypeOf(toFetch(receiver)).toExtend<Route>();
  // As `@types/aws-lambda` writes it down.
  type Headers = Record<string, boolean | number | string>;
  type Result = { statusCode: number; headers?: Headers; body: string; isBase64Encoded?: boolean };
  expectTypeOf(toLambda(receiver)).toExtend<(event: LambdaEvent) => Promise<Result>>();
});
