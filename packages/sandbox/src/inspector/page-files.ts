import { readFileSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";

/** A static file as it is answered. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Whether its name holds a hash of its content. */
  readonly isImmutable: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * The page's files by the paths that they are called by, read once: no path of a call ever reaches the
 * file system.
 *
 * @throws {Error} The folder cannot be read, or has no `index.html`.
 */
export function pageFiles(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const path = `/inspector/${name.replaceAll("\\", "/")}`;
    const isImmutable = path.startsWith("/inspector/assets/");
    files.set(path, { type, bytes: readFileSync(join(folder, name)), isImmutable });
  }
  const index = files.get("/inspector/index.html");
  if (index === undefined) throw new Error(`${folder} holds no page: index.html is missing`);
  files.set("/inspector/", index);
  return files;
}
