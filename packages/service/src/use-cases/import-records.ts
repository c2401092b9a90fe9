import { errorCodes, importCodes } from "../error-codes.ts";
import type {
  ClientLine,
  CustomerLine,
  ImportRecord,
  LineError,
  NumberedRecord,
  PaymentLine,
} from "../import-lines.ts";
import { sha256Hex } from "../secrets/vault.ts";
import { orUndone, Undo, type Driver, type Queryable } from "../store/driver.ts";
import { findCustomer, findPreferredAccount, isCustomerId } from "../store/tables/customers.ts";
import {
  findClient,
  findMerchant,
  insertClient,
  putMerchant,
  updateClient,
  type Merchant,
} from "../store/tables/merchants.ts";
import { findPaymentByKey, isPaymentId, type DebitStatus } from "../store/tables/payments.ts";
import type { Context } from "./context.ts";
import { createCustomer, linkAccount, moveCustomer } from "./customers.ts";
import { newClientSecret } from "./merchants.ts";
import {
  authorizePayment,
  createPayment,
  failPayment,
  settlePayment,
  type MovePaymentOutcome,
} from "./payments.ts";

interface IssuedSecret {
  readonly clientId: string;
  readonly clientSecret: string;
}

export type ImportOutcome =
  | {
      readonly ok: true;
      readonly created: number;
      readonly changed: number;
      readonly unchanged: number;
      /** New secrets, one per client. They are returned only here: only their SHA-256 is stored. */
      readonly clients: readonly IssuedSecret[];
    }
  /** Nothing is stored. */
  | { readonly ok: false; readonly errors: readonly LineError[] };

type Refusal = Omit<LineError, "line">;
type Written = "created" | "changed" | "unchanged" | Refusal;

/**
 * Creates and changes records in one transaction, in their order. A record that is stored as it says is left as it is,
 * so the same import can be repeated; one that contradicts a stored record is an error.
 *
 * @param options `isDryRun`: undoes everything in the end; the counts and errors are those of a real import.
 */
export async function importRecords(
  context: Context,
  records: readonly NumberedRecord[],
  { isDryRun }: { readonly isDryRun: boolean },
): Promise<ImportOutcome> {
  return orUndone(
    context.driver.transaction<ImportOutcome>(async (tx) => {
      const within = joining(context, tx);
      const counts = { created: 0, changed: 0, unchanged: 0 };
      const secrets = new Map<string, IssuedSecret>();
      const errors: LineError[] = [];
      for (const { line, record } of records) {
        const written = await write(within, record, secrets);
        if (typeof written === "object") errors.push({ line, ...written });
        else counts[written] += 1;
      }
      if (errors.length > 0) throw new Undo<ImportOutcome>({ ok: false, errors });
      const outcome = { ok: true, ...counts, clients: [...secrets.values()] } as const;
      if (isDryRun) throw new Undo<ImportOutcome>({ ...outcome, clients: [] });
      return outcome;
    }),
  );
}

async function write(
  context: Context,
  record: ImportRecord,
  secrets: Map<string, IssuedSecret>,
): Promise<Written> {
  const { driver, clock } = context;
  if (record.kind === "merchant") {
    const { id, name } = record;
    return putMerchant(driver, { id, clockId: "live", name, createdAt: clock.now() });
  }
  const merchant = await findMerchant(driver, record.merchantId);
  if (merchant === undefined) return refused("MERCHANT_NOT_FOUND", "/merchantId");
  switch (record.kind) {
    case "client":
      return writeClient(context, record, secrets);
    case "customer":
      return writeCustomer(context, merchant, record);
    case "payment":
      return writePayment(context, merchant, record);
    default:
      return record satisfies never;
  }
}

const HOUR_MS = 3_600_000;

/** At most two secrets of a client are valid: a rotation ends the one before the present one. */
async function writeClient(
  { driver, clock, random, policy }: Context,
  record: ClientLine,
  secrets: Map<string, IssuedSecret>,
): Promise<Written> {
  const { id, merchantId, secretVersion = 1, overlapHours = 24, disabled = false } = record;
  const { scopes = Object.values(policy.token.scopes) } = record;
  const now = clock.now();
  const clientSecret = newClientSecret(random);
  const secretHash = sha256Hex(clientSecret);
  const client = { id, merchantId, secretHash, secretVersion, scopes, createdAt: now };
  const isNew = await insertClient(driver, client);
  const stored = await findClient(driver, id);
  if (stored?.merchantId !== merchantId) return refused("CLIENT_ID_TAKEN", "/id");
  if (record.scopes !== undefined && !isSameSet(stored.scopes, scopes)) return differs("/scopes");
  const isRotated = secretVersion > stored.secretVersion;
  if (isRotated) {
    if (stored.revokedAt !== null) return refused("CLIENT_DISABLED", "/secretVersion");
    await updateClient(driver, id, {
      secretHash,
      secretVersion,
      previousHash: stored.secretHash,
      previousUntil: now + overlapHours * HOUR_MS,
    });
  }
  const isDisabled = disabled && stored.revokedAt === null;
  if (isDisabled) {
    await updateClient(driver, id, { revokedAt: now });
    secrets.delete(id);
  } else if (isNew || isRotated) secrets.set(id, { clientId: id, clientSecret });
  if (isNew) return "created";
  return isRotated || isDisabled ? "changed" : "unchanged";
}

