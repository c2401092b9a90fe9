import type { Attempt, Bench } from "./bench.ts";
import { withHeader, without, withSignature } from "./request.ts";

/** One way to fail the verification, as the end of "an attempt …", with a new attempt of it at each call. */
export interface Unverified {
  readonly what: string;
  readonly make: () => Attempt;
}

/** Attempts that a receiver must refuse for their signature or time; the first one is plainly forged. */
export function unverified(
  bench: Bench,
  data: Readonly<Record<string, unknown>> = {},
): readonly Unverified[] {
  const { signing } = bench;
  const { names, covers, withTime } = signing;
  const all = Object.values(names).filter((name) => name !== undefined);
  const tolerance = bench.target.profile.signature.toleranceSeconds + 3600;
  const genuine = (): Attempt => bench.attempt(bench.event({ data }));
  const changed = (name: string | undefined, change: (value: string) => string) => (): Attempt => {
    const attempt = genuine();
    return { ...attempt, headers: withHeader(attempt.headers, name, change) };
  };
  const bare = (left: readonly string[]) => (): Attempt => {
    const attempt = genuine();
    return { ...attempt, headers: without(attempt.headers, left) };
  };
  const at = (seconds: number) => (): Attempt =>
    bench.attempt(bench.event({ data }), { timestamp: bench.seconds() + seconds });
  return [
    {
      what: "signed by another secret",
      make: () =>
        bench.attempt(bench.event({ data }), { secrets: [signing.stranger("unverified")] }),
    },
    { what: "unsigned", make: bare(all) },
    ...all.map((name) => ({ what: `without ${name}`, make: bare([name]) })),
    { what: "of no signature's form", make: changed(names.signature, () => "cstest") },
    { what: "of an empty signature", make: changed(names.signature, () => "") },
    {
      what: "of half a signature",
      make: changed(names.signature, (value) =>
        withSignature(value, (mac) => mac.slice(0, mac.length / 2)),
      ),
    },
    {
      what: "of a changed body",
      make: () => {
        const attempt = genuine();
        return { ...attempt, body: Buffer.concat([attempt.body, Buffer.from(" ")]) };
      },
    },
    ...(covers.id && names.id !== undefined
      ? [{ what: "of a changed id", make: changed(names.id, (value) => `${value}x`) }]
      : []),
    ...(covers.timestamp
      ? [
          { what: "too old", make: at(-tolerance) },
          { what: "too early", make: at(tolerance) },
        ]
      : []),
    ...(withTime === undefined
      ? []
      : [
          {
            what: "of no time",
            make: () => {
              const attempt = genuine();
              return { ...attempt, headers: withTime(attempt.headers, () => "now") };
            },
          },
        ]),
  ];
}
