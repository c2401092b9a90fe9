/** What makes a shell ask `countersign` itself what comes next, by the shells' names. */
export const completionScripts: Readonly<Record<"bash" | "zsh" | "fish", string>> = {
  bash: `_countersign() {
  local IFS=$'\\n'
  COMPREPLY=($(countersign completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _countersign countersign`,
  zsh: `#compdef countersign
_countersign() {
  local -a candidates
  candidates=(\${(f)"$(countersign completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#candidates} )); then compadd -a candidates; else _files; fi
}
# Loaded from a folder of \`fpath\` this file is the function itself; otherwise it is sourced.
if [[ \${funcstack[1]} == _countersign ]]; then _countersign "$@"; else compdef _countersign countersign; fi`,
  fish: `complete -c countersign -a '(countersign completion words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
};
