import { createHash } from "node:crypto";
import { isRecord } from "../values.ts";

/** An id in the forms that documents demand. */
export function idForms(id: string): readonly string[] {
  const digest = createHash("sha256").update(id).digest("hex");
  return [id, digest.slice(0, 16).toUpperCase(), digest.slice(0, 32)];
}

export function numberFor(id: string): number {
  return Number.parseInt(createHash("sha256").update(id).digest("hex").slice(0, 11), 16);
}

export const digestOf = (text: string): string =>
  `sha256:${createHash("sha256").update(text).digest("base64url")}`;

/** A value with what another one has in addition. */
export function merged(over: unknown, base: unknown): unknown {
  if (Array.isArray(base) && (Array.isArray(over) || !isRecord(over)))
    return base.map((item: unknown, index) =>
      merged(Array.isArray(over) ? (over[index] as unknown) : undefined, item),
    );
  if (!isRecord(over) || !isRecord(base)) return over ?? base;
  const added = Object.entries(base).filter(([name]) => !Object.hasOwn(over, name));
  return Object.fromEntries([
    ...Object.entries(over).map(([name, value]) => [
      name,
      Object.hasOwn(base, name) ? merged(value, base[name]) : value,
    ]),
    ...added,
  ]);
}

/** The members of the reference interface's events that have their resource's id. */
export function ownIds(kind: string | undefined): readonly string[] {
  if (kind === undefined) return [];
  if (kind.startsWith("customer.")) return ["id"];
  return [kind.startsWith("account.") ? "customerId" : "paymentId"];
}
