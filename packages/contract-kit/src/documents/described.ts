import { isRecord } from "../values.ts";
import { DocumentError } from "./document-error.ts";
import type { SourceNode } from "./source-files.ts";

type Members = Readonly<Record<string, unknown>>;

/** Bodies by media type, and what is beside them. */
export interface DescribedMessage {
  readonly bodies: readonly {
    readonly mediaType: string;
    readonly schema: SourceNode;
    readonly examples: readonly unknown[];
  }[];
  /** Headers, and a request's other parameters: `header x-signature`, `query limit`. */
  readonly parameters: readonly {
    readonly name: string;
    readonly isRequired: boolean;
    readonly schema: SourceNode;
  }[];
  readonly isBodyRequired: boolean;
}

/** A call, or a webhook: a call that the service makes. */
export interface DescribedCall {
  /** A webhook's key, or method and path. */
  readonly key: string;
  /** The call of a callback, or the channel of a message: others may have the same key. */
  readonly owner?: string;
  readonly isWebhook: boolean;
  readonly request: DescribedMessage;
  /** By status. */
  readonly responses: readonly (readonly [status: string, response: DescribedMessage])[];
}

const METHODS = "get put post delete options head patch trace query".split(" ");

/** Finds calls and webhooks in OpenAPI 3.0 to 3.2 and AsyncAPI 2 and 3. @throws {DocumentError} See `readDocument`. */
export function describedIn(root: SourceNode): readonly DescribedCall[] {
  const { openapi, swagger, asyncapi } = membersOf(root);
  if (typeof asyncapi === "string" && /^[23]\./.test(asyncapi)) return messagesIn(root);
  if (typeof openapi !== "string" || !/^3\.[0-2](?:\.|$)/.test(openapi)) {
    const found = swagger ?? asyncapi ?? openapi;
    const what = asyncapi === undefined ? "OpenAPI" : "AsyncAPI";
    const is = found === undefined ? "" : `: it is ${what} ${JSON.stringify(found)}`;
    const message = `${root.file} is neither OpenAPI 3.0 to 3.2 nor AsyncAPI 2 or 3${is}`;
    throw new DocumentError("CS_DOCUMENT_UNSUPPORTED", message);
  }
  const webhooks = (key: string, item: SourceNode, owner?: string): readonly DescribedCall[] =>
    operations(item).map(([, operation]) => ({
      ...call(key, true, item, operation),
      ...(owner !== undefined && { owner }),
    }));
  return [
    ...["webhooks", "x-webhooks"].flatMap((name) =>
      entries(root, name).flatMap(([key, item]) => webhooks(key, item)),
    ),
    ...entries(root, "paths").flatMap(([path, item]) =>
      operations(item).flatMap(([method, operation]) => {
        const key = `${method} ${path}`;
        const callbacks = entries(operation, "callbacks").flatMap(([name, callback]) =>
          entries(callback).flatMap(([, one]) => webhooks(name, one, key)),
        );
        return [call(key, false, item, operation), ...callbacks];
      }),
    ),
  ];
}

function call(
  key: string,
  isWebhook: boolean,
  item: SourceNode,
  operation: SourceNode,
): DescribedCall {
  const body = member(operation, "requestBody");
  const request = {
    bodies: bodiesOf(body),
    parameters: [...parameters(item), ...parameters(operation)],
    isBodyRequired: membersOf(body)["required"] === true,
  };
  const responses = entries(operation, "responses").map(([status, response]) => {
    const headers = entries(response, "headers").map(([name, header]) =>
      parameter(header, `header ${name.toLowerCase()}`),
    );
    const answer = { bodies: bodiesOf(response), parameters: headers, isBodyRequired: false };
    return [status, answer] as const;
  });
  return { key, isWebhook, request, responses };
}

function operations(item: SourceNode): readonly (readonly [string, SourceNode])[] {
  return entries(item).filter(([method]) => METHODS.includes(method));
}

function parameters(of: SourceNode): DescribedMessage["parameters"] {
  return entries(of, "parameters").map(([, one]) => {
    const { name, in: place } = membersOf(one);
    const words = `${String(place)} ${String(name)}`;
    return parameter(one, place === "header" ? words.toLowerCase() : words);
  });
}

