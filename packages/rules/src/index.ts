export { isBusinessDay } from "./business-days.ts";
export { CollectedBytes, collectBytes } from "./collected-bytes.ts";
export { checkHold, eligibleAt, type Hold } from "./hold.ts";
export { formatAmount, MAX_CENTS, parseAmount, type AmountErrorCode } from "./money.ts";
export { compareStates, type ResourceState } from "./ordering.ts";
export {
  decide,
  onFailed,
  onReturned,
  onSettled,
  onTime,
  type Debit,
  type Refund,
  type ReservationErrorCode,
} from "./refund.ts";
export { readJson, type JsonErrorCode, type JsonReading } from "./strict-json.ts";
export {
  exclude,
  isClosed,
  matches,
  select,
  type Selection,
  type SubscriptionDetails,
} from "./subscription.ts";
export { terminalJson, terminalLine } from "./terminal-text.ts";
