import { importRecords, readImportLines, systemClock } from "@countersign/service";
import { define } from "../command.ts";
import { dataHelp, withServiceData } from "../database.ts";
import { readInput } from "../failure.ts";
import * as option from "../options.ts";

const format = `FILE has one JSON object a line (the last two are wrapped here):

  {"kind":"merchant","id":"mer_1","name":"Example Ltd"}
  {"kind":"client","merchantId":"mer_1","id":"cli_1"}
  {"kind":"customer","merchantId":"mer_1","id":"cus_1","firstName":"Ada",
   "lastName":"Osei","email":"ada@example.com","customerStatus":"ACTIVE",
   "accountDetails":{"financialInstitutionName":"Example Bank",
   "accountLastFourDigits":"0042","accountType":"checking"}}
  {"kind":"payment","merchantId":"mer_1","paymentId":"pay_1",
   "customerId":"cus_1","requestKey":"order-1",
   "amount":{"currency":"USD","value":25.00},"paymentStatus":"SUCCEEDED"}`;

const help = `
All lines are imported in one transaction, or none: an error names its line and the JSON Pointer of the member, and the
command exits with 1. A file can be imported again: what is stored as a line says stays as it is.
Creates the SQLite file if it does not exist, also with --dry-run.

  merchant  changes the name of a stored merchant
  client    prints CLIENT_ID:SECRET once, since only a hash of the secret is stored; optional: scopes (default: all of the profile), secretVersion (raise it for a new secret), overlapHours (of the old secret, default 24), disabled (true: refused from now on, for good)
  customer  changes customerStatus and links a first account; another name, email or account is RECORD_DIFFERS
  payment   is found by requestKey; changes paymentStatus; another amount, customer or reference is DUPLICATE_REQUEST_KEY; optional: paymentId, clientReferenceId, creationDate, settlementDate
${dataHelp}  countersign serve import records.jsonl --dry-run
  CLIENT=$(countersign serve import records.jsonl)`;

export const importFile = define({
  description: format,
  args: { "<file>": "JSON lines; - is standard input" },
  options: {
    database: option.serviceDatabase,
    profile: option.profile,
    dryRun: option.flag("check every line and import nothing"),
    json: option.flag("print one JSON object instead of text"),
  },
  help,
  run: async ({ dryRun = false, ...options }, surroundings, { args: [file = ""] }) => {
    const lines = await readInput(file, surroundings);
    const outcome = await withServiceData(
      { ...options, createsDatabase: true },
      surroundings,
      async (context) => {
        const reading = { policy: context.policy, now: systemClock.now() };
        const { records, errors } = readImportLines(lines, reading);
        if (errors.length > 0) return { ok: false, errors } as const;
        return importRecords(context, records, { isDryRun: dryRun });
      },
    );
    const { terminal } = surroundings;
    if (options.json === true) terminal.json({ ...outcome, dryRun });
    else if (outcome.ok) {
      for (const { clientId, clientSecret } of outcome.clients)
        terminal.out(`${clientId}:${clientSecret}`);
      if (outcome.clients.length > 0)
        terminal.err("A client's secret is shown only once; copy it now.");
      const { created, changed, unchanged } = outcome;
      const counts = `${created} created, ${changed} changed, ${unchanged} unchanged`;
      terminal.err(`${dryRun ? "dry run, nothing imported" : "imported"}: ${counts}`);
    } else {
      for (const { line, code, pointer, message } of outcome.errors)
        terminal.err(`line ${line}: ${code} ${pointer}: ${message}`);
      terminal.err("nothing imported");
    }
    return outcome.ok;
  },
});
