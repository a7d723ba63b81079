export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
export type CompletingShell = (typeof SHELLS)[number];

/** A line of the answer that lets the shell offer files itself. */
export const FILES_LINE = ":files";

/**
 * The completion script of a shell. It calls `raymond completion words -- WORDS`. The last word is the one under the
 * cursor, with a colon before it, because a shell could drop an empty word.
 */
export function completionScript(shell: CompletingShell): string {
  return SCRIPTS[shell];
}

const SCRIPTS: Readonly<Record<CompletingShell, string>> = {
  bash: `# bash completion of raymond: eval "$(raymond completion bash)"
_raymond() {
  local current="\${COMP_WORDS[COMP_CWORD]}" line file
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      '${FILES_LINE}')
        compopt -o filenames 2>/dev/null
        while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$current")
        ;;
      ?*)
        line=\${line%%$'\\t'*}
        [[ $line == */ ]] && compopt -o nospace 2>/dev/null
        COMPREPLY+=("$(printf '%q' "$line")")
        ;;
    esac
  done < <(raymond completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" ":$current" 2>/dev/null)
}
complete -F _raymond raymond
`,
  zsh: `#compdef raymond
# zsh completion of raymond: a file _raymond in a folder of $fpath, or: source <(raymond completion zsh)
_raymond() {
  local line value
  local -a values shown folders
  for line in "\${(@f)$(raymond completion words -- "\${(@Q)words[2,CURRENT-1]}" ":\${(Q)words[CURRENT]}" 2>/dev/null)}"; do
    value=\${line%%$'\\t'*}
    case $line in
      '') ;;
      '${FILES_LINE}') _files ;;
      *) if [[ $value == */ ]]; then folders+=("$value"); else values+=("$value"); shown+=("\${line/$'\\t'/  -- }"); fi ;;
    esac
  done
  (( $#folders )) && compadd -S '' -a folders
  (( $#values )) && compadd -l -d shown -a values
}
if [ "\${funcstack[1]}" = _raymond ]; then _raymond "$@"; else compdef _raymond raymond; fi
`,
  fish: `# fish completion of raymond: raymond completion fish > ~/.config/fish/completions/raymond.fish
function __raymond_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    for line in (raymond completion words -- $before[2..-1] ":$current" 2>/dev/null)
        switch $line
            case '${FILES_LINE}'
                __fish_complete_path "$current"
            case '?*'
                printf '%s\\n' $line
        end
    end
end
complete -c raymond -f -a '(__raymond_complete)'
`,
  powershell: `# PowerShell completion of raymond: raymond completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName raymond -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  raymond completion words -- @words ":$wordToComplete" 2>$null | ForEach-Object {
    $value, $about = $_ -split "\`t", 2
    if ($_ -eq '${FILES_LINE}') {
      Get-ChildItem -Path "$wordToComplete*" -Name | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
      }
    } elseif ($value) {
      if (-not $about) { $about = $value }
      [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
    }
  }
}
`,
};
