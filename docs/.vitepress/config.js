// Imported by an address, so that Node reads it: the bundler of this file does not know the target of its tsconfig.
const address = new URL("../../packages/dev/src/site/config.ts", import.meta.url).href;

export default (await import(address)).default;
