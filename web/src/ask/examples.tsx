// Questions to click where the workers are simulated: they answer only what their small world knows, so the
// questions are made by that world itself. It is loaded only then.

import { useQuery } from "@tanstack/react-query";
import { Button } from "../ui/button.tsx";

const COUNT = 6;
const LONGEST = 170;

type QuestionWorld = typeof import("../../../src/rehearsal/questions.ts");

function useWorld(isWanted: boolean): QuestionWorld | undefined {
  const { data } = useQuery({
    queryKey: ["rehearsal"],
    queryFn: () => import("../../../src/rehearsal/questions.ts"),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}

/** One of each kind, in the order of `seed`. */
function toExamples({ FAMILIES, generateProblems }: QuestionWorld, seed: number): string[] {
  const problems = generateProblems({ count: FAMILIES.length, seed, difficulties: [2] });
  return problems
    .map(({ question }) => question)
    .filter((question) => question.length <= LONGEST)
    .map((question, i) => ({ question, at: ((i + 1) * 7 + seed) % 15 }))
    .sort((a, b) => a.at - b.at)
    .slice(0, COUNT)
    .map(({ question }) => question);
}

export function Examples({ seed, onPick }: { seed: number; onPick: (question: string) => void }) {
  const world = useWorld(true);
  if (!world) return null;
  return (
    <ul className="examples plain-list" aria-label="Questions to try">
      {toExamples(world, seed).map((question) => (
        <li key={question}>
          <button type="button" className="example" onClick={() => onPick(question)}>
            {question}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Below an answer of simulated workers to a question that they cannot know. */
export function OfferExample({ question, onPick }: { question: string; onPick: (question: string) => void }) {
  const world = useWorld(true);
  if (!world || world.readProblem(question)) return null;
  const example = toExamples(world, question.length)[0];
  if (example === undefined) return null;
  return (
    <p className="note small">
      Simulated workers answer only what their small world knows, and this is not in it. Ask them, for
      example:{" "}
      <Button isSmall className="offer" onClick={() => onPick(example)}>
        {example}
      </Button>
    </p>
  );
}
