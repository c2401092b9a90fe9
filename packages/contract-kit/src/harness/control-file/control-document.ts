/** A document of `schemas/control.schema.json`: a provider's own test hooks as controls. */
export interface ControlDocument {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly controls: Readonly<Partial<Record<ControlName, readonly ControlCall[]>>>;
}

export interface ControlCall {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** JSON Pointers into the answer, by the names of what they give. */
  readonly take?: Readonly<Record<string, string>>;
}

export type ControlName =
  | "createPayment"
  | "settlePayment"
  | "failPayment"
  | "coverPayment"
  | "readClock"
  | "advanceClock"
  | "emitEvent"
  | "createMerchant"
  | "expireToken";

export interface ControlShape {
  /** What its calls may name beside `token`. */
  readonly given: readonly string[];
  /** Its calls take all of one of these lists from their answers; nothing where there is none. */
  readonly takes: readonly (readonly string[])[];
}

export const controlShapes: Readonly<Record<ControlName, ControlShape>> = {
  createPayment: { given: ["amount", "amountCents"], takes: [["paymentId", "customerId"]] },
  settlePayment: { given: ["paymentId", "settledAt", "settledAtMs"], takes: [] },
  failPayment: { given: ["paymentId"], takes: [] },
  coverPayment: { given: ["paymentId"], takes: [] },
  readClock: { given: [], takes: [["now"]] },
  advanceClock: { given: ["ms", "seconds", "duration", "to"], takes: [] },
  emitEvent: { given: ["type"], takes: [["eventId"]] },
  createMerchant: { given: [], takes: [["token"], ["clientId", "clientSecret"]] },
  expireToken: { given: ["accessToken"], takes: [] },
};

/** The keys of the table are the names. */
export const controlNames: readonly ControlName[] = Object.keys(
  controlShapes,
) as readonly ControlName[];
