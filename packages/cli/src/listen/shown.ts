import { diagnose } from "@countersign/service/sandbox";
import type { DeliveryRow, LoggedAttempt } from "./attempt-log.ts";
import { findingsOf } from "./findings.ts";
import { masked } from "./personal-members.ts";
import type { ProviderAttempts } from "./provider-attempts.ts";

const time = (at: number): string => new Date(at).toISOString();

/** A row of the page's list. */
export function rowShown({ firstAt, lastAt, ...row }: DeliveryRow): object {
  return {
    ...row,
    id: String(row.id),
    deliveryId: String(row.deliveryId),
    subject: row.eventId,
    timestamp: time(firstAt),
    lastStartedAt: time(lastAt),
  };
}

/** The event of the page's detail. @param options `isOpen`: with personal members. */
export function eventShown(
  row: DeliveryRow,
  last: LoggedAttempt | undefined,
  { attempts, isOpen }: { readonly attempts: ProviderAttempts; readonly isOpen: boolean },
): object {
  const { provider, document } = attempts;
  const { type } = row;
  const body = last?.request.body ?? Buffer.alloc(0);
  const isOwn = row.provider === provider.name;
  return {
    ...rowShown(row),
    payload: isOpen ? Buffer.from(body).toString() : masked(body),
    isMasked: !isOpen,
    findings: isOwn ? findingsOf(provider, document, { type, body }) : null,
  };
}

/** A delivery with its attempts. */
export function deliveryShown(
  row: DeliveryRow,
  attempts: readonly LoggedAttempt[],
  { deadlineSeconds, isOpen }: { readonly deadlineSeconds: number; readonly isOpen: boolean },
): object {
  return {
    ...rowShown(row),
    attempts: attempts.map(({ request, at, answerHeaders, ...attempt }) => ({
      ...attempt,
      startedAt: time(at),
      headers: Object.fromEntries(request.headers),
      payload: isOpen ? Buffer.from(request.body).toString() : masked(request.body),
      responseHeaders: Object.fromEntries(answerHeaders),
      diagnosis: diagnose(attempt, deadlineSeconds),
    })),
  };
}