function parameter(of: SourceNode, name: string): DescribedMessage["parameters"][number] {
  const [[, media] = [undefined, of]] = entries(of, "content");
  return { name, isRequired: membersOf(of)["required"] === true, schema: schemaIn(media) };
}

function bodiesOf(of: SourceNode): DescribedMessage["bodies"] {
  return entries(of, "content").map(([mediaType, media]) => {
    const named = entries(media, "examples").map(([, one]) => {
      const { value, dataValue = value } = membersOf(one);
      return dataValue;
    });
    const examples = [membersOf(media)["example"], ...named].filter((one) => one !== undefined);
    return { mediaType, schema: schemaIn(media), examples };
  });
}

/** AsyncAPI: each message of a channel is an event. */
function messagesIn(root: SourceNode): readonly DescribedCall[] {
  const { defaultContentType } = membersOf(root);
  const messages = entries(root, "channels").flatMap(([channel, item]) => [
    ...entries(item, "messages").map(([key, message]) => [channel, key, message] as const),
    // Version 2.
    ...["publish", "subscribe"].flatMap((name) => {
      const message = member(member(item, name), "message");
      const kinds = entries(message, "oneOf").map(([, kind]) => kind);
      const all = kinds.length > 0 ? kinds : message.value === undefined ? [] : [message];
      return all.map((one) => [channel, componentOf(one) ?? channel, one] as const);
    }),
  ]);
  return messages.map(([owner, key, message]) => {
    const members = membersOf(message);
    const { messageId = key, name = messageId, contentType = defaultContentType } = members;
    const mediaType = typeof contentType === "string" ? contentType : "application/json";
    const examples = entries(message, "examples").flatMap(
      ([, one]) => membersOf(one)["payload"] ?? [],
    );
    const traits = entries(message, "traits").map(([, trait]) => trait);
    const described = [message, ...traits].flatMap((part) => {
      const headers = member(part, "headers");
      const { required } = membersOf(headers);
      return entries(headers, "properties").map(([header, schema]) => ({
        name: `header ${header.toLowerCase()}`,
        isRequired: Array.isArray(required) && required.includes(header),
        schema,
      }));
    });
    const bodies = [{ mediaType, schema: payloadOf(message), examples }];
    const request = { bodies, parameters: described, isBodyRequired: true };
    return { key: String(name), owner, isWebhook: true, request, responses: [] };
  });
}

/** The schema of a message: of any value if its format is another one than JSON Schema. */
function payloadOf(message: SourceNode): SourceNode {
  const { payload = {}, schemaFormat = "" } = membersOf(message);
  const isOther = (format: unknown): boolean => /avro|protobuf|raml/i.test(String(format));
  const own = message.inside(payload, "payload");
  if (isOther(schemaFormat)) return own.with({});
  const wrapped = followed(own);
  const { schemaFormat: format } = membersOf(wrapped);
  if (format === undefined) return own;
  return isOther(format) ? own.with({}) : schemaIn(wrapped);
}

/** The name of a component. */
const componentOf = ({ pointer }: SourceNode): string | undefined =>
  /^\/components\/\w+\/(.+)$/.exec(pointer)?.[1];

/** A schema keeps its reference, by which it is named. */
function schemaIn(of: SourceNode): SourceNode {
  const { schema = {} } = membersOf(of);
  return of.inside(schema, "schema");
}

/** The members of an object, or the items of a list, behind their references; of what is in a member, if one is named. */
function entries(of: SourceNode, name?: string): readonly (readonly [string, SourceNode])[] {
  if (name !== undefined) return entries(member(of, name));
  const { value } = of;
  const inner = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return inner.map(([key, one]) => [key, followed(of.inside(one, key))] as const);
}

/** A member, behind its references; `undefined` in it if there is none. */
function member(of: SourceNode, name: string): SourceNode {
  const members = membersOf(of);
  return followed(of.inside(Object.hasOwn(members, name) ? members[name] : undefined, name));
}

function followed(of: SourceNode): SourceNode {
  let at = of;
  for (let count = 0; count < 100; count += 1) {
    const { $ref: reference } = membersOf(at);
    if (typeof reference !== "string") return at;
    at = at.follow(reference);
  }
  const message = `${of.place}: the $ref leads back to itself`;
  throw new DocumentError("CS_DOCUMENT_REFERENCE_CIRCULAR", message);
}

const membersOf = ({ value }: SourceNode): Members => (isRecord(value) ? value : {});
