// Somebody who has no key at all: the rehearsal answers, says that it is simulated, and everything can be looked at.
export const noKey = () => ({
  name: "no key",
  steps: [
    {
      run: 'npx tutti ask "Which atomic number does thorium have?"',
      says: [/Answer: 90/, /simulated/, /Conductor: native:rehearsal/],
      never: [/Worth here/, /npm warn (?!Unknown user config)/],
      // The first answer after the installation, npx included.
      mostCpuSeconds: 3,
    },
    { run: "npx tutti --version", says: [/^\d+\.\d+\.\d+/m] },
    { run: "npx tutti runs", says: [/atomic number/] },
    { run: "npx tutti pool", says: [/rehearsal\//] },
    { run: "npx tutti doctor", says: [/node/, /engine/] },
    { run: "npx tutti asq", exit: 2, says: [/ask/] },
  ],
});
