import { stat } from "node:fs/promises";
import { join } from "node:path";
import { didYouMean } from "../closest.ts";
import { Failure } from "../failure.ts";
import { loadProfile } from "../load-profile.ts";
import { printable, printableJson } from "../printable.ts";
import type { Surroundings } from "../terminal.ts";
import { eventModel } from "../types/event-model.ts";
import type { Language } from "../types/language.ts";
import { typescriptCatalogue } from "../types/languages/typescript-catalogue.ts";
import { languages } from "../types/languages.ts";
import { writeFiles } from "../write-files.ts";

export interface TypesCommand {
  readonly language: string;
  readonly out: string;
  readonly packageName: string | undefined;
  readonly validators: boolean;
  readonly profile: string;
  readonly json: boolean;
}

/** `countersign types`: writes a profile's events as types of a language. */
export async function runTypes(
  command: TypesCommand,
  { terminal }: Pick<Surroundings, "terminal">,
): Promise<void> {
  const language = chosen(command);
  const packageName = packageOf(language, command);
  const profile = await loadProfile(command.profile);
  const header = [
    `The webhook events of profile ${profile.name}, by \`countersign types\`. Do not edit.`,
  ];
  const model = eventModel(profile);
  const printed = await language.print(model, { packageName, header });
  const files = new Map(
    [...printed].map(([name, text]) => [
      language.isFolder ? join(command.out, name) : command.out,
      text,
    ]),
  );
  await requirePlace(language, command.out);
  try {
    await writeFiles(files);
  } catch (cause) {
    throw unusable(`--out cannot be written: ${printable(command.out)}`, cause);
  }
  const paths = [...files.keys()];
  if (command.json)
    terminal.out(
      printableJson({ language: command.language, profile: profile.name, files: paths }),
    );
  else for (const path of paths) terminal.out(printable(path));
}

function chosen({ language: name, validators }: TypesCommand): Language {
  const language = new Map(Object.entries(languages)).get(name);
  if (validators && name === "typescript") return typescriptCatalogue;
  if (validators) throw unusable("--validators are for typescript, whose receiver takes them");
  if (language !== undefined) return language;
  const names = Object.keys(languages);
  throw unusable(`--language is one of ${names.join(", ")}${didYouMean(name, names)}`);
}

function packageOf(
  { package: packages }: Language,
  { language, packageName }: TypesCommand,
): string {
  if (packages === undefined) {
    if (packageName === undefined) return "";
    throw unusable(`--package has no meaning in ${language}: a file is a module of its own`);
  }
  const name = packageName ?? packages.standard;
  if (packages.form.test(name)) return name;
  throw unusable(`--package is no name in ${language}; such as ${packages.standard}`);
}

/** A folder for a language of many files, for any other one a file. */
async function requirePlace({ isFolder }: Language, out: string): Promise<void> {
  const there = await stat(out).catch(() => undefined);
  if (there === undefined || there.isDirectory() === isFolder) return;
  throw unusable(
    isFolder
      ? `--out must be a folder for this language: ${printable(out)} is a file`
      : `--out must be a file for this language: ${printable(out)} is a folder`,
  );
}

function unusable(message: string, cause?: unknown): Failure {
  return new Failure("CS_CLI_ARGUMENT_UNUSABLE", message, { cause });
}
