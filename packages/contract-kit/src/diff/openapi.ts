import { posix } from "node:path";
import { valueAt } from "@countersign/schemas";
import { OutsideSubsetError } from "../derive/schema.ts";
import type { Schema, SchemaSet } from "../derive/schema.ts";
import { schemaSet } from "../derive/schema.ts";
import type { Direction } from "./rules.ts";

type Node = Readonly<Record<string, unknown>>;

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/**
 * Returns the schemas of an OpenAPI 3.1 document as documents of a set: the parameters and the body of each
 * request, each response's body, each webhook's body, and the components that they refer to.
 *
 * @throws {OutsideSubsetError} `CS_KIT_OUTSIDE_SUBSET`: another version, or a reference leads nowhere.
 */
export function openApiSet(document: Node): SchemaSet {
  const version = document["openapi"];
  if (typeof version !== "string" || !version.startsWith("3.1."))
    throw new OutsideSubsetError("#/openapi", `expected OpenAPI 3.1, got ${String(version)}`);
  const { components = {}, paths = {}, webhooks = {} } = document as Readonly<Record<string, Node>>;
  const files = new Map<string, Schema>();
  // A schema's place decides how its references are written.
  const put = (path: string, schema: unknown): void =>
    void files.set(
      `${path}.schema.json`,
      JSON.parse(JSON.stringify(schema ?? {}), relativeTo(path)) as Schema,
    );
  for (const [name, schema] of Object.entries((components["schemas"] as Node | undefined) ?? {}))
    put(`components/schemas/${name}`, schema);
  for (const [path, item] of Object.entries({ ...paths }))
    for (const [method, operation, inherited] of operations(item)) {
      const at = `${method} ${path.replaceAll("/", "~")}`;
      put(
        `requests/${at} parameters`,
        parametersOf([...inherited, ...list(operation["parameters"])]),
      );
      for (const [type, body] of contents(operation["requestBody"]))
        put(`requests/${at} ${type.replaceAll("/", "~")}`, body);
      for (const [status, response] of Object.entries(node(operation["responses"]))) {
        const bodies = contents(response);
        if (bodies.length === 0) put(`responses/${at} ${status}`, true);
        for (const [type, body] of bodies)
          put(`responses/${at} ${status} ${type.replaceAll("/", "~")}`, body);
      }
    }
  for (const [name, item] of Object.entries({ ...webhooks }))
    for (const [, operation] of operations(item))
      for (const [, body] of contents(operation["requestBody"])) put(`events/${name}`, body);
  return schemaSet(Object.fromEntries(files));

  function operations(item: unknown): (readonly [string, Node, readonly unknown[]])[] {
    const own = node(item);
    return METHODS.filter((method) => own[method] !== undefined).map((method) => [
      method,
      node(own[method]),
      list(own["parameters"]),
    ]);
  }

  /** An object of the parameters by place and name. Header names are in lower case. */
  function parametersOf(parameters: readonly unknown[]): Schema {
    const all = parameters.map(node).map(({ name, in: place, required, schema }) => ({
      key: `${String(place)} ${place === "header" ? String(name).toLowerCase() : String(name)}`,
      isRequired: required === true,
      schema: node(schema) as Schema,
    }));
    return {
      type: "object",
      additionalProperties: false,
      required: all.filter(({ isRequired }) => isRequired).map(({ key }) => key),
      properties: Object.fromEntries(all.map(({ key, schema }) => [key, schema])),
    };
  }

  function contents(body: unknown): readonly (readonly [string, unknown])[] {
    return Object.entries(node(node(body)["content"])).map(([type, one]) => [
      type,
      node(one)["schema"] ?? {},
    ]);
  }

  /** An object, behind its reference unless it is a schema's. */
  function node(value: unknown): Node {
    if (typeof value !== "object" || value === null) return {};
    const { $ref: ref } = value as { readonly $ref?: string };
    if (ref === undefined || ref.startsWith("#/components/schemas/")) return value as Node;
    const found = valueAt(document, ref.slice(1));
    if (found === undefined) throw new OutsideSubsetError(ref, "the reference leads nowhere");
    return node(found);
  }
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The writer of what a document of `openApiSet` describes; components are parts of others. */
export function openApiDirection(path: string): Direction | undefined {
  const [folder] = path.split("/");
  if (folder === "requests") return "request";
  if (folder === "responses") return "response";
  return folder === "events" ? "event" : undefined;
}

function relativeTo(path: string): (name: string, value: unknown) => unknown {
  return (name, value) =>
    name === "$ref" && typeof value === "string" && value.startsWith("#/components/schemas/")
      ? `${posix.relative(posix.dirname(path), value.slice(2))}.schema.json`
      : value;
}
