// The entry `./catalogue`: what a generated module of another provider's events imports.
export type { Catalogue, CatalogueEntry } from "@countersign/schemas";
export { type JudgedSchema, readerOf } from "@countersign/schemas/reader-of";
