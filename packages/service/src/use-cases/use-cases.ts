import type { Merchant } from "../store/tables/merchants.ts";
import { askRefund } from "./ask-refund.ts";
import {
  authorizePayment,
  coverPayment,
  createPayment,
  failPayment,
  settlePayment,
} from "./payments.ts";
import type { Context } from "./context.ts";
import {
  createCustomer,
  deactivateAccount,
  getCustomer,
  linkAccount,
  moveCustomer,
} from "./customers.ts";
import { importCustomers, importPayments, movePaymentForOperator } from "./import-records.ts";
import {
  createClient,
  revokeClient,
  rotateClientSecret,
  addMerchant,
  createMerchant,
  renameMerchant,
} from "./merchants.ts";
import { authenticateClient, createToken } from "./tokens.ts";
import { moveDueRefunds, returnRefund } from "./refunds.ts";
import { subscribe, unsubscribe } from "./subscriptions.ts";

/** A use case of one merchant, with the service's context already given. */
type OfMerchant<U extends (context: Context, merchant: Merchant, input: never) => unknown> =
  U extends (context: Context, merchant: Merchant, input: infer I) => infer R
    ? (merchant: Merchant, input: I) => R
    : never;
type OfService<U extends (context: Context, input: never) => unknown> = U extends (
  context: Context,
  input: infer I,
) => infer R
  ? (input: I) => R
  : never;

/** The service's operations. Each returns a closed union or throws `StoreUnavailableError`. */
export interface UseCases {
  readonly askRefund: OfMerchant<typeof askRefund>;
  readonly getCustomer: OfMerchant<typeof getCustomer>;
  readonly subscribe: OfMerchant<typeof subscribe>;
  readonly unsubscribe: OfMerchant<typeof unsubscribe>;
  readonly createCustomer: OfMerchant<typeof createCustomer>;
  readonly moveCustomer: OfMerchant<typeof moveCustomer>;
  readonly linkAccount: OfMerchant<typeof linkAccount>;
  readonly deactivateAccount: OfMerchant<typeof deactivateAccount>;
  readonly createPayment: OfMerchant<typeof createPayment>;
  readonly authorizePayment: OfMerchant<typeof authorizePayment>;
  readonly settlePayment: OfMerchant<typeof settlePayment>;
  readonly failPayment: OfMerchant<typeof failPayment>;
  readonly coverPayment: OfMerchant<typeof coverPayment>;
  readonly returnRefund: OfMerchant<typeof returnRefund>;
  readonly moveDueRefunds: OfService<typeof moveDueRefunds>;
  readonly importCustomers: OfMerchant<typeof importCustomers>;
  readonly importPayments: OfMerchant<typeof importPayments>;
  readonly movePaymentForOperator: OfMerchant<typeof movePaymentForOperator>;
  readonly authenticateClient: OfService<typeof authenticateClient>;
  readonly createToken: OfService<typeof createToken>;
  readonly createMerchant: OfService<typeof createMerchant>;
  readonly addMerchant: OfService<typeof addMerchant>;
  readonly renameMerchant: OfService<typeof renameMerchant>;
  readonly createClient: OfService<typeof createClient>;
  readonly rotateClientSecret: OfService<typeof rotateClientSecret>;
  readonly revokeClient: OfService<typeof revokeClient>;
}

export function useCasesOf(context: Context): UseCases {
  const ofMerchant =
    <I, R>(useCase: (context: Context, merchant: Merchant, input: I) => R) =>
    (merchant: Merchant, input: I): R =>
      useCase(context, merchant, input);
  const ofService =
    <I, R>(useCase: (context: Context, input: I) => R) =>
    (input: I): R =>
      useCase(context, input);
  return {
    askRefund: ofMerchant(askRefund),
    getCustomer: ofMerchant(getCustomer),
    subscribe: ofMerchant(subscribe),
    unsubscribe: ofMerchant(unsubscribe),
    createCustomer: ofMerchant(createCustomer),
    moveCustomer: ofMerchant(moveCustomer),
    linkAccount: ofMerchant(linkAccount),
    deactivateAccount: ofMerchant(deactivateAccount),
    createPayment: ofMerchant(createPayment),
    authorizePayment: ofMerchant(authorizePayment),
    settlePayment: ofMerchant(settlePayment),
    failPayment: ofMerchant(failPayment),
    coverPayment: ofMerchant(coverPayment),
    returnRefund: ofMerchant(returnRefund),
    moveDueRefunds: ofService(moveDueRefunds),
    importCustomers: ofMerchant(importCustomers),
    importPayments: ofMerchant(importPayments),
    movePaymentForOperator: ofMerchant(movePaymentForOperator),
    authenticateClient: ofService(authenticateClient),
    createToken: ofService(createToken),
    createMerchant: ofService(createMerchant),
    addMerchant: ofService(addMerchant),
    renameMerchant: ofService(renameMerchant),
    createClient: ofService(createClient),
    rotateClientSecret: ofService(rotateClientSecret),
    revokeClient: ofService(revokeClient),
  };
}
