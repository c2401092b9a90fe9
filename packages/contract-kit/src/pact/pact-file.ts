import { globSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The name of the payment interface's service in pacts. */
export const SERVICE = "countersign-service";

/** The members of an interaction that this kit reads. */
export interface PactInteraction {
  /** Unique among the pact's interactions; `verifyPacts` refuses pacts in which it is not. */
  readonly description: string;
  /** The names of its states. */
  readonly states: readonly string[];
  /** Id of the requirement that it is about: `comments.references.requirement.id`. */
  readonly requirement: string | undefined;
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

interface InteractionDocument {
  readonly description?: string;
  readonly providerStates?: readonly { readonly name?: string }[];
  readonly comments?: {
    readonly references?: { readonly requirement?: { readonly id?: string } };
  };
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
  return files.map((path) => {
    // Any member may be missing.
    const document = JSON.parse(readFileSync(path, "utf8"), keepNumbers) as PactDocument | null;
    if (typeof document !== "object" || document === null) throw new Error(`${path} is not a pact`);
    return pactOf(path, document);
  });
}

function pactOf(path: string, document: PactDocument): Pact {
  const { consumer, provider, interactions = [], messages = [] } = document;
  return {
    path,
    consumer: consumer?.name ?? "",
    provider: provider?.name ?? "",
    document,
    interactions: [...interactions, ...messages].map(interactionOf),
  };
}

function interactionOf(document: InteractionDocument): PactInteraction {
  const { description = "", providerStates = [], comments } = document;
  return {
    description,
    states: providerStates.map(({ name = "" }) => name),
    requirement: comments?.references?.requirement?.id,
  };
}

/** The pact with only some of its interactions. */
export function onlyWanted(
  { path, document }: Pact,
  wanted: (interaction: PactInteraction) => boolean,
): Pact {
  const { interactions = [], messages = [] } = document;
  const keep = (one: InteractionDocument): boolean => wanted(interactionOf(one));
  return pactOf(path, {
    ...document,
    interactions: interactions.filter(keep),
    ...(document.messages && { messages: messages.filter(keep) }),
  });
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
