import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

/** Writes an OpenAPI document with a body for each webhook. @returns Its path. */
export function openApi(
  bodies: Readonly<Record<string, object>>,
  {
    schemas = {},
    parameters = [],
    folder = temporaryFolder(),
    title = "Shop",
  }: {
    readonly schemas?: Readonly<Record<string, object>>;
    readonly parameters?: readonly object[];
    readonly folder?: string;
    readonly title?: string;
  } = {},
): string {
  const webhooks = Object.entries(bodies).map(([key, schema]): [string, unknown] => [
    key,
    { post: { parameters, requestBody: { content: { "application/json": { schema } } } } },
  ]);
  const document = {
    openapi: "3.1.0",
    info: { title, version: "1" },
    webhooks: Object.fromEntries<unknown>(webhooks),
    components: { schemas },
  };
  const file = join(folder, "openapi.json");
  writeFileSync(file, JSON.stringify(document));
  return file;
}

/** The body of an event that has its type in a member. */
export const eventBody = (type: string, data: object): object => ({
  type: "object",
  required: ["id", "type", "data"],
  properties: { id: { type: "string" }, type: { const: type }, data },
});
