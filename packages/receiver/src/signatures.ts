// The whole entry of the internal package, which merchants get as `@countersign/receiver/signatures`.
export * from "@countersign/signatures";
