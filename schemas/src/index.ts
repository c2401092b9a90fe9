export type { Catalogue, CatalogueEntry } from "./catalogue.ts";
export { standardCatalogue } from "./generated/catalogue.ts";
export type * from "./generated/types.ts";
export { pointerOf, type Steps, stepsOf, valueAt, withValueAt } from "./pointer.ts";
export { referencePage } from "./reference.ts";
export { isHttpUrl, isTimestamp, lengthOf } from "./validation.ts";
export type { SchemaError, Validation, Validator } from "./validation.ts";
