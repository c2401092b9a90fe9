import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type EventsDocument, readDocument } from "@countersign/contract-kit/documents";
import { resolveProfile } from "@countersign/schemas/provider-of";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { interfaceSchemas, openApiOf } from "@countersign/service/internal";
import type { Command } from "commander";
import { chosenDocument } from "../documents.ts";
import { badArgument } from "../failure.ts";
import { choice, openApiOptions, profileOption, providerOption } from "../options.ts";
import { printable, printableJson } from "../printable.ts";
import { chosenProvider, loadProfile } from "../profile.ts";
import type { Surroundings } from "../terminal.ts";
import { type CatalogueFacts, typescriptCatalogue } from "../types/catalogue.ts";
import { go } from "../types/go.ts";
import { java } from "../types/java.ts";
import { commentOf, type Language } from "../types/language.ts";
import { python } from "../types/python.ts";
import { typesModel } from "../types/types-model.ts";
import { typescript } from "../types/typescript.ts";
import { writeFiles } from "../write-files.ts";

const languages: Readonly<Record<string, Language>> = { typescript, python, go, java };

const help = `
Writes a type for each event, their union, a function that parses a body, and the types that these refer to. Without --openapi
these are the events of the profile, with the requests and answers of its calls.

Decimals ("type": "number") are exact: text in TypeScript, Decimal in Python, json.Number in Go, BigDecimal in Java. Integers are
integers. Times are strings. Values that a list does not have are no error at run time.

--openapi reads webhooks and callbacks of OpenAPI 3.0 to 3.2, or messages of AsyncAPI 3. --provider says where a receiver finds the
type, the id and the category of an event; by default the document's values show where the type is.

--validators writes a TypeScript module of types and validators, which createReceiver accepts as its catalogue.

Examples:
  countersign types --language typescript --out src/events.ts
  countersign types --language java --package com.example.events --out src/main/java/com/example/events
  countersign types --language typescript --validators --openapi github.json --provider github --out src/catalogue.ts`;

interface TypesOptions {
  readonly language: string;
  readonly out: string;
  readonly package: string | undefined;
  readonly validators: boolean | undefined;
  readonly profile: string;
  readonly provider: string | undefined;
  readonly openapi: string | undefined;
  readonly eventType: string | undefined;
  readonly json: boolean | undefined;
}

/** `countersign types`. */
export function declareTypes(command: Command, surroundings: Surroundings): void {
  command
    .addOption(
      choice(
        "--language <name>",
        "programming language",
        Object.keys(languages),
      ).makeOptionMandatory(),
    )
    .requiredOption("--out <path>", "file to write; for java a folder")
    .option("--package <name>", "package of the types; only go and java")
    .option("--validators", "write a catalogue for createReceiver; only typescript")
    .addOption(profileOption())
    .addOption(providerOption());
  for (const option of openApiOptions()) command.addOption(option);
  command
    .option("--json", "print one JSON object instead of lines")
    .addHelpText("after", help)
    .action((options: TypesOptions) => writeTypes(options, surroundings));
}

async function writeTypes(command: TypesOptions, { terminal }: Surroundings): Promise<void> {
  const { language: name, out, validators = false } = command;
  if (validators && name !== "typescript")
    throw badArgument("--validators are for typescript, whose receiver takes them");
  const { document, provider, facts } = await described(command);
  const isOwn = command.openapi === undefined;
  const language = validators ? typescriptCatalogue(facts, isOwn) : languages[name];
  if (language === undefined) throw new TypeError(`no language ${name}`);
  const packageName = packageOf(language, command);
  const model = typesModel(document, { provider, isOwn });
  const printed = await language.print(model, packageName);
  const header = `${language.comment} The webhook events of ${commentOf({ description: document.title })}, by \`countersign types\`. Do not edit.`;
  const files = new Map(
    [...printed].map(([file, text]) => [
      language.isFolder ? join(out, file) : out,
      `${header}\n\n${text.trim()}\n`,
    ]),
  );
  await requirePlace(language, out);
  try {
    await writeFiles(files);
  } catch (cause) {
    throw badArgument(`--out cannot be written: ${printable(out)}`, cause);
  }
  const paths = [...files.keys()];
  if (command.json === true)
    terminal.out(printableJson({ language: name, events: document.title, files: paths }));
  else for (const path of paths) terminal.out(printable(path));
}

/** The chosen document, and what a provider's document or a profile adds to it. */
async function described(command: TypesOptions): Promise<{
  readonly document: EventsDocument;
  readonly provider: ProviderDocument | undefined;
  readonly facts: ReadonlyMap<string, CatalogueFacts>;
}> {
  const chosen = await chosenDocument(command);
  if (chosen === undefined) {
    if (command.provider !== undefined) throw badArgument("--provider needs --openapi here");
    const profile = await loadProfile(command.profile);
    const { provider, catalogue } = resolveProfile(profile);
    const document = await readDocument(openApiOf(profile, interfaceSchemas));
    const title = `profile ${profile.name}`;
    return { document: { ...document, title }, provider, facts: factsOf(catalogue) };
  }
  const provider = await chosenProvider(command);
  const rows = (provider?.catalogue ?? []).map(({ resource, ...row }) => ({
    ...row,
    ...(resource !== undefined && { resource: resource.replace(/^(?:body|item):/, "") }),
  }));
  return { document: chosen, provider, facts: factsOf(rows) };
}

/** By types: of types with several rows, the first one, and the rank if all have the same. */
function factsOf(
  rows: readonly (CatalogueFacts & { readonly type: string })[],
): ReadonlyMap<string, CatalogueFacts> {
  return new Map(
    [...Map.groupBy(rows, ({ type }) => type)].map(([type, group]) => {
      const [{ category, resource, rank } = {}, ...others] = group;
      const isSame = others.every((row) => row.rank === rank);
      return [
        type,
        {
          ...(category !== undefined && { category }),
          ...(resource !== undefined && { resource }),
          ...(rank !== undefined && isSame && { rank }),
        },
      ];
    }),
  );
}

function packageOf(
  { package: packages }: Language,
  { language, package: packageName }: TypesOptions,
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

/** A folder if the language needs several files, otherwise a file. */
async function requirePlace({ isFolder }: Language, out: string): Promise<void> {
  const there = await stat(out).catch(() => undefined);
  if (there === undefined || there.isDirectory() === isFolder) return;
  throw badArgument(
    isFolder
      ? `--out must be a folder for this language: ${printable(out)} is a file`
      : `--out must be a file for this language: ${printable(out)} is a folder`,
  );
}
