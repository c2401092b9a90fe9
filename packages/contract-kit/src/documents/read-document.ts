import { basename } from "node:path";
import { stepsOf } from "@countersign/schemas";
import { isRecord } from "../values.ts";
import { DocumentError } from "./document-error.ts";
import { type DescribedCall, type DescribedMessage, describedIn } from "./described.ts";
import { type EventType, eventTypes, kindOfType } from "./event-types.ts";
import type { JsonSchema } from "./json-schema.ts";
import { SchemaNormaliser } from "./schema-normaliser.ts";
import {
  filesInMemory,
  nameOfFile,
  readSourceFiles,
  type SourceFiles,
  type SourceNode,
} from "./source-files.ts";

/** The events that a document describes. */
export interface EventsDocument {
  readonly title: string;
  readonly events: readonly DocumentedEvent[];
  /** Named schemas that others refer to by `#/schemas/NAME`. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** File and JSON Pointer of each named schema. */
  readonly places: ReadonlyMap<string, string>;
  /** Requests, responses and webhooks, each with its writer: what `diff` compares. */
  readonly parts: readonly DocumentPart[];
}

export interface DocumentedEvent {
  /** The webhook's key in the document; a callback's or a message's name. */
  readonly key: string;
  /** The type of the event, else the key. */
  readonly name: string;
  /** The type's place, as in provider documents: `body:/type`, `header:x-github-event`. */
  readonly typeAt?: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, JsonSchema>>;
  readonly requiredHeaders: readonly string[];
  /** The schema of the body, often a `$ref`. */
  readonly schema: JsonSchema;
  readonly mediaType: string;
  readonly examples: readonly unknown[];
  /** Statuses that the receiver may answer. */
  readonly responses: readonly string[];
}

/** Something that is written by one side and read by the other. */
export interface DocumentPart {
  /** For example `requests/post ~v1~refunds application~json` or `events/payment.created headers`. */
  readonly name: string;
  /** Clients write requests, and the answers to webhooks; the service writes responses and events. */
  readonly direction: "request" | "response" | "event";
  readonly schema: JsonSchema;
}

export interface ReadOptions {
  /** The place of the events' type: `body:/type`, `/type` or `header:X-GitHub-Event`. Default: found by its values. */
  readonly eventType?: string | undefined;
  /** False accepts a document without events. Default true. */
  readonly needsEvents?: boolean;
}

/**
 * Reads the webhooks and callbacks of an OpenAPI document (3.0, with `x-webhooks`, to 3.2), the messages of an AsyncAPI document
 * (2 and 3), or a folder of JSON Schemas (`events/TYPE.schema.json`). Files are JSON or YAML.
 *
 * @param source A file, with the files in its folder or git repository that it refers to; a folder; or a parsed OpenAPI document.
 * @throws {DocumentError} One of `DocumentErrorCode`, which explains each, but `CS_DOCUMENT_NO_VALUE`.
 */
export async function readDocument(
  source: string | object,
  { eventType, needsEvents = true }: ReadOptions = {},
): Promise<EventsDocument> {
  const path = typeof source === "string" ? source : "document";
  const isPath = typeof source === "string";
  const files = isPath ? await readSourceFiles(source) : filesInMemory({ document: source });
  try {
    const document = files.isFolder ? folderDocument(path, files) : described(files, eventType);
    if (!needsEvents || document.events.length > 0) return document;
    const message = `${path} describes no event: expected webhooks, x-webhooks or callbacks`;
    throw new DocumentError("CS_DOCUMENT_NO_EVENTS", message);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new DocumentError("CS_DOCUMENT_TOO_LARGE", `${path} is nested too deep`, { cause });
  }
}

function described(files: SourceFiles, eventType: string | undefined): EventsDocument {
  // There is a first file.
  const root = files.roots[0] as SourceNode;
  const calls = describedIn(root);
  const normaliser = new SchemaNormaliser();
  const webhooks = calls.flatMap((call) => webhookIn(call, normaliser));
  const parts = calls.flatMap((call) => partsOf(call, normaliser));
  normaliser.refuseCircles();
  const types = eventTypes(webhooks, normaliser.schemas, eventType);
  const events = webhooks.flatMap(({ body, node, ...event }, index) =>
    (types[index] ?? []).map(({ isShared = false, ...type }): DocumentedEvent => {
      const kind = isShared ? kindOfType(body, type, normaliser.schemas) : body;
      return { ...event, ...type, schema: kind ?? normaliser.read(withType(node, type)) };
    }),
  );
  const { info } = isRecord(root.value) ? root.value : {};
  const title = isRecord(info) && typeof info["title"] === "string" ? info["title"] : "";
  const { schemas, places } = normaliser;
  return { title, events, schemas, places, parts };
}

interface WebhookNode extends Omit<DocumentedEvent, "name" | "typeAt" | "schema"> {
  readonly body: JsonSchema;
  readonly node: SourceNode;
}

