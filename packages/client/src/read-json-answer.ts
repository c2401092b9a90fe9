import { readJson } from "@countersign/rules";
import type { SchemaError, Validator } from "@countersign/schemas";
import type { Incoming } from "./exchange.ts";
import type { Failure, UnreadableReason } from "./failure.ts";

export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

/** Parses the body of a success as strict JSON and validates it; unknown members are accepted. */
export function readJsonAnswer<T>(
  { status, mediaType, body }: Incoming,
  { depth, validate }: { readonly depth: number; readonly validate: Validator<T> },
): Read<T> {
  if (!isJson(mediaType)) return unreadable("media-type", status);
  const reading = readJson(body, { depth });
  if (!reading.ok) return unreadable("json", status);
  const validation = validate(reading.value);
  return validation.ok ? validation : unreadable("schema", status, validation.errors);
}

export function isJson(mediaType: string): boolean {
  return mediaType === "application/json" || /^application\/[a-z0-9.-]+\+json$/.test(mediaType);
}

export function unreadable(
  reason: UnreadableReason,
  status: number,
  errors: readonly SchemaError[] = [],
): { readonly ok: false; readonly failure: Failure } {
  const members = errors.map(({ pointer, keyword, message }) => ({
    pointer,
    code: keyword,
    message,
  }));
  return {
    ok: false,
    failure: { code: "CS_ANSWER_UNREADABLE", reason, status, errors: members },
  };
}
