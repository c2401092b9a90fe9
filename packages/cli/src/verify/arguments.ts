import type { Command } from "commander";
import { badArgument, didYouMean } from "../failure.ts";
import type { VerifyOptions } from "./verify-options.ts";

/** Joins words to a shell command; quotes each word that needs it. */
export function shellWords(words: readonly string[]): string {
  return words
    .map((word) =>
      /^[A-Za-z0-9_./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`,
    )
    .join(" ");
}

/** Options that say what to do with a run, not what is verified: a failure is repeated without them. */
const OF_ONE_RUN = ["only", "skip", "seed", "report", "list", "json", "baseline"];

/** The words of a `countersign verify` command that reaches the same target: its options as the user gave them. */
export function givenWords(command: Command): readonly string[] {
  const words = command.options.flatMap((option) => {
    const name = option.attributeName();
    if (OF_ONE_RUN.includes(name) || command.getOptionValueSource(name) !== "cli") return [];
    const value: unknown = command.getOptionValue(name);
    if (value === true) return [option.long ?? ""];
    // A list in one word is separated by commas.
    const isList = option.variadic && Array.isArray(value);
    return [option.long ?? "", ...(isList ? value.map(String) : [String(value)])];
  });
  return ["countersign", "verify", command.name(), ...words];
}

/** Restricts `--only` and `--skip` to existing ids: a mistyped one would silently select the wrong checks. */
export function requireKnownIds(
  { only = [], skip = {} }: Pick<VerifyOptions, "only" | "skip">,
  known: readonly string[],
): void {
  for (const [option, ids] of Object.entries({ "--only": only, "--skip": Object.keys(skip) }))
    for (const id of ids) {
      if (known.includes(id)) continue;
      const hint = didYouMean(id, known) || "; see --list";
      throw badArgument(`${option}: unknown requirement or check ${JSON.stringify(id)}${hint}`);
    }
}

/**
 * The address of a target, also without `http://`: `localhost:3000/webhooks`. It has no password: all processes can read
 * arguments, and the shell's history stores them.
 */
export function targetUrl(text: string, option: string): URL {
  const isShort = !text.includes("://") && /^(?:localhost|[^/]*[.:])/.test(text);
  const whole = isShort ? `http://${text}` : text;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw badArgument(
      `${option} must be an http or https URL, e.g. http://localhost:3000/webhooks`,
    );
  if (url.username !== "" || url.password !== "")
    throw badArgument(`${option} must not hold a name or a password; secrets are never arguments`);
  return url;
}

/** An address for people: a query may be a secret of the endpoint. */
export const withoutQuery = (url: string): string => url.replace(/[?#].*/s, "");

/** The address of `--listen`: ADDRESS or ADDRESS:PORT. */
export function parseListen(
  listen: string,
  callbackUrl: string | undefined,
): { readonly host: string; readonly port: number } {
  const [, host = "127.0.0.1", port = "0"] = /^\[?([^\]]+?)\]?(?::(\d{1,5}))?$/.exec(listen) ?? [];
  if (Number(port) > 65_535) throw badArgument("--listen: a port is at most 65535");
  if (callbackUrl !== undefined) targetUrl(callbackUrl, "--callback-url");
  else if (["0.0.0.0", "::"].includes(host))
    throw badArgument(
      `--listen ${host} is every address of this machine: --callback-url says by which one it is reached`,
    );
  return { host, port: Number(port) };
}
