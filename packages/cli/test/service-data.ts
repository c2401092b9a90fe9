import { keys } from "./fixtures.ts";
import { ran, serveHere, type Ran, type Served } from "./ran.ts";

/** A database that `countersign serve` and the commands below it work on. */
export interface ServiceData {
  /** Runs `countersign serve …` on it. */
  readonly run: (...args: string[]) => Promise<Ran>;
  /** Imports lines. A text is a line as it is. */
  readonly imported: (
    lines: readonly (object | string)[],
    ...more: readonly string[]
  ) => Promise<Ran>;
  readonly serve: () => Promise<Served>;
}

/** @param address Path of a SQLite file, or the URL of a PostgreSQL database. */
export function serviceData(address: string): ServiceData {
  const isUrl = address.startsWith("postgres");
  const place = isUrl ? [] : ["--database", address];
  const env = { ...keys, ...(isUrl && { COUNTERSIGN_DATABASE_URL: address }) };
  return {
    run: (...args) => ran(["serve", ...args, ...place], env),
    imported: (lines, ...more) => {
      const text = lines.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
      return ran(["serve", "import", "-", ...more, ...place], env, `${text.join("\n")}\n`);
    },
    serve: () => serveHere(["serve", "--port", "0", ...place], env),
  };
}

export const merchant = { kind: "merchant", id: "mer_1", name: "Example" };
export const client = { kind: "client", merchantId: "mer_1", id: "cli_1" };

/** Imports a merchant with a client. On SQLite no service may be running. @returns `ID:SECRET`. */
export async function newClient(address: string): Promise<string> {
  const { status, out, err } = await serviceData(address).imported([merchant, client]);
  if (status !== 0) throw new Error(err);
  return out.trim();
}

/** `POST /v1/tokens`. @param credentials `ID:SECRET`. @returns The token, or "" if it was refused. */
export async function tokenOf(url: string, credentials: string): Promise<string> {
  const answer = await fetch(new URL("/v1/tokens", url), {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  });
  const { access_token: token = "" } = (await answer.json()) as { access_token?: string };
  return token;
}

/** Calls the service; with a body by POST. A customer that does not exist is 404 for a valid token. */
export async function call(
  url: string,
  token: string,
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
