import { isRecord } from "../values.ts";
import { DocumentError } from "./document-error.ts";
import { inside, type SourceFiles, type SourceNode } from "./source-files.ts";

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
  readonly isWebhook: boolean;
  readonly request: DescribedMessage;
  /** By status. */
  readonly responses: readonly (readonly [status: string, response: DescribedMessage])[];
}

const METHODS = "get put post delete options head patch trace query".split(" ");

/** Finds calls and webhooks in OpenAPI 3.0 to 3.2 and AsyncAPI 3. @throws {DocumentError} See `readDocument`. */
export function describedIn(root: SourceNode, files: SourceFiles): readonly DescribedCall[] {
  const document = membersAt(root);
  const { openapi, swagger, asyncapi } = document;
  const version = [openapi, asyncapi].find((one) => typeof one === "string") ?? "";
  if (typeof asyncapi === "string" && version.startsWith("3.")) return messages();
  if (typeof openapi !== "string" || !/^3\.[0-2](?:\.|$)/.test(openapi)) {
    const found = swagger ?? asyncapi ?? openapi;
    const what = asyncapi === undefined ? "OpenAPI" : "AsyncAPI";
    const is = found === undefined ? "" : `: it is ${what} ${JSON.stringify(found)}`;
    const message = `${root.file} is not OpenAPI 3.0 to 3.2 or AsyncAPI 3${is}`;
    throw new DocumentError("CS_DOCUMENT_UNSUPPORTED", message);
  }
  return [
    ...webhooksIn(member(root, "webhooks")),
    ...webhooksIn(member(root, "x-webhooks")),
    ...entries(member(root, "paths")).flatMap(([path, item]) =>
      operations(item).flatMap(([method, operation]) => [
        call(`${method} ${path}`, false, item, operation),
        ...entries(member(operation, "callbacks")).flatMap(([name, callback]) =>
          entries(callback).flatMap(([, of]) =>
            operations(of).map(([, one]) => call(name, true, of, one)),
          ),
        ),
      ]),
    ),
  ];

  function webhooksIn(webhooks: SourceNode): readonly DescribedCall[] {
    return entries(webhooks).flatMap(([key, item]) =>
      operations(item).map(([, operation]) => call(key, true, item, operation)),
    );
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
      isBodyRequired: membersAt(body)["required"] === true,
    };
    const responses = entries(member(operation, "responses")).map(([status, response]) => {
      const headers = entries(member(response, "headers")).map(([name, header]) =>
        parameter(header, `header ${name.toLowerCase()}`),
      );
      const answer = { bodies: bodiesOf(response), parameters: headers, isBodyRequired: false };
      return [status, answer] as const;
    });
    return { key, isWebhook, request, responses };
  }

  function parameters(of: SourceNode): DescribedMessage["parameters"] {
    return items(member(of, "parameters")).map((one) => {
      const { name, in: place } = membersAt(one);
      return parameter(one, `${String(place)} ${String(name)}`.replace(/^header .*/, lowerCase));
    });
  }

  function parameter(of: SourceNode, name: string): DescribedMessage["parameters"][number] {
    const [first] = entries(member(of, "content"));
    const schema = schemaOf(first === undefined ? of : first[1]);
    return { name, isRequired: membersAt(of)["required"] === true, schema };
  }

  function bodiesOf(of: SourceNode): DescribedMessage["bodies"] {
    return entries(member(of, "content")).map(([mediaType, media]) => {
      const named = entries(member(media, "examples")).map(([, one]) => {
        const { value, dataValue = value } = membersAt(one);
        return dataValue;
      });
      const examples = [membersAt(media)["example"], ...named].filter((one) => one !== undefined);
      return { mediaType, schema: schemaOf(media), examples };
    });
  }

  function operations(item: SourceNode): readonly (readonly [string, SourceNode])[] {
    return entries(item).filter(([method]) => METHODS.includes(method));
  }

  /** AsyncAPI 3: each message of a channel is an event. */
  function messages(): readonly DescribedCall[] {
    return entries(member(root, "channels")).flatMap(([, channel]) =>
      entries(member(channel, "messages")).map(([key, message]) => {
        const { name = key, payload = {} } = membersAt(message);
        const { contentType = document["defaultContentType"] } = membersAt(message);
        const mediaType = typeof contentType === "string" ? contentType : "application/json";
        const isWrapped = isRecord(payload) && "schemaFormat" in payload;
        const whole = inside(message, payload, "payload");
        const schema = isWrapped ? inside(whole, payload["schema"] ?? {}, "schema") : whole;
        const examples = items(member(message, "examples")).flatMap(
          (one) => membersAt(one)["payload"] ?? [],
        );
        const headers = member(message, "headers");
        const { required } = membersAt(headers);
        const ofHeaders = entries(member(headers, "properties")).map(([header, of]) => ({
          name: `header ${header.toLowerCase()}`,
          isRequired: Array.isArray(required) && required.includes(header),
          schema: of,
        }));
        const bodies = [{ mediaType, schema, examples }];
        const request = { bodies, parameters: ofHeaders, isBodyRequired: true };
        return { key: String(name), isWebhook: true, request, responses: [] };
      }),
    );
  }

  /** A member, behind its references; `undefined` in it if there is none. */
  function member(of: SourceNode, name: string): SourceNode {
    const members = membersAt(of);
    return followed(inside(of, Object.hasOwn(members, name) ? members[name] : undefined, name));
  }

  function entries(of: SourceNode): readonly (readonly [string, SourceNode])[] {
    return Object.keys(membersAt(of)).map((name) => [name, member(of, name)] as const);
  }

  function items(of: SourceNode): readonly SourceNode[] {
    const list: readonly unknown[] = Array.isArray(of.value) ? of.value : [];
    return list.map((one, index) => followed(inside(of, one, index)));
  }

  /** A schema keeps its reference, by which it is named. */
  function schemaOf(of: SourceNode): SourceNode {
    const { schema = {} } = membersAt(of);
    return inside(of, schema, "schema");
  }

  function followed(of: SourceNode): SourceNode {
    let at = of;
    for (let count = 0; count < 100; count += 1) {
      const { $ref: reference } = membersAt(at);
      if (typeof reference !== "string") return at;
      at = files.follow(reference, at);
    }
    const message = `${of.file}#${of.pointer}: the $ref leads back to itself`;
    throw new DocumentError("CS_DOCUMENT_REFERENCE_CIRCULAR", message);
  }
}

const membersAt = ({ value }: SourceNode): Members => (isRecord(value) ? value : {});

const lowerCase = (text: string): string => text.toLowerCase();
