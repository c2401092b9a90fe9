import { createReadStream } from "node:fs";
import type * as Service from "@countersign/service/internal";
import { badArgument } from "../../failure.ts";
import { printable, printableJson } from "../../printable.ts";
import type { Surroundings } from "../../terminal.ts";
import { administer, refusalText, report, type Administration } from "./administer.ts";
import type { ChangeOptions } from "./declare.ts";

/** Lines of one transaction: bounds how long the merchant is locked. */
const BATCH = 100;
const MAX_LINE_BYTES = 1_048_576;

export interface RecordOptions extends ChangeOptions {
  readonly merchant: string;
  readonly profile: string;
}

export interface ImportOptions extends RecordOptions {
  readonly dryRun: boolean | undefined;
}

/** Reads and writes lines of one kind of record. */
export interface Kind<T> {
  readonly read: (
    { service }: Administration,
    line: Uint8Array,
    options: Service.LineOptions,
  ) => Service.LineReading<T>;
  readonly write: (
    administration: Administration,
    merchant: Service.Merchant,
    order: { records: readonly T[]; askedBy: string; isDryRun: boolean },
  ) => Promise<Service.ImportOutcome[]>;
}

interface LineError {
  /** From 1. */
  readonly line: number;
  readonly code: string;
  /** JSON Pointer of the member; empty for the line itself. */
  readonly pointer: string;
  readonly message: string;
}

/** Members of a line that a refusal is about. */
const pointers: Readonly<Record<Extract<Service.ImportOutcome, { ok: false }>["code"], string>> = {
  CUSTOMER_ID_TAKEN: "/id",
  CUSTOMER_NOT_FOUND: "/customerId",
  CUSTOMER_NOT_LINKED: "/customerId",
  DUPLICATE_REQUEST_KEY: "/requestKey",
  PAYMENT_ID_TAKEN: "/paymentId",
};

/**
 * Imports JSON lines, and prints each error and the counts; status 1 if a line failed.
 *
 * @param file Path, or `-` for standard input.
 */
export async function importLines<T>(
  file: string,
  options: ImportOptions,
  surroundings: Surroundings,
  kind: Kind<T>,
): Promise<void> {
  const { terminal } = surroundings;
  const isDryRun = options.dryRun === true;
  const counts = { imported: 0, skipped: 0, failed: 0 };
  const errors: LineError[] = [];
  const fail = (line: number, found: readonly Omit<LineError, "line">[]): void => {
    counts.failed += 1;
    for (const error of found) {
      if (options.json === true) errors.push({ line, ...error });
      else
        terminal.err(printable(`line ${line}: ${error.code} ${error.pointer}: ${error.message}`));
    }
  };
  const outcome = await administer(options, surroundings, async (administration) => {
    const { service, driver, policy } = administration;
    const merchant = await service.findMerchant(driver, options.merchant);
    if (merchant === undefined) return { ok: false, code: "MERCHANT_NOT_FOUND" } as const;
    const write = async (batch: readonly { line: number; record: T }[]): Promise<void> => {
      const records = batch.map(({ record }) => record);
      const order = { records, askedBy: options.by, isDryRun };
      const written = await kind.write(administration, merchant, order);
      for (const [index, { line }] of batch.entries()) {
        const one = written[index];
        if (one?.ok === true) counts[one.isNew ? "imported" : "skipped"] += 1;
        else if (one !== undefined) {
          const { code } = one;
          fail(line, [{ code, pointer: pointers[code], message: refusalText(code) }]);
        }
      }
    };
    let line = 0;
    let batch: { line: number; record: T }[] = [];
    for await (const text of linesOf(file === "-" ? surroundings.input() : opened(file))) {
      line += 1;
      if (text.every((byte) => BLANKS.includes(byte))) continue;
      const reading = kind.read(administration, text, { policy, now: service.systemClock.now() });
      if (reading.ok) batch.push({ line, record: reading.record });
      else fail(line, reading.errors);
      if (batch.length < BATCH) continue;
      await write(batch);
      batch = [];
    }
    if (batch.length > 0) await write(batch);
    return { ok: true, isDryRun, ...counts, errors } as const;
  });
  if (!outcome.ok) return report(outcome, options, surroundings, () => []);
  if (options.json === true) terminal.out(printableJson(outcome));
  else {
    const { imported, skipped, failed } = counts;
    const text = `imported ${imported}, skipped ${skipped}, failed ${failed}`;
    terminal.out(isDryRun ? `dry run, nothing is written: ${text}` : text);
  }
  if (counts.failed > 0) surroundings.unmet();
}

/** Creates one record, given as the members of a line. */
export async function createRecord<T>(
  administration: Administration,
  members: object,
  { merchant: merchantId, by }: RecordOptions,
  kind: Kind<T>,
): Promise<Service.ImportOutcome | { readonly ok: false; readonly code: "MERCHANT_NOT_FOUND" }> {
  const { service, driver, policy } = administration;
  const text = Buffer.from(JSON.stringify(members));
  const reading = kind.read(administration, text, { policy, now: service.systemClock.now() });
  if (!reading.ok) {
    const told = reading.errors.map(
      ({ code, pointer, message }) => `${code} ${pointer}: ${message}`,
    );
    throw badArgument(told.join("; "));
  }
  const merchant = await service.findMerchant(driver, merchantId);
  if (merchant === undefined) return { ok: false, code: "MERCHANT_NOT_FOUND" };
  const order = { records: [reading.record], askedBy: by, isDryRun: false };
  const [one] = await kind.write(administration, merchant, order);
  if (one === undefined) throw new Error("a record has no outcome");
  return one;
}

const BLANKS: readonly number[] = [0x20, 0x09, 0x0d];

async function* opened(file: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(file)) yield chunk as Uint8Array;
  } catch (cause) {
    throw badArgument(`cannot read ${file}`, cause);
  }
}

/** The lines of a text, without their newlines. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a, from)) {
      yield rest.subarray(from, end);
      from = end + 1;
    }
    rest = rest.subarray(from);
    if (rest.length > MAX_LINE_BYTES) {
      throw badArgument("a line is longer than 1 MiB");
    }
  }
  if (rest.length > 0) yield rest;
}