/** A webhook with a body, of JSON if it has several; else none. */
function webhookIn(
  { key, isWebhook, request, responses }: DescribedCall,
  reader: SchemaNormaliser,
): readonly WebhookNode[] {
  const { bodies, parameters } = request;
  const body = bodies.find(({ mediaType }) => /[/+]json\b/.test(mediaType)) ?? bodies[0];
  if (!isWebhook || body === undefined) return [];
  const headers = parameters
    .filter(({ name }) => name.startsWith("header "))
    .map((one) => ({ ...one, name: one.name.slice("header ".length) }));
  const { schema: node, mediaType, examples } = body;
  const event = {
    key,
    node,
    body: reader.read(node),
    headers: Object.fromEntries(headers.map(({ name, schema }) => [name, reader.read(schema)])),
    requiredHeaders: headers.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    mediaType,
    examples,
    responses: responses.map(([status]) => status),
  };
  return [event];
}

/** The body of one event: where several share a schema that lists all their types, its own type remains. */
function withType(node: SourceNode, { name, typeAt }: EventType): SourceNode {
  if (typeAt?.startsWith("body:") !== true) return node;
  const narrowed = stepsOf(typeAt.slice("body:".length)).reduceRight<object>(
    (schema, step) => ({ type: "object", properties: { [step]: schema }, required: [step] }),
    { const: name },
  );
  return node.with({ allOf: [node.value, narrowed] });
}

/** What each side writes. */
function partsOf(call: DescribedCall, reader: SchemaNormaliser): readonly DocumentPart[] {
  const { key, owner, isWebhook, request, responses } = call;
  const at = [owner ?? [], key].flat().join(" ").replaceAll("/", "~");
  const [place, asked, answered] = isWebhook
    ? ([`events/${at}`, "event", "request"] as const)
    : ([`requests/${at}`, "request", "response"] as const);
  const written = (
    direction: DocumentPart["direction"],
    message: DescribedMessage,
    name: string,
    ofParameters = name,
  ): readonly DocumentPart[] => [
    { name: ofParameters, direction, schema: parametersOf(message, reader) },
    ...message.bodies.map(({ mediaType, schema }) => {
      const ofBody = `${name} ${mediaType.replaceAll("/", "~")}`;
      return { name: ofBody, direction, schema: reader.read(schema) };
    }),
  ];
  const answers = isWebhook ? `${place} response` : `responses/${at}`;
  return [
    ...written(asked, request, place, `${place} ${isWebhook ? "headers" : "parameters"}`),
    ...responses.flatMap(([status, one]) => written(answered, one, `${answers} ${status}`)),
  ];
}

/** An object of the parameters, and of the body if it must be sent. */
function parametersOf(
  { parameters, bodies, isBodyRequired }: DescribedMessage,
  reader: SchemaNormaliser,
): JsonSchema {
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const members = parameters.map(({ name, schema }) => [name, reader.read(schema)] as const);
  const body: readonly (readonly [string, JsonSchema])[] = bodies.length > 0 ? [["body", {}]] : [];
  return {
    type: "object",
    additionalProperties: false,
    required: isBodyRequired ? [...required, "body"] : required,
    properties: Object.fromEntries([...members, ...body]),
  };
}

/** The schemas of a folder, one in each file. @throws {DocumentError} See `readDocument`. */
export function folderDocument(path: string, files: SourceFiles): EventsDocument {
  const normaliser = new SchemaNormaliser();
  const referred = files.referred();
  const parts = files.roots.flatMap((root): DocumentPart[] => {
    const { file: name } = root;
    if (/(^|\/)providers\//.test(name)) return [];
    const direction = directionByPath(name, referred);
    const schema = normaliser.read(root.with({ $ref: encodeURIComponent(basename(name)) }));
    return direction === undefined ? [] : [{ name, direction, schema }];
  });
  normaliser.refuseCircles();
  const { schemas, places } = normaliser;
  const plain = { headers: {}, requiredHeaders: [], examples: [], responses: [] };
  const events = parts
    .filter(({ direction }) => direction === "event")
    .map(({ name: file, schema }): DocumentedEvent => {
      const name = nameOfFile(file);
      return { ...plain, key: name, name, mediaType: "application/json", schema };
    });
  return { title: basename(path), events, schemas, places, parts };
}

/** An answer is a file that is named so, or that no other file refers to. */
function directionByPath(
  path: string,
  referred: ReadonlySet<string>,
): DocumentPart["direction"] | undefined {
  if (/(^|\/)events\//.test(path)) return "event";
  if (path.endsWith("-request.schema.json") || /(^|\/)profiles\//.test(path)) return "request";
  if (/(^|\/)(refund|customer|problem|[a-z-]*-response|[a-z]+-error)\.schema\.json$/.test(path))
    return "response";
  return referred.has(path) ? undefined : "response";
}
