export interface Details {
  readonly type: "ALL" | "CATEGORY" | "EVENT";
  readonly details?: readonly string[];
}

interface Subscriber {
  readonly key: string;
  readonly included: Set<string>;
  readonly excluded: Set<string>;
  closed: boolean;
  /** Places of the events that are bound for it, in the ledger. */
  readonly events: Set<number>;
}

export const CATEGORIES: readonly string[] = ["ACCOUNT", "CUSTOMER", "PAYMENT"];

/** Of what happens to payments. */
export const TYPES = [
  "payment.created",
  "payment.authorized",
  "payment.succeeded",
  "payment.failed",
  "payment.canceled",
  "refund.pending",
  "refund.authorized",
  "refund.failed",
] as const;

/** A merchant's subscriptions: sets of names and categories, one subtracted from the other (S 4.4). */
export class Subscribers {
  readonly all: Subscriber[] = [];

  get open(): number {
    return this.all.filter(({ closed }) => !closed).length;
  }

  add(key: string, details: Details): void {
    const included = new Set(namesOf(details));
    this.all.push({ key, included, excluded: new Set(), closed: false, events: new Set() });
  }

  subtract(subscriber: Subscriber, details: Details): void {
    // A closed one stays as it is.
    if (subscriber.closed) return;
    for (const name of namesOf(details)) subscriber.excluded.add(name);
    subscriber.closed = [...subscriber.included].every((name) => isExcluded(subscriber, name));
  }

  tell(type: string, event: number): void {
    for (const one of this.all) if (this.wants(one, type)) one.events.add(event);
  }

  /** Every event of a payment or its refund is of the category PAYMENT. */
  wants(subscriber: Subscriber, type: string): boolean {
    const { included, closed } = subscriber;
    const isIncluded = included.has(type) || included.has("PAYMENT");
    return !closed && isIncluded && !isExcluded(subscriber, type);
  }
}

function isExcluded({ excluded }: Subscriber, name: string): boolean {
  return excluded.has(name) || (!CATEGORIES.includes(name) && excluded.has("PAYMENT"));
}

function namesOf({ type, details = [] }: Details): readonly string[] {
  return type === "ALL" ? CATEGORIES : details;
}
