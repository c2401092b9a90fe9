// Loads a vendor's SDK, which can be resolved from this folder only.
export const sdk = (name) => import(name);
