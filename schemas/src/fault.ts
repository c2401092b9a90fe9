import type { RawError } from "./validator.ts";

/** Writes a fault down; what the generated checks call. */
export function fault(
  faults: RawError[] | null,
  instancePath: string,
  keyword: string,
  params: RawError["params"],
): RawError[] {
  const list = faults ?? [];
  list.push({ instancePath, keyword, params });
  return list;
}
