// What `pnpm pack` and `pnpm publish` leave out of manifests: the condition that leads to sources, which
// are not packed, and what only development needs.
export const hooks = {
  beforePacking(manifest) {
    for (const target of Object.values(manifest.exports ?? {}))
      delete target["@countersign/source"];
    delete manifest.devDependencies;
    return manifest;
  },
};
