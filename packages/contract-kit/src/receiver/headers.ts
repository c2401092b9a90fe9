import type { Header } from "./wire/request.ts";

/** The value of a header; `""` where it is absent. */
export function valueOf(headers: readonly Header[], name: string): string {
  return headers.find(([one]) => one.toLowerCase() === name)?.[1] ?? "";
}

/** With the header's value changed in its place. */
export function withHeader(
  headers: readonly Header[],
  name: string | undefined,
  change: (value: string) => string,
): readonly Header[] {
  return headers.map((header) =>
    header[0].toLowerCase() === name ? [header[0], change(header[1])] : header,
  );
}

export function without(headers: readonly Header[], names: readonly string[]): readonly Header[] {
  return headers.filter(([name]) => !names.includes(name.toLowerCase()));
}

/** The encoded signature inside its header: base64 or hex of at least 20 bytes. */
const SIGNATURE = /[A-Za-z0-9+/]{38,}={0,2}/;

/** With the encoded signature changed, and what stands around it left. */
export function withSignature(value: string, change: (signature: string) => string): string {
  return value.replace(SIGNATURE, (signature) => change(signature));
}
