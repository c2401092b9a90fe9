import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { badArgument } from "../failure.ts";
import { loadProfile } from "../profile.ts";
import { choice, profileOption } from "../options.ts";
import { printable, printableJson } from "../printable.ts";
import type { Surroundings } from "../terminal.ts";
import { eventModel } from "../types/event-model.ts";
import type { Language } from "../types/print-types.ts";
import { typescriptCatalogue } from "../types/catalogue.ts";
import { go } from "../types/go.ts";
import { java } from "../types/java.ts";
import { python } from "../types/python.ts";
import { typescript } from "../types/typescript.ts";
import { writeFiles } from "../write-files.ts";

const languages: Readonly<Record<string, Language>> = { typescript, python, go, java };

const help = `
Writes one type per event of the profile, their union, and a function that parses a body. Values of open lists are strings whose
documentation lists the known values.

Amounts are exact decimals, never floats: strings in TypeScript, Decimal in Python, json.Number in Go, BigDecimal in Java. Times are
strings.

--validators writes a TypeScript module of types and validators, which createReceiver accepts as its catalogue.

For other languages, run quicktype on the readers' schemas, which accept added members and values:
  npx quicktype --src-lang schema --lang rust --src node_modules/@countersign/schemas/reader/events

Examples:
  countersign types --language typescript --out src/events.ts
  countersign types --language java --package com.example.events --out src/main/java/com/example/events
  countersign types --language typescript --validators --profile provider.json --out src/catalogue.ts`;

interface TypesOptions {
  readonly language: string;
  readonly out: string;
  readonly package: string | undefined;
  readonly validators: boolean | undefined;
  readonly profile: string;
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
    .option("--package <name>", "package, namespace or module of the types")
    .option("--validators", "write a catalogue for createReceiver; only typescript")
    .addOption(profileOption())
    .option("--json", "print one JSON object instead of lines")
    .addHelpText("after", help)
    .action((options: TypesOptions) => writeTypes(options, surroundings));
}

async function writeTypes(command: TypesOptions, { terminal }: Surroundings): Promise<void> {
  const language = chosen(command);
  const packageName = packageOf(language, command);
  const profile = await loadProfile(command.profile);
  const header = `${language.comment} The webhook events of profile ${profile.name}, by \`countersign types\`. Do not edit.`;
  const printed = await language.print(eventModel(profile), packageName);
  const files = new Map(
    [...printed].map(([name, text]) => [
      language.isFolder ? join(command.out, name) : command.out,
      `${header}\n\n${text.trim()}\n`,
    ]),
  );
  await requirePlace(language, command.out);
  try {
    await writeFiles(files);
  } catch (cause) {
    throw badArgument(`--out cannot be written: ${printable(command.out)}`, cause);
  }
  const paths = [...files.keys()];
  if (command.json === true)
    terminal.out(
      printableJson({ language: command.language, profile: profile.name, files: paths }),
    );
  else for (const path of paths) terminal.out(printable(path));
}

function chosen({ language: name, validators = false }: TypesOptions): Language {
  const language = new Map(Object.entries(languages)).get(name);
  if (validators && name === "typescript") return typescriptCatalogue;
  if (validators) throw badArgument("--validators are for typescript, whose receiver takes them");
  if (language === undefined) throw new TypeError(`no language ${name}`);
  return language;
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
