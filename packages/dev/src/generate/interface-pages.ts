import { escapeProse, markdownPage, markdownTable } from "./markdown.ts";

const from = "the service's OpenAPI document";

interface Described {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Described>>;
  readonly required?: readonly string[];
  readonly items?: Described;
  readonly oneOf?: readonly Described[];
  readonly examples?: readonly unknown[];
}

interface Media {
  readonly content?: Readonly<Record<string, { readonly schema: Described }>>;
}

interface Operation extends Media {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly description: string;
  }[];
  readonly requestBody?: Media;
  readonly responses: Readonly<Record<string, Media & { readonly description: string }>>;
}

/** The part of an OpenAPI document that the pages show. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Described>> };
}

/** The page of the HTTP interface: its calls, and the bodies that they take and answer. */
export function httpPage({ paths, components: { schemas } }: OpenApi): string {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => ({ path, method, call })),
  );
  const used = new Set(calls.flatMap(({ call }) => mentioned(call, schemas)));
  return markdownPage(
    { title: "HTTP interface", from },
    "Calls of the `standard` profile, as the service and the sandbox answer them. A service serves this description as " +
      "`/openapi.json`. Codes are explained in [codes](codes.md).",
    ...calls.flatMap(({ path, method, call }) => {
      const { parameters = [], requestBody, responses } = call;
      const scopes = (call.security ?? []).flatMap((one) => Object.values(one).flat());
      const body = requestBody && bodyOf(requestBody);
      return [
        `## ${call.summary}`,
        `\`${method.toUpperCase()} ${path}\``,
        prose(call.description),
        ...(scopes.length === 0 ? [] : [`Scope: ${scopes.map((one) => `\`${one}\``).join(", ")}.`]),
        ...(body === undefined ? [] : [`Body: ${body}.`]),
        ...parameters.map((one) => `- \`${one.name}\` (${one.in}): ${one.description}`),
        markdownTable(
          ["status", "body", "meaning"],
          Object.entries(responses).map(([status, response]) => [
            status,
            bodyOf(response) ?? "",
            linked(response.description.replaceAll(/\s+/g, " ")),
          ]),
        ),
      ];
    }),
    "## Bodies",
    ...Object.keys(schemas)
      .filter((name) => used.has(name))
      .flatMap((name) => schemaSection(name, schemas)),
  );
}

/** The page of the events: when each is sent, its data, and a sample. */
export function eventsPage(
  rows: readonly { readonly type: string; readonly category: string; readonly title: string }[],
  { components: { schemas } }: OpenApi,
): string {
  const categories = Map.groupBy(rows, ({ category }) => category);
  return markdownPage(
    { title: "Events", from },
    "The events of the `standard` profile. Each is one JSON document with `id`, `type`, `category`, `timestamp` and `data`. Senders add types " +
      "and members without notice.",
    ...[...categories].flatMap(([category, inside]) => [
      `## ${category}`,
      ...inside.flatMap(({ type, title }) => {
        const event = schemas[title] ?? {};
        return [
          `### ${type}`,
          prose(event.description ?? ""),
          membersTable(event.properties?.["data"] ?? {}, schemas),
          `\`\`\`json\n${JSON.stringify(event.examples?.[0], null, 2)}\n\`\`\``,
        ];
      }),
    ]),
  );
}

function schemaSection(name: string, schemas: OpenApi["components"]["schemas"]): readonly string[] {
  const schema = schemas[name] ?? {};
  const kinds = schema.oneOf?.map((kind) => linkTo(nameOf(kind) ?? "")) ?? [];
  const example = schema.properties === undefined ? undefined : schema.examples?.[0];
  return [
    `### ${name}`,
    prose(schema.description ?? ""),
    ...(kinds.length === 0 ? [] : [`One of ${kinds.join(", ")}.`]),
    ...(schema.properties === undefined ? [] : [membersTable(schema, schemas)]),
    ...(example === undefined ? [] : [`\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``]),
  ];
}

function membersTable(schema: Described, schemas: OpenApi["components"]["schemas"]): string {
  return markdownTable(
    ["member", "type", "meaning"],
    membersOf(schema, schemas, "").map(([member, type, meaning]) => [
      `\`${member}\``,
      type,
      prose(meaning),
    ]),
  );
}

type Row = readonly [member: string, type: string, meaning: string];

function membersOf(
  given: Described,
  schemas: OpenApi["components"]["schemas"],
  prefix: string,
): readonly Row[] {
  const schema = { ...schemas[nameOf(given) ?? ""], ...given };
  const kinds = (schema.oneOf ?? []).flatMap((kind) => membersOf(kind, schemas, prefix));
  const { properties = {}, required = [] } = schema;
  const rows = Object.entries(properties).flatMap(([name, member]): readonly Row[] => {
    const target = { ...schemas[nameOf(member) ?? ""], ...member };
    const path = `${prefix}${name}${required.includes(name) ? "" : "?"}`;
    const meaning = target.description ?? "";
    return [
      [path, typeOf(target), meaning],
      ...(target.properties === undefined ? [] : membersOf(target, schemas, `${prefix}${name}.`)),
    ];
  });
  return [...new Map([...kinds, ...rows].map((row) => [row[0], row])).values()];
}

function typeOf({ type, const: only, enum: values, items, title }: Described): string {
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  if (title === "ErrorCode") return "[a code](codes.md#http-interface)";
  if (values !== undefined) return values.map((one) => `\`${JSON.stringify(one)}\``).join(", ");
  if (items !== undefined) return `list of ${typeOf(items)}`;
  return [type ?? title ?? "text"].flat().join(" or ");
}

const nameOf = ({ $ref: ref }: Described): string | undefined => ref?.split("/").at(-1);

const linkTo = (name: string): string => `[${name}](#${name.toLowerCase()})`;

function bodyOf({ content = {} }: Media): string | undefined {
  const names = Object.values(content).map(({ schema }) => nameOf(schema) ?? "");
  return names.length === 0 ? undefined : [...new Set(names)].map(linkTo).join(" or ");
}

/** The names of the schemas that a call refers to, and of those that these refer to. */
function mentioned(part: object, schemas: OpenApi["components"]["schemas"]): readonly string[] {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, name = ""] of JSON.stringify(value).matchAll(/#\/components\/schemas\/(\w+)/g))
      if (!found.has(name)) {
        found.add(name);
        visit(schemas[name] ?? {});
      }
  };
  visit(part);
  return [...found];
}

/** Codes at the start of a sentence lead to their explanation. */
const linked = (text: string): string =>
  text.replaceAll(/`([A-Z]+(?:_[A-Z]+)+|UNAUTHENTICATED)`(?=:)/g, "[`$1`](codes.md#$1)");

/** Leaves out the sections of the interface's specification, which are for its authors. */
const prose = (text: string): string =>
  escapeProse(
    text
      .replaceAll(/ ?\([Ii]nterface sections? [^)]*\)/g, "")
      .replaceAll(/ ?Interface sections? \d[\d.]*(?: and [\d.]+)?(?: shows [^.]*)?\.(?= |$)/g, "")
      .trim(),
  );
