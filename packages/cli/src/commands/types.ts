import { terminalLine } from "@countersign/rules";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readDocument } from "@countersign/contract-kit/documents";
import { resolveProfile } from "@countersign/schemas/provider-of";
import { interfaceSchemas, openApiOf } from "@countersign/service";
import { define } from "../command.ts";
import { chosenDocument, withinStack } from "../documents.ts";
import { badArgument } from "../failure.ts";
import * as option from "../options.ts";
import { chosenProvider, loadProfile } from "../provider.ts";
import { type Surroundings } from "../terminal.ts";
import { type CatalogueFacts, typescriptCatalogue } from "../types/catalogue.ts";
import { go } from "../types/go.ts";
import { java } from "../types/java.ts";
import { commentOf, type Language } from "../types/language.ts";
import { python } from "../types/python.ts";
import { typesModel } from "../types/types-model.ts";
import { typescript } from "../types/typescript.ts";

const languages: Readonly<Record<string, Language>> = { typescript, python, go, java };

const help = `
Writes a type for each event, their union, a function that parses a body, and the types that these refer to. Without --openapi
these are the events of the profile, with the requests and answers of its calls.

Decimals ("type": "number") are exact: text in TypeScript, Decimal in Python, json.Number in Go, BigDecimal in Java. Integers are
integers. Times are strings. Values that a list does not have are no error at run time.

--openapi reads webhooks and callbacks of OpenAPI 3.0 to 3.2, or messages of AsyncAPI 2 and 3. --provider says where a receiver finds the
type, the id and the category of an event; by default the document's values show where the type is.

--validators writes a TypeScript module of types and validators, which createReceiver accepts as its catalogue.

Examples:
  countersign types --language typescript --out src/events.ts
  countersign types --language java --package com.example.events --out src/main/java/com/example/events
  countersign types --language typescript --validators --openapi github.json --provider github --out src/catalogue.ts`;

const options = {
  language: option.required(
    option.choice("<name>", "programming language", Object.keys(languages)),
  ),
  out: option.required(option.text("<path>", "file to write; for java a folder")),
  package: option.text("<name>", "package of the types; only go and java"),
  validators: option.flag("write a catalogue for createReceiver; only typescript"),
  profile: option.profile,
  provider: option.provider,
  openapi: option.openapi,
  eventType: option.eventType,
  json: option.json,
};
type Options = option.ValuesOf<typeof options>;

export const definition = define({ options, help, run: writeTypes });

async function writeTypes(command: Options, { terminal }: Surroundings): Promise<void> {
  const { language: name, out, validators = false } = command;
  if (validators && name !== "typescript")
    throw badArgument("--validators are for typescript, whose receiver takes them");
  const { document, sender, facts } = await described(command);
  const isOwn = command.openapi === undefined;
  const language = validators ? typescriptCatalogue(facts, isOwn) : languages[name];
  if (language === undefined) throw new TypeError(`no language ${name}`);
  const packageName = packageOf(language, command);
  const printed = await withinStack(() =>
    language.print(typesModel(document, { provider: sender, isOwn }), packageName),
  );
  const header = `${language.comment} The webhook events of ${commentOf({ description: document.title })}, by \`countersign types\`. Do not edit.`;
  const files = new Map(
    [...printed].map(([file, text]) => [
      language.isFolder ? join(out, file) : out,
      `${header}\n\n${text.trim()}\n`,
    ]),
  );
  try {
    await mkdir(language.isFolder ? out : dirname(out), { recursive: true });
    await Promise.all([...files].map(([path, text]) => writeFile(path, text)));
  } catch (cause) {
    const what = language.isFolder ? "a folder" : "a file";
    throw badArgument(`--out cannot be written as ${what}: ${terminalLine(out)}`, cause);
  }
  const paths = [...files.keys()];
  if (command.json === true)
    terminal.json({ language: name, events: document.title, files: paths });
  else for (const path of paths) terminal.out(path);
}

/** The chosen document, and what a provider's document or a profile adds to it. */
async function described(command: Options) {
  const chosen = await chosenDocument(command);
  if (chosen !== undefined && command.profile !== "standard")
    throw badArgument("--openapi cannot be combined with --profile");
  if (chosen === undefined) {
    if (command.provider !== undefined) throw badArgument("--provider needs --openapi here");
    const own = await loadProfile(command.profile);
    const { provider: sender, catalogue } = resolveProfile(own);
    const document = await readDocument(openApiOf(own, interfaceSchemas));
    const title = `profile ${own.name}`;
    return { document: { ...document, title }, sender, facts: factsOf(catalogue) };
  }
  const sender = await chosenProvider(command);
  const rows = (sender?.catalogue ?? []).map(({ resource, ...row }) => ({
    ...row,
    resource: resource?.replace(/^(?:body|item):/, ""),
  }));
  return { document: chosen, sender, facts: factsOf(rows) };
}

/** By types: of types with several rows, the first one, and the rank if all have the same. */
const factsOf = (
  rows: readonly (CatalogueFacts & { readonly type: string })[],
): ReadonlyMap<string, CatalogueFacts> =>
  new Map(
    [...Map.groupBy(rows, ({ type }) => type)].map(([type, group]) => {
      const [{ category, resource, rank } = {}] = group;
      const isSame = group.every((row) => row.rank === rank);
      return [type, { category, resource, rank: isSame ? rank : undefined }];
    }),
  );

function packageOf(
  { package: packages }: Language,
  { language, package: packageName }: Options,
): string {
  if (packages === undefined) {
    if (packageName === undefined) return "";
    throw badArgument(`--package cannot be used with ${language}, where each file is a module`);
  }
  const name = packageName ?? packages.standard;
  if (packages.form.test(name)) return name;
  throw badArgument(
    `invalid --package for ${language}: expected a name such as ${packages.standard}`,
  );
}
