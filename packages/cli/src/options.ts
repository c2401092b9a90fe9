import { InvalidArgumentError } from "commander";
import { didYouMean } from "./failure.ts";

/** An option whose value has the type `T`. Its member's name in kebab case is its name. */
export interface OptionOf<T> {
  /** Placeholder of its value, such as `<url>`; absent if it has none. */
  readonly value?: string;
  readonly help: string;
  readonly known?: readonly string[];
  readonly standard?: T | undefined;
  readonly isRequired?: boolean;
  /** True if no other option is required with it. */
  readonly isAlone?: boolean;
  /** @throws {InvalidArgumentError} */
  parse?(text: string, before: T | undefined): T;
}

export type Table = Readonly<Record<string, OptionOf<unknown>>>;

/** The values of a table's options. */
export type ValuesOf<O> = {
  readonly [Name in keyof O]: O[Name] extends OptionOf<infer T> ? T : never;
};

/** `eventType` as `--event-type`. */
export const wordOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

export const flag = (help: string): OptionOf<boolean | undefined> => ({ help });
export const text = <S extends string | undefined = undefined>(
  value: string,
  help: string,
  standard?: S,
): OptionOf<string | S> => ({ value, help, standard });
export const parsed = <T>(
  value: string,
  help: string,
  parse: (text: string) => T,
): OptionOf<T | undefined> => ({ value, help, parse });

/** An option that is given several times, or with several values if its placeholder is like `<id...>`. */
export const list = <T>(
  value: string,
  help: string,
  parse: (text: string) => T,
): OptionOf<readonly T[] | undefined> => ({
  value,
  help,
  parse: (one, before = []) => [...before, parse(one)],
});
export const words = (value: string, help: string): OptionOf<readonly string[] | undefined> =>
  list(value, help, String);

/** Returns a parser of one of some words. */
export const oneOf =
  <const T extends string>(known: readonly T[]) =>
  (given: string): T => {
    const found = known.find((one) => one === given);
    if (found !== undefined) return found;
    const hint = didYouMean(given, known);
    throw new InvalidArgumentError(`expected one of ${known.join(", ")}${hint}`);
  };
export const choice = <const T extends string>(
  value: string,
  help: string,
  known: readonly T[],
): OptionOf<T | undefined> => ({ value, help, known, parse: oneOf(known) });

export const required = <T>(option: OptionOf<T | undefined>): OptionOf<T> => ({
  ...(option as OptionOf<T>),
  isRequired: true,
});
export const byDefault = <T>(option: OptionOf<T | undefined>, standard: T): OptionOf<T> => ({
  ...(option as OptionOf<T>),
  standard,
});

/** Returns a parser of an integer; both bounds are inclusive. */
export const integers =
  (least: number, most: number) =>
  (given: string): number => {
    const number = Number(given);
    if (/^\d{1,10}$/.test(given) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`expected an integer from ${least} to ${most}.`);
  };
export const integer = <S extends number | undefined = undefined>(
  value: string,
  help: string,
  [least, most]: readonly [least: number, most: number],
  standard?: S,
): OptionOf<number | S> => ({ value, help, standard, parse: integers(least, most) });

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** An option that is a time, also one before now, such as `25h`. In milliseconds since 1970. */
export const time = (help: string): OptionOf<number | undefined> =>
  parsed("<time>", help, (given) => {
    const [, number, unit = ""] = /^(\d{1,6})([smhd])$/.exec(given) ?? [];
    const ms = UNITS[unit];
    if (number !== undefined && ms !== undefined) return Date.now() - Number(number) * ms;
    // A time without an offset would be another one on another machine.
    const isTime = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(given);
    const at = isTime ? Date.parse(given) : Number.NaN;
    if (!Number.isNaN(at)) return at;
    throw new InvalidArgumentError("expected a time such as 2026-11-20T08:00:00Z, 90m, 25h or 3d.");
  });

// Options of several commands.
export const profile = text("<name|file>", "built-in profile, or its file", "standard");
export const provider = text("<name|file>", "provider's name or document; see providers");
export const listenAt = text("<address>", "ADDRESS or ADDRESS:PORT to receive webhooks on");
export const openapi = text("<file>", "OpenAPI or AsyncAPI document of the events");
export const eventType = text("<place>", "the type's place: /type or header:X-Event");
export const serviceDatabase = text("<file>", "SQLite file (default: .countersign/service.db)");
export const json = flag("print one JSON object instead of lines");

/** A 32-bit seed of generated data, by default 1. */
export const seed = (help: string): OptionOf<number> =>
  integer("<number>", help, [0, 4_294_967_295], 1);

/** `--port`; see `listenOn`. */
export const port = (usual: number): OptionOf<number | undefined> =>
  integer("<number>", `port to listen on (default: ${usual})`, [0, 65_535]);
export const iOwn = text("<host>", "confirm that you own this remote host");
