/** Calls of a command, each with what it is good for. */
export type Examples = readonly (readonly [call: string, about: string])[];

/** What stands below the help of commands about a fleet. */
export const FLEET_EXAMPLES = {
  fleet: [
    ["raymond fleet dev", "a database to try it with, until Ctrl-C"],
    ["raymond fleet init", "prepare the one that RAYMOND_FLEET names, once"],
    ["raymond fleet", "how it stands, and what to do"],
  ],
  worker: [
    ["raymond worker", "20 runs of the pool default at once"],
    ["raymond worker --pool gpu --slots 4", "only those of another pool, four at once"],
    ["raymond worker --print-unit", "for systemd, to start it with the machine"],
  ],
  submit: [
    ["raymond submit workflows/ralph --budget 5", "any worker of the pool default takes it"],
    ["raymond submit workflows/ralph --wait", "and show it until it has ended"],
    ["raymond submit workflows/ralph --at 2h", "two hours from now"],
    ['raymond submit workflows/nightly --every "0 3 * * 1-5"', "at three from Monday to Friday"],
    ["raymond submit workflows/ralph --workspace git", "in a clone of this repository"],
  ],
  limits: [
    ["raymond limits", "all accounts, and what they do"],
    ["raymond limits set team --runs 20 --rate 100/1h", "20 at once, and 100 begin in an hour"],
    ["raymond limits set team --per-day none", "lifts that one"],
  ],
  schedules: [
    ["raymond schedules", "all of them"],
    ["raymond schedules pause nightly", "it begins nothing until it is resumed"],
    ["raymond schedules remove nightly", "what it has begun goes on"],
  ],
  drain: [
    ["raymond drain berlin", "before a shutdown: finish its runs, claim no more"],
    ["raymond drain berlin --move", "move its runs to other machines now"],
    ["raymond drain berlin --end", "return it to service"],
  ],
  move: [["raymond move k3x9qd --to berlin", "its step begins again there"]],
} as const satisfies Readonly<Record<string, Examples>>;

/** Examples as the help shows them. */
export function examplesHelp(examples: Examples): string {
  const longest = Math.max(...examples.map(([call]) => call.length));
  const lines = examples.map(([call, about]) => `  $ ${call.padEnd(longest)}  ${about}`);
  return ["", "Examples:", ...lines].join("\n");
}
