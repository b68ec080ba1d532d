// The posterior over the answers given so far. Each group of equal answers may be the right one, or none is. Two things tie
// workers together, and a vote that ignores them is too sure of itself: a question that is hard is hard for all of them
// (a common difficulty z), and who is wrong may be wrong in the same way (coincidence).
// Where a question has several right answers, a new one says less against the old ones. Exact for this model: a sum over the
// groups and seven points of z, updated reply by reply. Where two answers are right, the one that was said first stands for both.

/** Gauss–Hermite for a standard normal difficulty, seven points. */
const POINTS = [-3.75044, -2.366759, -1.154405, 0, 1.154405, 2.366759, 3.75044];
const WEIGHTS = [0.000548269, 0.030757124, 0.240123179, 0.457142857, 0.240123179, 0.030757124, 0.000548269];
const SIZE = POINTS.length;
/** Nobody is certain: a probability of 0 or 1 could never be mended by what others say. */
const LEAST = 0.005;

/** What ties the replies of different workers together for one question. */
export interface Dependence {
  /** Weight of the common difficulty; 0: mistakes are independent. */
  difficulty: number;
  /** That `worker`, being wrong, repeats the wrong answer of `other`. */
  coincidence(worker: number, other: number): number;
  /** That two right answers are the same, 0..1; by default 1. Below it, another answer may be right as well. */
  agreement?: number;
}

/** The right answer is that of a group, or (the last row) nobody's so far. */
export interface Posterior {
  /** Workers by group of equal answers, in the order in which the groups appeared. */
  readonly groups: readonly (readonly number[])[];
  /** Joint weight by hypothesis and difficulty: groups.length + 1 rows of seven; not normalised. */
  readonly mass: Float64Array;
}

export const NOTHING_SAID: Posterior = { groups: [], mass: Float64Array.from(WEIGHTS) };

/** p(z) of a worker that is right with this probability over all z. */
export function toCurve(probability: number, difficulty: number): Float64Array {
  const p = Math.min(1 - LEAST, Math.max(LEAST, probability));
  // A logistic that is averaged over a normal is flatter: this keeps its mean where it was.
  const centre = Math.log(p / (1 - p)) * Math.sqrt(1 + (Math.PI / 8) * difficulty ** 2);
  return Float64Array.from(POINTS, (z) => 1 / (1 + Math.exp(-(centre + difficulty * z))));
}

/**
 * After one more reply. `group`: whose answer it repeats; `groups.length`: a new answer; -1: no answer at all, which only
 * says that the question is hard.
 */
export function hear(
  { groups, mass }: Posterior,
  worker: number,
  curve: Float64Array,
  group: number,
  { coincidence, agreement = 1 }: Dependence,
): Posterior {
  const before = groups.length;
  const isNew = group === before;
  const after = new Float64Array((before + (isNew ? 2 : 1)) * SIZE);
  const joining = groups.map((members) => mostLikelyToJoin(worker, members, coincidence));
  let all = 0;
  for (const each of joining) all += each;
  for (let right = 0; right <= before; right++) {
    // Of a wrong answer, where `right` is the right one: it joins another group, or is new.
    const others = all - (joining[right] ?? 0);
    const share = Math.max(1, others / 0.95);
    const wrong = group < 0 ? 1 : isNew ? 1 - others / share : (joining[group] ?? 0) / share;
    const row = (isNew && right === before ? before + 1 : right) * SIZE;
    const isRight = right === group && !isNew;
    const otherwiseRight = isNew && right < before ? 1 - agreement : 0;
    for (let z = 0; z < SIZE; z++) {
      const [weight, p] = [mass[right * SIZE + z]!, curve[z]!];
      after[row + z] = weight * (isRight ? p * agreement : (1 - p) * wrong + p * otherwiseRight);
    }
  }
  if (isNew) for (let z = 0; z < SIZE; z++) after[before * SIZE + z] = mass[before * SIZE + z]! * curve[z]!;
  if (group < 0) return { groups, mass: after };
  const next = groups.map((members, i) => (i === group ? [...members, worker] : members));
  return { groups: isNew ? [...next, [worker]] : next, mass: after };
}

/**
 * Expected mass of the heaviest group after one more reply, whatever it says. What `hear` and `bestMass` give over all groups,
 * without a posterior for each: looking ahead spends its time here.
 */
export function expectedBestMass(
  { groups, mass }: Posterior,
  worker: number,
  curve: Float64Array,
  { coincidence, agreement = 1 }: Dependence,
): number {
  const count = groups.length;
  const joining = groups.map((members) => mostLikelyToJoin(worker, members, coincidence));
  let all = 0;
  for (const each of joining) all += each;
  /** By hypothesis: this worker is right, or wrong. */
  const [right, wrong] = [new Float64Array(count + 1), new Float64Array(count + 1)];
  for (let row = 0; row <= count; row++)
    for (let z = 0; z < SIZE; z++) {
      const weight = mass[row * SIZE + z]!;
      right[row]! += weight * curve[z]!;
      wrong[row]! += weight * (1 - curve[z]!);
    }
  let sum = 0;
  for (let group = 0; group <= count; group++) {
    let best = group === count ? right[count]! : right[group]! * agreement;
    for (let row = 0; row < count; row++) {
      if (row === group) continue;
      const others = all - joining[row]!;
      const share = Math.max(1, others / 0.95);
      const after =
        group === count
          ? wrong[row]! * (1 - others / share) + right[row]! * (1 - agreement)
          : (wrong[row]! * joining[group]!) / share;
      best = Math.max(best, after);
    }
    sum += best;
  }
  return sum;
}

function mostLikelyToJoin(
  worker: number,
  members: readonly number[],
  coincidence: Dependence["coincidence"],
): number {
  let most = 0;
  for (const other of members) most = Math.max(most, coincidence(worker, other));
  return most;
}

/** Of each group, and last that none is right. They sum to 1. */
export function probabilitiesOf({ groups, mass }: Posterior): number[] {
  const rows = Array.from({ length: groups.length + 1 }, (_, row) => massOf(mass, row));
  const total = rows.reduce((sum, each) => sum + each, 0);
  return rows.map((each) => each / total);
}

export function massOf(mass: Float64Array, row: number): number {
  let sum = 0;
  for (let z = row * SIZE; z < (row + 1) * SIZE; z++) sum += mass[z]!;
  return sum;
}

export function totalMass(mass: Float64Array): number {
  let sum = 0;
  for (const each of mass) sum += each;
  return sum;
}

/** The heaviest group, in mass; 0 before anybody spoke. */
export function bestMass({ groups, mass }: Posterior): number {
  let best = 0;
  for (let row = 0; row < groups.length; row++) best = Math.max(best, massOf(mass, row));
  return best;
}

/** How well somebody judges an answer. */
export interface Judge {
  /** That a right answer is accepted. */
  sensitivity: number;
  /** That a wrong answer is sent back. */
  specificity: number;
}

/** After a verdict on the answer of a group. */
export function judge(
  { groups, mass }: Posterior,
  group: number,
  isAccepted: boolean,
  { sensitivity, specificity }: Judge,
): Posterior {
  const ifRight = isAccepted ? sensitivity : 1 - sensitivity;
  const ifWrong = isAccepted ? 1 - specificity : specificity;
  const after = mass.slice();
  for (let at = 0; at < after.length; at++) after[at]! *= Math.floor(at / SIZE) === group ? ifRight : ifWrong;
  return { groups, mass: after };
}
