// How everything looks: one palette and one style of drawings for static reports and the dashboard, and the layout of
// static pages. Nothing is loaded from anywhere.

/** Every colour by its name, for light and dark. All of them: Vite rewrites `light-dark` in style sheets of the dashboard. */
const PALETTE = `
:root { color-scheme: light dark;
  --paper: light-dark(#f7f7f5, #14151a); --card: light-dark(#ffffff, #1c1e25); --sunken: light-dark(#f0f0ec, #17181e);
  --raised: light-dark(#ffffff, #23262f); --ink: light-dark(#1d1f27, #e8e9ee); --muted: light-dark(#5d6170, #a2a6b6);
  --line: light-dark(#e2e2dc, #2f323d); --line-strong: light-dark(#c9c9c2, #454957);
  --edge: light-dark(#b5b5ac, #666c82); --shadow: 0 1px 2px light-dark(rgb(20 22 40 / 6%), rgb(0 0 0 / 30%));
  --accent: light-dark(#3b4cca, #98a5ff); --accent-ink: light-dark(#ffffff, #14151a); --accent-soft: light-dark(#eceefb, #262b47);
  --good: light-dark(#176f3c, #6fd39a); --good-soft: light-dark(#e3f3e9, #183527);
  --warn: light-dark(#8a5300, #f0b95a); --warn-soft: light-dark(#fdf1dc, #3a2d14);
  --bad: light-dark(#b3261e, #ff9a91); --bad-soft: light-dark(#fbe9e7, #43201d); --gain: var(--good); --loss: var(--bad);
  --series-0: light-dark(#3b4cca, #98a5ff); --series-1: light-dark(#c2542d, #f39a78); --series-2: light-dark(#1c7c6b, #58cdb8);
  --series-3: light-dark(#9a3f93, #e18fda); --series-4: light-dark(#8c6a00, #dcbc4d); --series-5: light-dark(#2a7ab0, #6fbdf0);
  --series-6: light-dark(#5c7d1f, #a5cc5c); --series-7: light-dark(#a33a55, #f08fa8); }
`;

/** Shapes of drawing.ts by their class, legends, rows of tables, and cards with a sampled workflow. */
const DRAWINGS = `
svg[role="img"] { display: block; max-width: 100%; height: auto; } svg text { fill: var(--ink); font-size: 12px; }
svg .tick, svg .stage { fill: var(--muted); } svg .stage, svg .name { font-size: 11px; } svg .tick.small { font-size: 9px; }
svg .grid { stroke: var(--line); } svg .axis { stroke: var(--muted); } svg .leader { stroke: var(--muted); stroke-width: .75; }
svg .label { paint-order: stroke; stroke: var(--card); stroke-width: 3px; stroke-linejoin: round; }
svg .label.strong { font-weight: 700; } svg .front { stroke: var(--accent); stroke-width: 2; fill: none; }
svg .whisker { stroke: var(--muted); stroke-width: 1.25; } svg .point { fill: var(--muted); } svg .point.best { fill: var(--accent); }
svg .point.bound { fill: var(--card); stroke: var(--muted); stroke-width: 1.5; } svg .point.marked { stroke: var(--ink); stroke-width: 2; }
svg .share { fill: var(--accent); opacity: .75; } svg .share.plain { fill: var(--muted); opacity: .45; } svg .stack { fill: currentColor; }
svg .band { fill: var(--sunken); } svg .band.other { fill: var(--line); opacity: .55; }
svg .raw { fill: none; stroke: currentColor; opacity: .32; } svg .mean { fill: none; stroke: currentColor; stroke-width: 2.2; stroke-linejoin: round; }
svg .reach { fill: currentColor; opacity: .1; }
svg .area { fill: currentColor; stroke: var(--card); stroke-width: .6; opacity: .85; }
svg .mark { fill: var(--card); stroke: currentColor; stroke-width: 1.4; } svg .mark.best { fill: currentColor; }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1rem; margin: .1rem 0 .3rem; padding: 0; font-size: .82rem; color: var(--muted); }
.legend b { color: var(--ink); font-weight: 600; font-variant-numeric: tabular-nums; }
.dash, .dot { display: inline-block; vertical-align: middle; margin-right: .4rem; width: .95rem; height: .22rem; border-radius: 2px; }
.dot { width: .5rem; height: .5rem; border-radius: 50%; }
tr.best td { background: var(--accent-soft); } tr.bound td { font-style: italic; color: var(--muted); }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); gap: 1.4rem 1.6rem; }
.sample-question { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 9.5rem; overflow-y: auto; margin: 0 0 .8rem; max-width: none; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1rem; }
.pair > div { background: var(--sunken); border-radius: 8px; padding: .7rem .9rem; min-width: 0; }
.pair h3 { display: flex; justify-content: space-between; gap: 1rem; margin-bottom: .5rem; }
.pair small { color: var(--muted); font-weight: 400; }
.steps { list-style: none; margin: 0 0 .6rem; padding: 0; font-size: .88rem; }
.steps li { display: grid; grid-template-columns: 1.5rem 1fr; padding: .3rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.steps li > span { color: var(--muted); } .reply { font-size: .88rem; margin: .2rem 0 0; overflow-wrap: anywhere; white-space: pre-wrap; }
.right-answer { color: var(--good); font-weight: 600; } .wrong-answer { color: var(--bad); font-weight: 600; }
`;

/** What the dashboard takes of it: the rest of its style is its own. */
export const SHARED_STYLE = PALETTE + DRAWINGS;

export const PAGE_STYLE = `${SHARED_STYLE}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 78rem; background: var(--card); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
a { color: var(--accent); } h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2.6rem 0 .4rem; }
h3 { font-size: .9rem; margin: 0 0 .3rem; font-weight: 600; } p { margin: .4rem 0 .8rem; max-width: 46rem; }
.muted, small, .hint { color: var(--muted); } .hint { font-size: .85rem; margin: .2rem 0 0; }
.notice { background: var(--warn-soft); color: var(--warn); padding: .5rem .8rem; border-radius: 6px; font-weight: 600; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .87rem; }
th, td { padding: .28rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { color: var(--muted); font-weight: 500; } th:first-child, td:first-child, .left { text-align: left; }
td.left { white-space: normal; min-width: 14rem; } td.short { min-width: 6rem; }
.cells td, .cells th { padding: .18rem .45rem; font-size: .8rem; } .cells th.turned { vertical-align: bottom; height: 8rem; }
.cells th.turned span { writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; }
figure { margin: 0; min-width: 0; } figcaption { font-weight: 600; font-size: .95rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 27rem), 1fr)); gap: 1.6rem 1.8rem; }
.charts.small { margin-top: 1.8rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); }
.sample { border-top: 1px solid var(--line); padding-top: .9rem; margin-top: 1.2rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.2rem; font-size: .9rem; } dt { color: var(--muted); }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; } code { overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .8rem; margin: .2rem 0 .6rem; max-height: 14rem; overflow-y: auto; }
`;
