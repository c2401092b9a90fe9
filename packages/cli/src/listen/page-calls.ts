import { diagnose, Refused } from "@countersign/service/sandbox";
import type { AttemptLog, DeliveryRow, LoggedAttempt } from "./attempt-log.ts";
import { masked } from "./personal-members.ts";
import { findingsOf, type ProviderAttempts } from "./provider-attempts.ts";
import type { Relay } from "./relay.ts";

export interface CallOptions {
  readonly log: AttemptLog;
  readonly attempts: ProviderAttempts;
  readonly apps: readonly URL[];
  readonly relay: Relay;
  /** True if the document is one of the book. */
  readonly isBuiltIn: boolean;
  /** The address that the provider's requests arrive at. */
  readonly address: () => string;
  readonly deadlineMs: number;
  readonly now: () => number;
}

/** Answers a call of the page with JSON. */
export type Call = (call: {
  readonly query: URLSearchParams;
  /** The number in the path. */
  readonly id: number;
  readonly body: Readonly<Record<string, unknown>>;
}) => unknown;

/** Refuses a call, with a sentence for the page. */
export const refusal = (status: number, message: string): Refused =>
  new Refused({ status, code: "", message });

/** Largest number of deliveries that one call resends. */
const MAX_RESENT = 1000;

/** The calls of the inspector's page, by method and path. */
export function pageCalls(options: CallOptions): Readonly<Record<string, Call>> {
  const { log, attempts, apps, relay, deadlineMs, now } = options;
  const { provider, maker } = attempts;
  const attemptsOf = ({ deliveryId }: DeliveryRow): readonly LoggedAttempt[] =>
    log.attemptsOf(Number(deliveryId));
  const lastOf = (deliveryId: unknown): { url: string; last: LoggedAttempt } => {
    const delivery = log.delivery(Number(deliveryId));
    const last = delivery && attemptsOf(delivery).at(-1);
    if (delivery === undefined || last === undefined)
      throw refusal(404, "The log has no such delivery.");
    if (delivery.provider !== provider.name)
      throw refusal(
        409,
        `Run countersign listen --provider ${delivery.provider} to send it: this one has the secret of ${provider.title} only.`,
      );
    return { url: delivery.url, last };
  };
  const resend = async (deliveryId: unknown): Promise<void> => {
    const { url, last } = lastOf(deliveryId);
    await relay.send(attempts.signedAgain(last.request, now()), { isOwn: true, only: url });
  };
  return {
    "GET /sandbox/inspect": () => ({
      mode: "listen",
      provider: { ...provider, catalogue: undefined },
      address: options.address(),
      providers: log.values("provider"),
      causes: log.values("cause"),
      types: log.values("type"),
      events: (provider.catalogue ?? []).map(({ type, category = "" }) => ({
        type,
        category,
      })),
      endpoints: apps.map(({ href }) => href),
      fingerprint: attempts.fingerprint ?? null,
      canSign: maker !== undefined,
      isBuiltIn: options.isBuiltIn,
      scheduleSeconds: [],
      target: null,
      envelope: { data: "" },
      businessDays: 0,
      faultRoutes: [],
      hasPayments: false,
    }),
    "GET /sandbox/inspect/events": ({ query }) => {
      const limit = Math.min(Number(query.get("limit") ?? 50) || 50, 200);
      const before = Number(query.get("before")) || undefined;
      const rows = log.list(query, { limit, before });
      const last = rows.length === limit ? (rows.at(-1)?.deliveryId ?? "") : null;
      return { rows, counts: log.counts(query), total: log.total(), before: last };
    },
    "GET /sandbox/inspect/events/:id": ({ id, query }) => {
      const [first, ...more] = log.deliveriesOf(id);
      if (first === undefined)
        throw refusal(404, "The log has no such event; it keeps the latest ones.");
      const isOpen = query.get("reveal") === "true";
      const deliveries = [first, ...more].map((row) => ({
        ...row,
        attempts: attemptsOf(row).map(({ request, at, answerHeaders, ...attempt }) => ({
          ...attempt,
          startedAt: new Date(at).toISOString(),
          headers: Object.fromEntries(request.headers),
          payload: textIn(request.body, isOpen),
          responseHeaders: Object.fromEntries(answerHeaders),
          diagnosis: diagnose(attempt, deadlineMs / 1000),
        })),
      }));
      const body = attemptsOf(first).at(-1)?.request.body ?? Buffer.alloc(0);
      const isOwn = first.provider === provider.name;
      const { type } = first;
      const findings = isOwn ? findingsOf(provider, attempts.document, { type, body }) : null;
      const event = { ...first, payload: textIn(body, isOpen), isMasked: !isOpen, findings };
      return { event, deliveries };
    },
    "POST /sandbox/deliveries/:id/replay": ({ id }) => resend(id),
    "POST /sandbox/inspect/resend": async ({ body: { query } }) => {
      const chosen = log.list(new URLSearchParams(String(query)), { limit: MAX_RESENT });
      // oxlint-disable-next-line no-await-in-loop -- in the order of the list
      for (const { deliveryId } of chosen) await resend(deliveryId);
      return { count: chosen.length };
    },
    "POST /sandbox/events": async ({ body: { type, deliveryId, text } }) => {
      const base =
        deliveryId === undefined ? attempts.made(String(type)) : lastOf(deliveryId).last.request;
      const request =
        typeof text === "string" && base !== undefined
          ? attempts.signedCopy(base, text, now())
          : base;
      if (request === undefined)
        throw refusal(
          409,
          "This secret cannot sign: start countersign listen with the secret that the provider signs with.",
        );
      const [sent] = await relay.send(request, { isOwn: true });
      return { id: String(sent?.id ?? "") };
    },
    "GET /sandbox/inspect/bodies/:id": ({ id }) => ({
      text: Buffer.from(lastOf(id).last.request.body).toString(),
    }),
    "POST /sandbox/inspect/samples": ({ body: { type } }) => ({
      body: Buffer.from(attempts.made(String(type))?.body ?? "").toString(),
    }),
    "POST /sandbox/inspect/signatures": ({ body: { deliveryId, attempt, reveal } }) => {
      const made = log.attemptsOf(Number(deliveryId)).find(({ number }) => number === attempt);
      if (made === undefined) throw refusal(404, "The log has no such attempt.");
      return attempts.steps(made.request, { at: made.at, isOpen: reveal === true });
    },
    "POST /sandbox/inspect/signatures/now": ({ body: { deliveryId } }) => {
      const { url, last } = lastOf(deliveryId);
      const { headers, body } = attempts.signedAgain(last.request, now());
      return { url, headers: Object.fromEntries(headers), body: Buffer.from(body).toString() };
    },
    "GET /sandbox/inspect/search": ({ query }) => ({
      hits: log
        .list(new URLSearchParams({ q: query.get("q") ?? "" }), { limit: 5 })
        .map(({ id, type, eventId }) => ({
          kind: "event",
          id,
          title: `${type} ${eventId}`,
        })),
    }),
  };
}

const textIn = (body: Uint8Array, isOpen: boolean): string =>
  isOpen ? Buffer.from(body).toString() : masked(body);
