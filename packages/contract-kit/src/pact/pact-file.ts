import { globSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { basicOf, type HttpAnswer, type HttpCall, type Send } from "../http-send.ts";

/** The members of an interaction that this kit reads. */
export interface PactInteraction {
  /** Unique among the pact's interactions; `verifyPacts` refuses pacts in which it is not. */
  readonly description: string;
  readonly kind: "http" | "message";
  readonly states: readonly PactState[];
  /** Id of the requirement that it is about: `comments.references.requirement.id`. */
  readonly requirement: string | undefined;
}

export interface PactState {
  readonly name: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A contract of one consumer with one provider, of version 3 or 4 of Pact's specification. */
export interface Pact {
  readonly path: string;
  readonly consumer: string;
  readonly provider: string;
  readonly interactions: readonly PactInteraction[];
  /** The whole document; numbers keep their source text. */
  readonly document: PactDocument;
}

/** The members that are read. Each may be missing: others write these files. */
interface PactDocument {
  readonly consumer?: { readonly name?: string };
  readonly provider?: { readonly name?: string };
  readonly interactions?: readonly InteractionDocument[];
  /** Present in version 3 of the format only. */
  readonly messages?: readonly InteractionDocument[];
}

export interface InteractionDocument {
  readonly type?: string;
  readonly description?: string;
  readonly providerStates?: readonly {
    readonly name?: string;
    readonly params?: Readonly<Record<string, unknown>>;
  }[];
  readonly comments?: {
    readonly references?: { readonly requirement?: { readonly id?: string } };
  };
  readonly request?: { readonly headers?: Readonly<Record<string, unknown>> };
}

/**
 * The pacts of files, and of the files `*.json` in folders.
 *
 * @throws {Error} One cannot be read, or is not JSON.
 */
export function readPacts(paths: readonly string[]): readonly Pact[] {
  const files = paths.flatMap((path) =>
    statSync(path).isDirectory()
      ? globSync("*.json", { cwd: path })
          .toSorted()
          .map((name) => join(path, name))
      : [path],
  );
  return files.map((path) => pactOf(path, readFileSync(path, "utf8")));
}

function pactOf(path: string, text: string): Pact {
  // Validated below: any member may be missing.
  const document = JSON.parse(text, keepNumbers) as PactDocument | null;
  if (typeof document !== "object" || document === null) throw new Error(`${path} is not a pact`);
  const { consumer, provider, interactions = [], messages = [] } = document;
  const all = [
    ...interactions,
    ...messages.map((message) => ({ ...message, type: "Asynchronous/Messages" })),
  ];
  return {
    path,
    consumer: consumer?.name ?? "",
    provider: provider?.name ?? "",
    document,
    interactions: all.map(({ type, description = "", providerStates = [], comments }) => ({
      description,
      kind: type?.endsWith("/Messages") === true ? "message" : "http",
      states: providerStates.map(({ name = "", params = {} }) => ({ name, params })),
      requirement: comments?.references?.requirement?.id,
    })),
  };
}

type RawJson = (text: string) => unknown;

/** A number that keeps its source text: `1.0` would become `1`, which is another body. */
function keepNumbers(_name: string, value: unknown, context?: { source?: string }): unknown {
  // Node has both since version 21; the types of ES2024 do not know them yet.
  const { rawJSON } = JSON as unknown as { readonly rawJSON: RawJson };
  return typeof value === "number" && context?.source !== undefined
    ? rawJSON(context.source)
    : value;
}

/** The folder of the pacts of `@countersign/contracts`. */
export function standardPacts(): string {
  const pact = "@countersign/contracts/pacts/countersign-client-countersign-service.json";
  return dirname(createRequire(import.meta.url).resolve(pact));
}

/**
 * Placeholders for values that only the verification knows. Each call replaces them, so that
 * pacts contain no secret and no expired signature.
 */
export const ACCESS_TOKEN = "ACCESS_TOKEN";
/** The credentials of HTTP Basic at the token endpoint. */
export const CLIENT_ID = "CLIENT_ID";
export const CLIENT_SECRET = "CLIENT_SECRET";
/** The signature of no bytes: of the form, and never genuine. */
export const SIGNATURE: string = `v1,${"A".repeat(43)}=`;

/** The header of HTTP Basic at the token endpoint. */
export function basic(id: string, secret: string): string {
  return `Basic ${basicOf({ id, secret })}`;
}

/** The verified side of a pact: its name in pacts, its transport and its states. */
export interface PactProvider {
  /** The provider's name in the pacts; pacts of other providers are left out. */
  readonly name: string;
  /** Sends a call to the provider. */
  readonly send: Send;
  /**
   * Brings the provider into a state.
   *
   * @returns Values for the pact's expressions, such as `paymentId` for `${paymentId}`.
   * @throws {Error} It could not: the interaction fails with the message.
   */
  readonly enter: (
    state: string,
    params: Readonly<Record<string, unknown>>,
  ) => Promise<Readonly<Record<string, unknown>>>;
  /**
   * The message of an interaction, which the provider sends in the present state.
   *
   * @throws {Error} It sent none.
   */
  readonly message?: (description: string) => Promise<PactMessage>;
  /**
   * Completes a pact's call for the provider: inserts a token, signs the bytes. Default: the
   * call as it is.
   */
  readonly prepare?: (
    call: HttpCall,
    interaction: PactInteraction | undefined,
  ) => Promise<HttpCall>;
  /** The faults of a response that a pact cannot express, a line each: closed schemas, bounds, signatures. */
  readonly judge?: (call: HttpCall, answer: HttpAnswer) => readonly string[];
  /** Returns the faults of a message, as `judge` does those of a response. */
  readonly judgeMessage?: (message: PactMessage) => readonly string[];
}

export interface PactMessage {
  readonly body: Uint8Array;
  /** Its headers; `contentType` is the media type. */
  readonly metadata: Readonly<Record<string, string>>;
}
