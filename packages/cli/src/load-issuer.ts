import { readFile } from "node:fs/promises";
import { checkedIssuer, type TokenIssuer } from "@countersign/service/internal";
import { Failure } from "./failure.ts";

/**
 * The description of an outside token issuer, from its file.
 *
 * @throws {Failure} `CS_CLI_ISSUER_UNUSABLE`: the file cannot be read, is not JSON, or describes none.
 */
export async function loadIssuer(file: string): Promise<TokenIssuer> {
  try {
    // `checkedIssuer` judges each member.
    const issuer = JSON.parse(await readFile(file, "utf8")) as TokenIssuer;
    checkedIssuer(issuer);
    return issuer;
  } catch (cause) {
    const why = cause instanceof TypeError ? `: ${cause.message}` : "";
    throw new Failure("CS_CLI_ISSUER_UNUSABLE", `${file} describes no token issuer${why}`, {
      cause,
    });
  }
}
