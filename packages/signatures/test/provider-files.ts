import { globSync, readFileSync } from "node:fs";
import type { Provider, SignatureScheme } from "../src/index.ts";

/** A message and the verdicts about it. */
export interface Vector {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly bodyBase64?: string;
  readonly url?: string;
  readonly method?: string;
  /** In milliseconds. */
  readonly now: number;
  readonly secrets: readonly string[];
  readonly expected: "accepts" | "refuses";
  /** The key that the message names. */
  readonly key?: string;
  readonly claims?: Readonly<Record<string, string>>;
  /** The facts that a receiver reads from a genuine message. */
  readonly event?: { readonly id?: string; readonly type?: string; readonly time?: number };
  /** The answer of a receiver to a handshake. */
  readonly handshake?: {
    readonly status?: number;
    readonly text?: string;
    readonly json?: Readonly<Record<string, unknown>>;
  };
}

export interface VectorFile {
  readonly provider: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly claims?: Readonly<Record<string, string>>;
  readonly vectors: readonly Vector[];
}

const root = new URL("../../../", import.meta.url);
const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, root), "utf8"));

/** The documents of the repository. */
export const documents: readonly Provider[] = globSync("schemas/providers/*.json", { cwd: root })
  .filter((path) => !path.endsWith(".schema.json"))
  .toSorted()
  .map((path) => read(path) as Provider); // a test of `schemas` checks their shape

/** The vectors of the documents that have some. */
export const vectorFiles: readonly VectorFile[] = globSync("contracts/vectors/providers/*.json", {
  cwd: root,
})
  .toSorted()
  .map((path) => read(path) as VectorFile); // made by contracts/mint

/** Returns the document of a provider. */
export function documentOf(name: string): Provider {
  const found = documents.find((document) => document.name === name);
  if (found === undefined) throw new Error(`no document of ${name}`);
  return found;
}

/** Returns the exact bytes of a vector. */
export const bodyOf = ({ body, bodyBase64 }: Vector): Uint8Array =>
  bodyBase64 === undefined ? Buffer.from(body ?? "") : Buffer.from(bodyBase64, "base64");

/** Verifies a vector with a scheme. */
export function verifyVector(
  scheme: SignatureScheme,
  file: VectorFile,
  vector: Vector,
): ReturnType<SignatureScheme["verify"]> {
  const { headers, url, method = "POST", now, key } = vector;
  const secrets = vector.secrets.map((name) => file.secrets[name] ?? "");
  const claims = vector.claims ?? file.claims;
  const attempt = { headers, body: bodyOf(vector), url, method };
  const place = scheme.keyPlace(attempt);
  if (typeof place === "object") return place;
  return scheme.verify(attempt, secrets, { now, key, claims });
}