async function writeCustomer(
  context: Context,
  merchant: Merchant,
  record: CustomerLine,
): Promise<Written> {
  const { driver } = context;
  const { id, firstName, lastName, email, customerStatus } = record;
  const before = await findCustomer(driver, { merchantId: merchant.id, id });
  if (before === undefined) {
    if (await isCustomerId(driver, id)) return refused("CUSTOMER_ID_TAKEN", "/id");
    await createCustomer(context, merchant, { id, firstName, lastName, email });
  } else {
    for (const name of ["firstName", "lastName", "email"] as const)
      if (before[name] !== record[name]) return differs(`/${name}`);
  }
  const account = await writeAccount(context, merchant, record);
  if (typeof account === "object") return account;
  const status = before?.status ?? "CREATED";
  const isMoved = customerStatus !== undefined && customerStatus !== status;
  if (isMoved) {
    if (customerStatus === "CREATED") return refused("INVALID_TRANSITION", "/customerStatus");
    const last = customerStatus === "ACTIVE" ? "activate" : "deactivate";
    // A customer becomes active before it can be inactive.
    const moves = new Set<typeof last>(status === "CREATED" ? ["activate", last] : [last]);
    for (const move of moves) {
      const moved = await moveCustomer(context, merchant, { customerId: id, move });
      if (!moved.ok) return refused("INVALID_TRANSITION", "/customerStatus");
    }
  }
  if (before === undefined) return "created";
  return isMoved ? "changed" : account;
}

/** Links a customer's first account. */
async function writeAccount(
  context: Context,
  merchant: Merchant,
  { id: customerId, accountDetails }: CustomerLine,
): Promise<Written> {
  if (accountDetails === undefined) return "unchanged";
  const { financialInstitutionName: institution, accountLastFourDigits: lastFour } = accountDetails;
  const account = { institution, lastFour, type: accountDetails.accountType };
  const merchantId = merchant.id;
  const linked = await findPreferredAccount(context.driver, { merchantId, customerId });
  if (linked === undefined) {
    await linkAccount(context, merchant, { customerId, ...account });
    return "changed";
  }
  const isSame = (["institution", "lastFour", "type"] as const).every(
    (name) => linked[name] === account[name],
  );
  return isSame ? "unchanged" : differs("/accountDetails");
}

async function writePayment(
  context: Context,
  merchant: Merchant,
  record: PaymentLine,
): Promise<Written> {
  const { driver } = context;
  const { customerId, amount: amountCents, requestKey, clientReferenceId } = record;
  const { paymentStatus, settlementDate, creationDate = settlementDate } = record;
  const before = await findPaymentByKey(driver, { merchantId: merchant.id, requestKey });
  let stored = before;
  if (stored === undefined) {
    if (record.paymentId !== undefined && (await isPaymentId(driver, record.paymentId)))
      return refused("PAYMENT_ID_TAKEN", "/paymentId");
    const order = { customerId, amountCents, requestKey, clientReferenceId };
    const given = { id: record.paymentId, createdAt: creationDate };
    const created = await createPayment(context, merchant, { ...order, ...given });
    if (!created.ok) {
      const isKey = created.code === "DUPLICATE_REQUEST_KEY";
      return refused(created.code, isKey ? "/requestKey" : "/customerId");
    }
    stored = created.payment;
  }
  if (
    stored.direction !== "DEBIT" ||
    stored.customerId !== customerId ||
    stored.amountCents !== amountCents ||
    stored.clientReferenceId !== (clientReferenceId ?? null) ||
    stored.id !== (record.paymentId ?? stored.id)
  )
    return refused("DUPLICATE_REQUEST_KEY", "/requestKey");
  if (paymentStatus !== undefined && paymentStatus !== stored.status) {
    const { id: paymentId } = stored;
    const moves: Record<DebitStatus, () => Promise<MovePaymentOutcome>> = {
      CREATED: async () => ({ ok: false, code: "INVALID_TRANSITION" }),
      AUTHORIZED: () => authorizePayment(context, merchant, { paymentId }),
      SUCCEEDED: () => settlePayment(context, merchant, { paymentId, settledAt: settlementDate }),
      TERMINAL_FAILED: () => failPayment(context, merchant, { paymentId }),
      CANCELED: () => failPayment(context, merchant, { paymentId, status: "CANCELED" }),
    };
    const moved = await moves[paymentStatus]();
    if (moved.ok) return before === undefined ? "created" : "changed";
    const isTime = moved.code === "SETTLED_AT_OUT_OF_RANGE";
    return refused(moved.code, isTime ? "/settlementDate" : "/paymentStatus");
  }
  if (before === undefined) return "created";
  const isSettled = settlementDate === undefined || settlementDate === stored.settledAt;
  return isSettled ? "unchanged" : differs("/settlementDate");
}

const registry = { ...errorCodes, ...importCodes };

const refused = (code: keyof typeof registry, pointer: string): Refusal => ({
  code,
  pointer,
  message: registry[code].meaning,
});

const differs = (pointer: string): Refusal => refused("RECORD_DIFFERS", pointer);

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  [...new Set(one)].toSorted().join(" ") === [...new Set(other)].toSorted().join(" ");

/** The context for use cases that join a transaction, and are committed with it. */
function joining(context: Context, tx: Queryable): Context {
  const driver: Driver = {
    query: (sql, params) => tx.query(sql, params),
    transaction: (run) => run(tx),
    isAlone: context.driver.isAlone,
    close: () => Promise.resolve(),
  };
  return { ...context, driver };
}
