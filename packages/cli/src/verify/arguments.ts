import { badArgument, Failure, systemCode } from "../failure.ts";
import { didYouMean } from "../options.ts";
import type { VerifyOptions } from "./verify-options.ts";

/** Joins words to a shell command; quotes each word that needs it. */
export function shellWords(words: readonly string[]): string {
  return words
    .map((word) =>
      /^[A-Za-z0-9_./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`,
    )
    .join(" ");
}

/** The words of options with their values: none of `undefined` and `false`, only the name of `true`. */
export function optionWords(
  options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>,
): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    return value === true ? [name] : [name, ...[value].flat()];
  });
}

/**
 * Restricts `--only` and `--skip` to existing ids: a mistyped one would silently select the
 * wrong checks.
 *
 * @throws {Failure} `CS_CLI_ARGUMENT_UNUSABLE`, with the id that may be meant.
 */
export function requireKnownIds(
  { only = [], skip = {} }: Pick<VerifyOptions, "only" | "skip">,
  known: readonly string[],
): void {
  for (const [option, ids] of [
    ["--only", only],
    ["--skip", Object.keys(skip)],
  ] as const)
    for (const id of ids) {
      if (known.includes(id)) continue;
      const hint = didYouMean(id, known) || "; see --list";
      throw badArgument(`${option}: unknown requirement or check ${JSON.stringify(id)}${hint}`);
    }
}

/**
 * The address of a target, as an option gives it.
 *
 * @param option The option's name, for the message.
 * @throws {Failure} `CS_CLI_ARGUMENT_UNUSABLE`: it is not an http or https URL, or contains a user name or
 *   password. All processes of a machine can read arguments, and the shell's history stores them.
 */
export function targetUrl(text: string, option: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw badArgument(`${option} must be an http or https address`);
  if (url.username !== "" || url.password !== "")
    throw badArgument(`${option} must not hold a name or a password; secrets are never arguments`);
  return url;
}

/**
 * The address of `--listen`: ADDRESS or ADDRESS:PORT.
 *
 * @throws {Failure} `CS_CLI_ARGUMENT_UNUSABLE`: the port is too large, or every address of the machine is given without `--callback-url`.
 */
export function parseListen(
  listen: string,
  callbackUrl: string | undefined,
): { readonly host: string; readonly port: number } {
  const [, host = "127.0.0.1", port = "0"] = /^\[?([^\]]+?)\]?(?::(\d{1,5}))?$/.exec(listen) ?? [];
  if (Number(port) > 65_535) throw badArgument("--listen: a port is at most 65535");
  if (["0.0.0.0", "::"].includes(host) && callbackUrl === undefined)
    throw badArgument(
      `--listen ${host} is every address of this machine: --callback-url says by which one it is reached`,
    );
  return { host, port: Number(port) };
}

/** The failure of an address that cannot be listened on; any other error stays as it is. */
export function portFailure(cause: unknown, listen: string): unknown {
  const code = systemCode(cause);
  if (code?.startsWith("E") !== true) return cause;
  return code === "EADDRINUSE"
    ? new Failure("CS_CLI_PORT_TAKEN", `--listen ${listen}: the port is taken`, { cause })
    : new Failure("CS_CLI_PORT_UNUSABLE", `--listen ${listen} cannot be listened on`, { cause });
}

/** Values of an address's query, which are keys where somebody puts them there: no report holds them. */
export function queryValues(url: string): readonly string[] {
  return URL.canParse(url) ? [...new URL(url).searchParams.values()] : [];
}
