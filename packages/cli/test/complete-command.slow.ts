import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { missing } from "./fixtures.ts";
import { writeCommand } from "./start-command.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

/** Runs a shell that finds `countersign`. */
function shell(name: string, args: readonly string[], folder = temporaryFolder()): string {
  writeCommand(folder);
  const PATH = `${folder}:${process.env["PATH"] ?? ""}`;
  return execFileSync(name, args, {
    encoding: "utf8",
    env: { ...process.env, PATH, FOLDER: folder },
  });
}

/** Types into a shell at a terminal, presses Tab, and prints the line that the shell then has. */
const interactive = `
zmodload zsh/zpty zsh/zselect
zpty -b shell zsh -f -i
zpty -w shell "fpath=($FOLDER \\$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w shell "show() { print -r -- \\"\\$BUFFER\\" > $FOLDER/shown }; zle -N show; bindkey '^X' show"
zpty -w -n shell $'countersign inbox re\\t\\x18'
repeat 1000 { [[ -s $FOLDER/shown ]] && break; zselect -t 2 }
cat $FOLDER/shown
zpty -d shell`;

describe("countersign completion", () => {
  it("completes a subcommand and an option in bash", ({ skip }) => {
    skip(...missing("bash"));
    const script = `
# Of the package bash-completion.
_get_comp_words_by_ref() {
  words=("\${COMP_WORDS[@]}"); cur=\${COMP_WORDS[COMP_CWORD]}
}
compopt() { :; }
source <(countersign complete bash)
complete -p countersign
COMP_WORDS=(countersign inbox r) COMP_CWORD=2
__countersign_complete
printf '%s\\n' "\${COMPREPLY[@]}"
COMP_WORDS=(countersign types --lang) COMP_CWORD=2
__countersign_complete
printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(shell("bash", ["--norc", "-c", script])).toBe(
      "complete -F __countersign_complete countersign\nretry\n--language\n",
    );
  });

  it("completes a subcommand in zsh from a folder of fpath", ({ skip }) => {
    skip(...missing("zsh"));
    const folder = temporaryFolder();
    writeFileSync(join(folder, "_countersign"), shell("countersign", ["complete", "zsh"], folder));
    expect(shell("zsh", ["-f", "-c", interactive], folder)).toBe("countersign inbox retry \n");
  });

  it("completes a subcommand in fish", ({ skip }) => {
    skip(...missing("fish"));
    const script = "countersign complete fish | source; complete -C 'countersign inbox re'";
    expect(shell("fish", ["-N", "-c", script])).toContain("retry");
  });
});
