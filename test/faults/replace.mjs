// Preloaded by `--import`: puts a fault into the sources of a process and its workers as they are loaded.
// No file changes, so that concurrent checks read the original ones.
import { registerHooks } from "node:module";
import process from "node:process";

const edits = JSON.parse(process.env.COUNTERSIGN_FAULT ?? "[]");

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const own = edits.filter(([file]) => url.endsWith(`/${file}`));
    if (own.length === 0) return loaded;
    let source = Buffer.from(loaded.source).toString();
    for (const [, find, replacement] of own) source = source.split(find).join(replacement);
    return { ...loaded, source };
  },
});
