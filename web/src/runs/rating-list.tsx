// What was said of a run, by people and by the run itself, oldest first.

import type { Run } from "../../../src/perform/run.ts";
import { Tag } from "../ui/tag.tsx";
import { When } from "../ui/values.tsx";

export function RatingList({ feedback = [] }: { feedback?: Run["feedback"] }) {
  if (feedback.length === 0) return null;
  return (
    <ul className="dense-list small" aria-label="Ratings">
      {feedback.map(({ score, label, comment, isInferred, at }) => (
        <li key={`${at} ${score} ${label}`}>
          <Tag tone={score >= 0.5 ? "good" : "bad"} title={`A score of ${score}, from 0 to 1`}>
            {toWord(score)}
          </Tag>{" "}
          {isInferred && <span className="muted">told by the run itself: </span>}
          {[label, comment].filter(Boolean).join(" · ")} <When at={at} />
        </li>
      ))}
    </ul>
  );
}

function toWord(score: number): string {
  return score === 1 ? "good" : score === 0 ? "bad" : String(score);
}
