import { createRequire } from "node:module";

const load = createRequire(import.meta.url);

/**
 * Where a requirement is explained: in `docs/requirements.md` under its id. Ids are never renamed, and so
 * neither are the places. An address where the package's manifest names a home page, else a path in the
 * repository.
 */
export function requirementPage(id: string): string {
  const { homepage } = load("../../package.json") as { readonly homepage?: string };
  const base = homepage === undefined ? "" : `${homepage.replace(/\/?(#.*)?$/, "")}/`;
  return `${base}docs/requirements.md#${id.toLowerCase()}`;
}
