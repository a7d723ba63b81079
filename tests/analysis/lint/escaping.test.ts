import { describe, expect, it } from "vitest";
import { lintWorkflow } from "../../../src/analysis/lint/lint-workflow.ts";
import { lintFacts } from "../../support/workflow/lint-facts.ts";

function attributesFound(script: string, name = "START.sh"): readonly string[] {
  const files = { [name]: `${script}\n`, "W.md": "End with <result>x</result>" };
  return lintWorkflow(lintFacts(files, name.endsWith(".ps1") ? "windows" : "unix"))
    .filter(({ rule }) => rule === "RAY704")
    .map(
      ({ message }) =>
        /^The attribute (\S+) of <\S+> contains (.*) unescaped/
          .exec(message)
          ?.slice(1, 3)
          .join(" ") ?? "",
    );
}

describe("a variable in an attribute", () => {
  it.each([
    ['echo "<reset input=\\"$item\\">W</reset>"', ["input $item"]],
    ["echo \"<reset input='$item'>W</reset>\"", ["input $item"]],
    ['echo "<reset input=\\"$(cat log)\\">W</reset>"', ["input $(cat log)"]],
    ['echo "<reset input=\\"$1\\" delay=\\"$every\\">W</reset>"', ["input $1", "delay $every"]],
    ['cat <<END\n<fork a="$RAYMOND_RESULT">W</fork>\nEND', ["a $RAYMOND_RESULT"]],
    ['for f in *.txt; do echo "<fork a=\\"$f\\">W</fork>"; done', ["a $f"]],
    ['while read -r f; do echo "<fork a=\\"$f\\">W</fork>"; done', ["a $f"]],
    ['i=1\ni=$(cat n)\necho "<fork a=\\"$i\\">W</fork>"', ["a $i"]],
  ])("is found: %s", (script, found) => {
    expect(attributesFound(script)).toEqual(found);
  });

  it.each([
    'raymond tag reset W --input "$item"',
    'echo "<reset input=\\"none\\">W</reset>"',
    "echo '<reset input=\"$item\">W</reset>'",
    'echo "<reset input=\\"$((n + 1)) of $#\\">W</reset>"',
    'echo "<reset input=\\"$RAYMOND_AGENT_ID\\">W</reset>"',
    'for f in a b-1 c; do echo "<fork a=\\"$f\\">W</fork>"; done',
    'for f in {1..5}; do echo "<fork a=\\"$f\\">W</fork>"; done',
    'for f in $(seq 1 5); do echo "<fork a=\\"$f\\">W</fork>"; done',
    'i=0; i=$((i + 1)); echo "<fork a=\\"$i\\">W</fork>"',
    'kind="quick"\necho "<fork a=\\"$kind\\">W</fork>"',
    'echo "<goto>$next</goto>"',
    '# echo "<reset input=\\"$item\\">W</reset>"',
  ])("is not suspected: %s", (script) => {
    expect(attributesFound(script)).toEqual([]);
  });

  it("is found in PowerShell", () => {
    expect(attributesFound('Write-Output "<reset input=`"$item`">W</reset>"', "START.ps1")).toEqual(
      ["input $item"],
    );
  });
});
