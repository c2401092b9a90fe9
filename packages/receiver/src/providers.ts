// The documents of providers, which merchants import by their names.
import type { EventTypeMap } from "@countersign/schemas";
import { reference as document } from "@countersign/schemas/providers";
import type { TypedProvider } from "./provider.ts";

export * from "@countersign/schemas/providers";

/** The reference payment service, with the types of its events. */
export const reference: TypedProvider<EventTypeMap> = document;
