import { Failure } from "../failure.ts";

/**
 * The address of a target, as an option gives it.
 *
 * @param option The option's name, for the message.
 * @throws {Failure} `CS_CLI_ARGUMENT_UNUSABLE`: it is no http or https address, or holds a user's name or
 *   password. Arguments are seen by every process of a machine and kept in the shell's history.
 */
export function targetUrl(text: string, option: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw unusable(`${option} must be an http or https address`);
  if (url.username !== "" || url.password !== "")
    throw unusable(`${option} must not hold a name or a password; secrets are never arguments`);
  return url;
}

/** Values of an address's query, which are keys where somebody puts them there: no report holds them. */
export function queryValues(url: string): readonly string[] {
  return URL.canParse(url) ? [...new URL(url).searchParams.values()] : [];
}

function unusable(message: string): Failure {
  return new Failure("CS_CLI_ARGUMENT_UNUSABLE", message);
}
