import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { ran } from "./ran.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const has = (shell: string): boolean =>
  spawnSync(shell, ["--version"], { stdio: "ignore" }).error === undefined;

/** The environment of a shell that finds `countersign`. */
function environment(): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(tmpdir(), "countersign-completion-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const command = join(folder, "countersign");
  const node = `exec '${process.execPath}' --conditions=@countersign/source '${main}' "$@"`;
  writeFileSync(command, `#!/bin/sh\n${node}\n`);
  chmodSync(command, 0o755);
  return { ...process.env, PATH: `${folder}:${process.env["PATH"] ?? ""}` };
}

/** Types into a shell at a terminal, presses Tab, and prints the line that the shell has then. */
const interactive = `
zmodload zsh/zpty zsh/zselect
zpty -b shell zsh -f -i
zpty -w shell "fpath=($FOLDER \\$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w shell "show() { print -r -- \\"\\$BUFFER\\" > $FOLDER/shown }; zle -N show; bindkey '^X' show"
zpty -w -n shell $'countersign inbox re\\t\\x18'
repeat 1000 { [[ -s $FOLDER/shown ]] && break; zselect -t 2 }
cat $FOLDER/shown
zpty -d shell`;

const words = async (...given: readonly string[]): Promise<string[]> => {
  const { out } = await ran(["completion", "words", "--", ...given]);
  return out.split("\n").filter((line) => line !== "");
};

describe("countersign completion", () => {
  it("completes commands, their commands and options, and leaves values to the shell", async () => {
    expect(await words("")).toEqual(
      expect.arrayContaining(["sandbox", "serve", "send", "types", "verify", "inbox", "help"]),
    );
    expect(await words("s")).toEqual(["sandbox", "serve", "send"]);
    expect(await words("inbox", "")).toEqual(["migrate", "dead", "retry", "help"]);
    expect(await words("inbox", "dead", "--l")).toEqual(["--limit"]);
    expect(await words("send", "refund.failed", "--ti")).toEqual(["--times"]);
    expect(await words("types", "--out", "")).toEqual([]);
    expect(await words("diff", "--json", "--r")).toEqual(["--rules"]);
    expect(await words("completion", "")).not.toContain("words");
  });

  it.each([
    [["send", "refund.f"], ["refund.failed"]],
    [["send", "refund.failed", "--broken", "s"], ["stale"]],
    [["types", "--language", "py"], ["python"]],
    [["sandbox", "--profile", "x"], ["x-signature"]],
    [["requirements", "R-MONEY"], ["R-MONEY-EXACT"]],
    [
      ["requirements", "--role", ""],
      ["provider", "receiver"],
    ],
    [["verify", "receiver", "--only", "receiver/tam"], ["receiver/tampered"]],
    [["verify", "receiver", "--only", "receiver/tampered", "R-MONEY"], ["R-MONEY-EXACT"]],
    [["verify", "receiver", "--skip", "R-MONEY"], ["R-MONEY-EXACT="]],
    [["verify", "provider", "--report", "ju"], ["junit="]],
    [["completion", "z"], ["zsh"]],
    [["verify", "receiver", "--only", "R-MONEY-EXACT", "--str"], ["--strict"]],
    [["verify", "receiver", "--seed", ""], []],
  ])("completes values that are known beforehand: %j", async (given, expected) => {
    expect(await words(...given)).toEqual(expected);
  });

  it.each([[[]], [["tcsh"]]])("ends with 2 for %j", async (args: readonly string[]) => {
    expect(await ran(["completion", ...args])).toMatchObject({ status: 2, out: "" });
  });

  it.skipIf(!has("bash"))("works in bash (needs bash)", () => {
    const script = `
source <(countersign completion bash)
complete -p countersign
COMP_WORDS=(countersign inbox r) COMP_CWORD=2
_countersign
printf '%s\\n' "\${COMPREPLY[@]}"
COMP_WORDS=(countersign types --lang) COMP_CWORD=2
_countersign
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const options = { encoding: "utf8", env: environment() } as const;
    expect(execFileSync("bash", ["--norc", "-c", script], options)).toBe(
      "complete -o default -F _countersign countersign\nretry\n--language\n",
    );
  });

  it.skipIf(!has("zsh"))("works in zsh, from a folder of fpath (needs zsh)", async () => {
    const { out } = await ran(["completion", "zsh"]);
    const folder = mkdtempSync(join(tmpdir(), "countersign-zsh-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "_countersign"), out);
    const options = { encoding: "utf8", env: { ...environment(), FOLDER: folder } } as const;
    expect(execFileSync("zsh", ["-f", "-c", interactive], options)).toBe(
      "countersign inbox retry \n",
    );
  });

  it.skipIf(!has("fish"))("works in fish (needs fish)", () => {
    const script = "countersign completion fish | source; complete -C 'countersign inbox re'";
    const options = { encoding: "utf8", env: environment() } as const;
    expect(execFileSync("fish", ["-N", "-c", script], options)).toContain("retry");
  });
});

describe("a command that is mistyped", () => {
  it.each([
    [["tpyes"], "types"],
    [["inbox", "migrat"], "migrate"],
    [["requirements", "--rol", "receiver"], "--role"],
    [["verify", "pact"], "pacts"],
    [["verify", "receivr"], "receiver"],
  ])("%j is answered with what may be meant", async (args, meant) => {
    const { status, err } = await ran(args);
    expect(status).toBe(2);
    expect(err).toContain(`Did you mean ${meant}?`);
  });

  it.each([
    [["requirements", "R-VERFIY-RAW"], "R-VERIFY-RAW"],
    [["send", "refund.authorised", "--url", "http://127.0.0.1:9"], "refund.authorized"],
    [["send", "refund.failed", "--url", "http://127.0.0.1:9", "--broken", "stael"], "stale"],
    [["types", "--language", "pyhton", "--out", "x"], "python"],
    [["types", "--language", "go", "--out", "x", "--profile", "standrad"], "standard"],
    [["verify", "receiver", "--list", "--only", "receiver/tamperd"], "receiver/tampered"],
  ])("%j names a value that is, and is answered with it", async (args, meant) => {
    const { status, err } = await ran(args);
    expect(status).toBe(2);
    expect(err).toContain(`; did you mean ${meant}?`);
  });
});
