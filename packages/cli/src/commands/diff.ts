import { type Change, diffDocuments, type Severity } from "@countersign/contract-kit/diff";
import { readDocument } from "@countersign/contract-kit/documents";
import { define } from "../command.ts";
import { withinStack } from "../documents.ts";
import * as option from "../options.ts";
import type { Tone } from "../terminal.ts";

const help = `
Compares two OpenAPI documents (3.0 to 3.2, JSON or YAML), two AsyncAPI documents (2 or 3), or the *.schema.json files
below two folders. Which peers a change breaks depends on the writer: clients write requests and the answers to
webhooks, the service writes responses and webhooks. In a folder, files below events/ are events, *-request are
requests, profiles are written by the operator of a service, the rest are responses.

ERR breaks correct peers; WARN may break peers that relied on something not promised; INFO breaks no peer.

Exits with 1 if a change is at least as severe as --fail-on, with 2 if a document cannot be read, otherwise with 0.

Examples:
  countersign diff openapi-1.0.yaml openapi-1.1.yaml
  countersign diff openapi-1.0.yaml openapi-1.1.yaml --open-enums
  countersign diff schemas-1.0 schemas-1.1
  countersign diff old new --fail-on WARN --json`;

const severities: readonly Severity[] = ["ERR", "WARN", "INFO"];

export const definition = define({
  args: {
    "<old>": "old OpenAPI or AsyncAPI file, or folder of schemas",
    "<new>": "new OpenAPI or AsyncAPI file, or folder of schemas",
  },
  options: {
    openEnums: option.flag("take each list of values as open for readers"),
    failOn: option.byDefault(
      option.choice("<severity>", "lowest severity that exits with 1", severities),
      "ERR",
    ),
    json: option.json,
  },
  help,
  run: async (
    { failOn, openEnums = false, json },
    { terminal },
    { args: [old = "", now = ""] },
  ) => {
    const reading = { needsEvents: false };
    const [before, after] = [await readDocument(old, reading), await readDocument(now, reading)];
    const changes = await withinStack(() => diffDocuments(before, after, { openEnums }));
    if (json === true) terminal.json({ changes });
    else {
      for (const change of changes) terminal.out(lineOf(change), tones[change.severity]);
      terminal.err(summaryOf(changes));
    }
    const limit = severities.indexOf(failOn);
    return changes.every((change) => severities.indexOf(change.severity) > limit);
  },
});

const tones: Readonly<Record<Severity, Tone>> = { ERR: "bad", WARN: "mild", INFO: "soft" };

function lineOf({ severity, direction, rule, place, message }: Change): string {
  const what = place === `${message}#` || place.endsWith(`/${message}`) ? "" : `  ${message}`;
  return `${severity.padEnd(4)}  ${direction.padEnd(8)}  ${rule}  ${place}${what}`;
}

function summaryOf(changes: readonly Change[]): string {
  const counts = severities.map(
    (severity) => `${changes.filter((one) => one.severity === severity).length} ${severity}`,
  );
  return `${changes.length} change${changes.length === 1 ? "" : "s"}: ${counts.join(", ")}`;
}
