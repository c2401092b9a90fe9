// The entry `./catalogue`: what a generated module of another provider's events imports.
export type { Catalogue, CatalogueEntry } from "@countersign/schemas";
