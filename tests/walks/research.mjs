// Somebody who does research: a short training of each kind, a bench, and its report. Training the native Conductor
// needs the engine; where it is not installed the command that brings it is said.
export const research = ({ hasEngine }) => ({
  name: "research",
  steps: [
    {
      run: "npx tutti train trinity --rehearsal --iterations 1 --seed 1 --out trinity",
      says: [/report\.html/, /scripted-planner/],
    },
    hasEngine
      ? {
          run: "npx tutti train --rehearsal --iterations 2 --seed 1 --group 2 --questions 2 --width 32 --layers 1 --out native",
          says: [/report\.html/, /trained Conductor/],
        }
      : {
          run: "npx tutti train --rehearsal --minutes 5",
          exit: 1,
          says: [/Install it with: npm install onnxruntime-node@\S+ --ignore-scripts/],
        },
    {
      run: "npx tutti bench --rehearsal --conductor best-single,native --limit 60 --out benched-rehearsal",
      says: [/native/, /best-single/],
    },
    {
      run: "test -s benched-rehearsal/report.html && test -s trinity/report.html && echo there",
      says: [/there/],
    },
  ],
});
