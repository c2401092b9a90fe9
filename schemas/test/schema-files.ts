import { fileURLToPath } from "node:url";
import * as profileModule from "@countersign/schemas/profile-validator";
import * as readerModule from "@countersign/schemas/readers";
import * as writerModule from "@countersign/schemas/writers";
import type { SchemaError, Validator } from "@countersign/schemas";
import { loadSchemas, type SchemaFile } from "../../scripts/schemas/load.ts";

export interface InvalidExample {
  readonly value: unknown;
  readonly reason: string;
  readonly pointer: string;
  readonly keyword: string;
}

export const files: readonly SchemaFile[] = loadSchemas(
  fileURLToPath(new URL("..", import.meta.url)),
);

export const examplesOf = ({ schema }: SchemaFile): readonly unknown[] =>
  schema["examples"] as readonly unknown[];
export const invalidOf = ({ schema }: SchemaFile): readonly InvalidExample[] =>
  schema["x-invalid"] as readonly InvalidExample[];

const validatorOf = (modules: object[], { title }: SchemaFile): Validator<unknown> | undefined => {
  const name = `validate${title === "WebhookEvent" ? "Event" : title}`;
  const found = new Map(modules.flatMap((module) => Object.entries(module)));
  // Everything that these modules export under such a name is a validator.
  return found.get(name) as Validator<unknown> | undefined;
};
export const writerOf = (file: SchemaFile): Validator<unknown> => {
  const validator = validatorOf([writerModule, profileModule], file);
  if (validator === undefined) throw new Error(`${file.path} has no writer's validator`);
  return validator;
};
export const readerOf = (file: SchemaFile): Validator<unknown> | undefined =>
  validatorOf([readerModule], file);

export const errorsOf = (validator: Validator<unknown>, value: unknown): readonly SchemaError[] => {
  const validation = validator(value);
  return validation.ok ? [] : validation.errors;
};

/** A value with a member more in every object of it. */
export function grown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(grown);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, grown(member)] as const);
  return { ...Object.fromEntries(members), addedLater: { at: 1 } };
}
