import type { Command } from "commander";
import type { Surroundings } from "../terminal.ts";

const help = `
Languages: typescript, python, go, java, kotlin, csharp, ruby, rust, swift. PATH is a file; for java it is
the package's folder. Each event of the profile's catalogue is a type; typescript, python, go and java have
the union of them and a function that parses a body.

Amounts are exact decimals, never floats: text in typescript, Decimal in python and swift, json.Number in
go, BigDecimal in java, kotlin and ruby, decimal in csharp, rust_decimal in rust. Times are text. A list of
values that is open is text whose documentation names the known ones.

--validators writes a module of types and validators that createReceiver takes as its catalogue; there
amounts are the receiver's numbers, which amountCents reads exactly.

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

export function declareTypes(program: Command, surroundings: Surroundings): void {
  program
    .command("types")
    .description("the events as types of a programming language")
    .requiredOption("--language <name>", "the language")
    .requiredOption("--out <path>", "file to write; for java a folder")
    .option("--package <name>", "package, namespace or module of the types")
    .option("--validators", "a catalogue for createReceiver; typescript alone")
    .option("--profile <name|file>", "built-in profile or profile document", "standard")
    .option("--json", "one JSON object instead of lines")
    .addHelpText("after", help)
    .action(async ({ package: packageName, ...options }: TypesOptions) => {
      const { runTypes } = await import("../commands/types.ts");
      const { validators = false, json = false, language, out, profile } = options;
      await runTypes({ language, out, packageName, validators, profile, json }, surroundings);
    });
}
