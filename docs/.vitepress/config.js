// Imported by an address, so that Node reads it: the bundler of this file does not know the target of its tsconfig.
const address = new URL("../../packages/dev/src/site/config.ts", import.meta.url).href;

// oxlint-disable-next-line typescript/no-unsafe-member-access -- this module has no types
export default (await import(address)).default;
