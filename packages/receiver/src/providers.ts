// The documents of providers, which merchants import by their names.
export * from "@countersign/schemas/providers";
