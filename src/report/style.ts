// How the report looks. Colours are named once for light and once for dark; nothing is loaded from anywhere.

export const STYLE = `
:root { color-scheme: light dark; --paper: #fdfdfb; --ink: #1f2328; --soft: #62696f; --line: #d9dcdf; --fill: #eef0f1;
  --accent: #0b66c2; --accent-soft: #0b66c22e; --good: 22 128 74; --bad: 196 50 42; --warn: #8a5a00; --warn-fill: #fff4d6; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171a; --ink: #e4e7ea; --soft: #98a1a9; --line: #363c42; --fill: #20252a;
  --accent: #62aef7; --accent-soft: #62aef733; --good: 74 190 122; --bad: 240 110 100; --warn: #f0c674; --warn-fill: #3a2f12; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 62rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2.6rem 0 .4rem; }
h3 { font-size: .9rem; margin: 0 0 .3rem; font-weight: 600; }
p { margin: .4rem 0 .8rem; max-width: 46rem; } .soft { color: var(--soft); } small { color: var(--soft); }
.simulated { background: var(--warn-fill); color: var(--warn); padding: .5rem .8rem; border-radius: 6px; font-weight: 600; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .87rem; }
th, td { padding: .28rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 500; } th:first-child, td:first-child, .left { text-align: left; }
td.wide { white-space: normal; text-align: left; min-width: 16rem; }
tr.best td { background: var(--accent-soft); } tr.bound td { font-style: italic; color: var(--soft); }
svg { display: block; max-width: 100%; height: auto; } svg text { fill: var(--ink); font-size: 12px; }
svg .label { paint-order: stroke; stroke: var(--paper); stroke-width: 3px; stroke-linejoin: round; } svg .soft { fill: var(--soft); } svg .grid { stroke: var(--line); stroke-width: 1; } svg .axis { stroke: var(--soft); }
svg .front { stroke: var(--accent); stroke-width: 2; fill: none; } svg .leader { stroke: var(--soft); stroke-width: .75; }
svg .whisker { stroke: var(--soft); stroke-width: 1.25; } svg .point { fill: var(--soft); } svg .point.best { fill: var(--accent); }
svg .point.bound { fill: var(--paper); stroke: var(--soft); stroke-width: 1.5; } svg .bar { fill: var(--accent); opacity: .75; }
svg .bar.plain { fill: var(--soft); opacity: .45; }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)); gap: 1.4rem 1.6rem; }
.cells td, .cells th { padding: .18rem .45rem; font-size: .8rem; } .cells th.turned { vertical-align: bottom; height: 8rem; }
.cells th.turned span { writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.2rem; font-size: .9rem; } dt { color: var(--soft); } dd { margin: 0; }
`;
