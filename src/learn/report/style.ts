// What the page of a training needs beside the style of all reports: colours of curves for light and dark,
// charts side by side, workflows as cards.

export const TRAINING_STYLE = `
:root { --series-1: #0b66c2; --series-2: #d2660a; --series-3: #1a7f4b; --series-4: #8250c4; --series-5: #b98a00;
  --series-6: #c2418c; --series-7: #0d8a93; --series-8: #7a5a3c; --series-9: #9aa1a8; }
@media (prefers-color-scheme: dark) { :root { --series-1: #62aef7; --series-2: #f79a4d; --series-3: #54c186; --series-4: #b794f0;
  --series-5: #e3bd48; --series-6: #ef82bb; --series-7: #4fc3cc; --series-8: #c69d77; --series-9: #6d757d; } }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 27rem), 1fr)); gap: 1.6rem 1.8rem; }
.charts.small { margin-top: 1.8rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); }
figure { margin: 0; min-width: 0; } figcaption { font-weight: 600; font-size: .95rem; }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1rem; margin: .1rem 0 .3rem; font-size: .82rem; color: var(--soft); }
.legend b { color: var(--ink); font-weight: 600; font-variant-numeric: tabular-nums; }
.dash, .dot { display: inline-block; vertical-align: middle; margin-right: .4rem; width: .95rem; height: .22rem; border-radius: 2px; }
.dot { width: .5rem; height: .5rem; border-radius: 50%; } .dash.tall { height: .8rem; width: .8rem; }
svg .band { fill: var(--fill); } svg .band.other { fill: var(--line); opacity: .55; } svg .stage { fill: var(--soft); font-size: 11px; }
svg .raw { fill: none; stroke: currentColor; stroke-width: 1; opacity: .32; } svg .mean { fill: none; stroke: currentColor; stroke-width: 2.2; stroke-linejoin: round; }
svg .area { stroke: var(--paper); stroke-width: .6; opacity: .85; } svg .evaluation { fill: var(--paper); stroke: var(--ink); stroke-width: 1.4; }
svg .evaluation.best { fill: var(--ink); } svg .grid { opacity: .7; }
.sample { border-top: 1px solid var(--line); padding-top: .9rem; margin-top: 1.2rem; }
.question { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 9.5rem; overflow-y: auto; margin: 0 0 .8rem; max-width: none; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1rem; }
.pair > div { background: var(--fill); border-radius: 8px; padding: .7rem .9rem; min-width: 0; }
.pair h3 { display: flex; justify-content: space-between; gap: 1rem; margin-bottom: .5rem; }
.steps { list-style: none; margin: 0 0 .6rem; padding: 0; font-size: .88rem; }
.steps li { display: grid; grid-template-columns: 1.5rem 1fr; padding: .3rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.steps li > span { color: var(--soft); } .answer { font-size: .88rem; margin: .2rem 0 0; overflow-wrap: anywhere; white-space: pre-wrap; }
.right { color: rgb(var(--good)); font-weight: 600; } .wrong { color: rgb(var(--bad)); font-weight: 600; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .8rem; margin: .2rem 0 .6rem; max-height: 14rem; overflow-y: auto; }
code { overflow-wrap: anywhere; } dd { min-width: 0; overflow-wrap: anywhere; }
`;
