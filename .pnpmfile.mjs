// What `pnpm pack` leaves out of manifests: the entries and the condition that lead to sources, which are not
// packed, and what only development needs.
export const hooks = {
  beforePacking(manifest) {
    for (const [path, target] of Object.entries(manifest.exports ?? {}))
      if (typeof target === "object") delete target["@countersign/source"];
      else if (target.endsWith(".ts")) delete manifest.exports[path];
    delete manifest.devDependencies;
    return manifest;
  },
};
