/** One interaction as Pact's native core reports it. */
export interface CoreResult {
  readonly description: string;
  readonly consumer: string;
  readonly states: readonly string[];
  readonly isOk: boolean;
  readonly ms: number;
  readonly problems: readonly string[];
}

/** Results of the core's JSON; `undefined` where the text is none of it. */
export function coreResults(text: string): readonly CoreResult[] | undefined {
  let document: CoreDocument;
  try {
    // Every member below may be missing.
    document = JSON.parse(text) as CoreDocument;
  } catch {
    return undefined;
  }
  return document.interactionResults?.map((one) => ({
    description: one.description ?? "",
    consumer: one.consumer ?? "",
    states: one.providerStates ?? [],
    isOk: one.result === "OK",
    ms: millisecondsOf(one.duration ?? ""),
    problems: problemsOf(one.mismatch),
  }));
}

interface CoreDocument {
  readonly interactionResults?: readonly {
    readonly description?: string;
    readonly consumer?: string;
    readonly providerStates?: readonly string[];
    readonly result?: string;
    readonly duration?: string;
    readonly mismatch?: Mismatch;
  }[];
}

interface Mismatch {
  readonly message?: string;
  readonly mismatches?: readonly {
    readonly type?: string;
    readonly path?: string;
    readonly key?: string;
    readonly mismatch?: string;
  }[];
}

function problemsOf(mismatch: Mismatch | undefined): readonly string[] {
  if (mismatch === undefined) return [];
  const { mismatches, message = "it failed" } = mismatch;
  return (
    mismatches?.map(({ type = "", path, key, mismatch: said = "" }) =>
      [type, path ?? key ?? "", said].filter((word) => word !== "").join(" "),
    ) ?? [message]
  );
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/** `205ms`, `1s 86ms`, `1.086s` or `2m 7s 57ms`. */
function millisecondsOf(duration: string): number {
  return [...duration.matchAll(/([\d.]+)(ms|s|m)/g)].reduce(
    (sum, [, number = "0", unit = "ms"]) => sum + Number(number) * (UNITS[unit] ?? 1),
    0,
  );
}
