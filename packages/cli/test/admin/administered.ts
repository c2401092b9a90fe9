import { keys } from "../fixtures.ts";
import { ran, serveHere, told, type Ran, type Served } from "../ran.ts";

/** A database that `serve admin` and `serve` work on. */
export interface Administered {
  /** Runs `countersign serve admin …` on it. */
  readonly admin: (...args: string[]) => Promise<Ran>;
  /** As `admin`, with a text on standard input. */
  readonly piped: (input: string, ...args: string[]) => Promise<Ran>;
  /** Runs it with `--json`. @returns What it printed, also for a refusal. */
  readonly json: (...args: string[]) => Promise<Record<string, string>>;
  /** Runs a list with `--json`. */
  readonly list: (...args: string[]) => Promise<Record<string, unknown>[]>;
  readonly serve: () => Promise<Served>;
}

/** @param address Path of a SQLite file, or the URL of a PostgreSQL database. */
export function administered(address: string): Administered {
  const isUrl = address.startsWith("postgres");
  const place = isUrl ? [] : ["--database", address];
  const env = { ...keys, ...(isUrl && { COUNTERSIGN_DATABASE_URL: address }) };
  const piped = (input: string, ...args: string[]): Promise<Ran> =>
    ran(["serve", "admin", ...args, ...place], env, input);
  const admin = (...args: string[]): Promise<Ran> => piped("", ...args);
  const parsed = async (args: string[]): Promise<unknown> =>
    JSON.parse((await admin(...args, "--json")).out);
  return {
    admin,
    piped,
    // The casts: the test then compares what it reads.
    json: async (...args) => (await parsed(args)) as Record<string, string>,
    list: async (...args) => (await parsed(args)) as Record<string, unknown>[],
    serve: () => serveHere(["serve", "--port", "0", ...place], env),
  };
}

/** `POST /v1/tokens`. @returns The status, and the token if there is one. */
export async function requestToken(
  url: string,
  { clientId, clientSecret }: Record<string, string>,
): Promise<{ status: number; token: string | undefined }> {
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
  const answer = await fetch(new URL("/v1/tokens", url), {
    method: "POST",
    headers: { authorization },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  });
  const { access_token: token } = (await answer.json()) as { access_token?: string };
  return { status: answer.status, token };
}

/** Calls the service; with a body by POST. A customer that does not exist is 404 for a valid token. */
export async function call(
  url: string,
  token: string | undefined,
  path = "/v1/customers/cus_none",
  json?: object,
  method = json === undefined ? "GET" : "POST",
): Promise<{ status: number; text: string; body: Record<string, unknown> }> {
  const answer = await fetch(new URL(path, url), {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get("content-type")?.includes("json") === true;
  return {
    status: answer.status,
    text,
    body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
}

export const newMerchant = async ({ json }: Pick<Administered, "json">): Promise<string> =>
  (await json("merchants", "create", "--name", "Example"))["merchantId"] ?? "";

/** Creates a client of a merchant. @returns An access token of it. */
export async function newToken({ json }: Administered, url: string, merchant: string) {
  return (await requestToken(url, await json("clients", "create", "--merchant", merchant))).token;
}

/**
 * Creates a merchant with a client on the database of a running service. @returns An access token of the client.
 *
 * @param address Default: the file that the service prints.
 */
export async function tokenOf(
  served: Pick<Served, "url" | "stderr">,
  address: string = told(served, "database"),
): Promise<string> {
  const one = administered(address);
  return (await newToken(one, served.url, await newMerchant(one))) ?? "";
}
