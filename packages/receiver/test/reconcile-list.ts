import { type EventListOptions, eventList } from "@countersign/receiver";
import type { ProviderDocument } from "@countersign/receiver/providers";
import type Stripe from "stripe";

/** A provider's answer to one request. */
export interface Page {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Asked {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A list whose answers are given, and what was asked and waited. */
export function listOf(
  provider: ProviderDocument,
  answer: (asked: Asked, number: number) => Page,
  options: Partial<EventListOptions> = {},
) {
  const asked: Asked[] = [];
  const waits: number[] = [];
  const list = eventList(provider, {
    token: "secret-token",
    fetch: async (url, { method, headers, body }) => {
      const request = { url: new URL(url), method, headers, body: jsonOf(body) };
      asked.push(request);
      const { status = 200, headers: own = {}, body: text } = answer(request, asked.length - 1);
      return new Response(typeof text === "string" ? text : JSON.stringify(text), {
        status,
        headers: own,
      });
    },
    wait: async (ms) => void waits.push(ms),
    ...options,
  });
  return { list, asked, waits };
}

const jsonOf = (text: string | undefined): unknown =>
  text === undefined ? undefined : JSON.parse(text);

/** Stripe's list of events, by the types of its SDK: the latest first, at most 100 after `starting_after`. */
export function stripePages(events: readonly ListedEvent[]) {
  const places = new Map(events.map(({ id }, place) => [id, place]));
  return ({ url }: Pick<Asked, "url">): Page => {
    const after = url.searchParams.get("starting_after");
    const first = after === null ? 0 : (places.get(after) ?? 0) + 1;
    const limit = Number(url.searchParams.get("limit"));
    const data = events.slice(first, first + limit);
    const has_more = first + limit < events.length;
    const body: Stripe.ApiList<ListedEvent> = { object: "list", data, has_more, url: "/v1/events" };
    return { body };
  };
}

/** An event as Stripe's SDK types it, with only the identity of its payment. */
type ListedEvent = Omit<Stripe.PaymentIntentSucceededEvent, "data"> & {
  readonly data: { readonly object: Pick<Stripe.PaymentIntent, "id" | "object"> };
};

/** An event as Stripe lists it. */
export const stripeEvent = (number: number, { at }: { readonly at: number }): ListedEvent => ({
  id: `evt_${String(number)}`,
  object: "event",
  api_version: "2026-10-01",
  created: Math.floor(at / 1000),
  data: { object: { id: `pi_${String(number)}`, object: "payment_intent" } },
  livemode: false,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  type: "payment_intent.succeeded",
});
