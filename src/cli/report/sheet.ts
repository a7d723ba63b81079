/** The style sheet: light or dark like the system, and light on paper. */
export const SHEET = `
:root { color-scheme: light dark; --text: #1b1f24; --dim: #5b6470; --page: #f5f6f8; --card: #ffffff;
  --rule: #d9dde3; --accent: #2457c5; --good: #1a7f37; --bad: #b3261e; --warn: #8a5a00; --bar: #c8d7f6;
  --prompt: #4c7fe0; --script: #8a94a3; --failed: #d0392f; --now: #1f9d55; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ee; --dim: #9aa4b2; --page: #14171c; --card: #1c2026;
  --rule: #343b45; --accent: #8ab0ff; --good: #5fd07f; --bad: #ff8a80; --warn: #e8b657; --bar: #2c4577;
  --prompt: #6d9bf5; --script: #7f8a99; --failed: #f0655b; --now: #4cc98a; }
  .picture svg { filter: invert(0.92) hue-rotate(180deg); } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
main { max-width: 70rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 0 0 .7rem; }
h3 { font-size: .95rem; margin: 1.1rem 0 .4rem; overflow-wrap: anywhere; }
section { background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; padding: 1rem 1.2rem; margin-top: 1rem; }
p { margin: .3rem 0; overflow-wrap: anywhere; }
nav { margin: .6rem 0 0; display: flex; flex-wrap: wrap; gap: .2rem 1rem; }
a { color: var(--accent); }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .87em; }
pre { margin: .3rem 0; padding: .6rem .8rem; border: 1px solid var(--rule); border-radius: .4rem; background: var(--page); white-space: pre-wrap; overflow-wrap: anywhere; }
.dim { color: var(--dim); }
.badge { display: inline-block; padding: .05rem .6rem; border-radius: 1rem; border: 1px solid currentColor; font-size: .9rem; font-weight: 600; }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: .7rem 1.2rem; margin: .9rem 0 0; }
.facts dt { color: var(--dim); font-size: .82rem; }
.facts dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
th { color: var(--dim); font-weight: 600; white-space: nowrap; }
td { overflow-wrap: break-word; }
td.words { min-width: 14rem; overflow-wrap: anywhere; }
tbody th { width: 1%; padding-right: 1.5rem; }
.right { text-align: right; white-space: nowrap; }
.once { white-space: nowrap; }
tr.broken td:first-child { box-shadow: inset 3px 0 var(--bad); padding-left: .5rem; }
tfoot td { font-weight: 600; border-bottom: 0; }
.share { display: block; height: .3rem; margin-top: .15rem; min-width: 5rem; }
.share i { display: block; height: 100%; background: var(--prompt); border-radius: .15rem; }
.picture { overflow-x: auto; text-align: center; }
.picture svg { max-width: 100%; height: auto; }
.lane { display: grid; grid-template-columns: minmax(6rem, 12rem) 1fr 5rem; gap: .6rem; align-items: center; }
.lane + .lane { margin-top: .15rem; }
.lane .who { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; text-align: right; }
.lane svg { width: 100%; height: 1.1rem; display: block; background: var(--page); border-radius: .2rem; }
.ticks { position: relative; height: 1.3rem; font-size: .78rem; color: var(--dim); }
.ticks span { position: absolute; white-space: nowrap; }
.ticks span.last { right: 0; }
.prompt { fill: var(--prompt); background: var(--prompt); } .script { fill: var(--script); background: var(--script); }
.failed { fill: var(--failed); background: var(--failed); } .now { fill: var(--now); background: var(--now); }
.key i { display: inline-block; width: .8rem; height: .8rem; border-radius: .15rem; vertical-align: -.08rem; margin: 0 .3rem 0 .9rem; }
@media (max-width: 40rem) { .facts { grid-template-columns: 1fr 1fr; } .lane { grid-template-columns: 5rem 1fr 3.2rem; gap: .4rem; }
  .lane .who { font-size: .8rem; } .ticks span:nth-child(even) { display: none; } section { padding: .8rem; } }
@media print { :root { --text: #000; --dim: #444; --page: #fff; --card: #fff; --rule: #bbb; --accent: #000; --good: #000; --bad: #900; --warn: #000;
  --prompt: #4c7fe0; --script: #8a94a3; --failed: #d0392f; --now: #1f9d55; }
  .picture svg { filter: none; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  nav { display: none; } main { max-width: none; padding: 0; } section { border: 0; padding: .4rem 0; }
  /* Paper has no scroll bars: wide tables would be cut off. */
  .wide, .picture { overflow: visible; } table { font-size: .72rem; } th, td { padding-right: .4rem; }
  td.name { white-space: normal; overflow-wrap: anywhere; min-width: 5.5rem; } thead th { white-space: normal; overflow-wrap: normal; } tbody th { padding-right: .8rem; } td.words { min-width: 9rem; } .share { min-width: 1.5rem; }
  tr, .lane { break-inside: avoid; } h2, h3 { break-after: avoid; } }
`;
