export { federalReserve, isBusinessDay, type BankCalendar } from "./business-days.ts";
export { CollectedBytes, collectBytes } from "./collected-bytes.ts";
export {
  customerTransitions,
  moveCustomer,
  type CustomerMove,
  type CustomerStatus,
} from "./customer.ts";
export { checkHold, eligibleAt, type Hold } from "./hold.ts";
export {
  formatAmount,
  MAX_CENTS,
  parseAmount,
  type AmountErrorCode,
  type AmountVerdict,
} from "./money.ts";
export { compareStates, type ResourceState, type StateOrder } from "./ordering.ts";
export {
  decide,
  onFailed,
  onReturned,
  onSettled,
  onTime,
  type Debit,
  type Decision,
  type ErrorDetails,
  type Refund,
  type RefundRequest,
  type RefundStatus,
  type ReservationErrorCode,
} from "./refund.ts";
export { readJson, type JsonErrorCode, type JsonOptions, type JsonReading } from "./strict-json.ts";
export {
  exclude,
  isClosed,
  matches,
  select,
  type CatalogueRow,
  type EventSet,
  type Selection,
  type SubscriptionDetails,
} from "./subscription.ts";
