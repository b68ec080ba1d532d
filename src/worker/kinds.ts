// What follows from a worker's kind. The one place that knows the kinds: everybody else asks for a trait, so a new
// kind is one line here, and the compiler points at the few texts that name each kind for people.

import { createConsensusWorker } from "./consensus.ts";
import { createSelfWorker } from "./self.ts";
import type { Pool, PoolMember, Profile, WorkerKind } from "./types.ts";

interface KindTraits {
  /** Asking it is a call to a model: it may have a price, be measured, recorded, and judge. */
  isModel: boolean;
  /** Asking it is no call and costs nothing. */
  isFree: boolean;
  /** It only combines the replies it sees: it has no vote of its own, and cannot be told to write differently. */
  combines: boolean;
  /** Asking it starts a nested run, which has a depth and pays for itself. */
  nests: boolean;
  /** It says whether a reply holds, in the words of TRINITY's Verifier. */
  verifies: boolean;
}

const KINDS: Record<WorkerKind, KindTraits> = {
  model: { isModel: true, isFree: false, combines: false, nests: false, verifies: false },
  tool: { isModel: false, isFree: true, combines: true, nests: false, verifies: false },
  verifier: { isModel: false, isFree: true, combines: true, nests: false, verifies: true },
  conductor: { isModel: false, isFree: false, combines: false, nests: true, verifies: false },
};

interface OfKind {
  readonly kind: WorkerKind;
}

export const isModel = ({ kind }: OfKind): boolean => KINDS[kind].isModel;
export const isFree = ({ kind }: OfKind): boolean => KINDS[kind].isFree;
export const combines = ({ kind }: OfKind): boolean => KINDS[kind].combines;
export const verifies = ({ kind }: OfKind): boolean => KINDS[kind].verifies;
export const nests = ({ kind }: OfKind): boolean => KINDS[kind].nests;

/** The members of a pool that are models, in their order. */
export function modelsOf<Member extends { worker: OfKind }>({ members }: { members: readonly Member[] }) {
  return members.filter(({ worker }) => isModel(worker));
}

/** Positions of the members whose worker is such a one. */
export function numbersOf(
  { members }: { members: readonly { worker: OfKind }[] },
  isWanted: (worker: OfKind) => boolean,
): number[] {
  return [...members.keys()].filter((number) => isWanted(members[number]!.worker));
}

/** Such a worker may be shown replies of others. */
export const takesHandOffs = ({ refusesHandOffs }: { refusesHandOffs?: boolean }): boolean =>
  !refusesHandOffs;

/** The models of a pool may see each other's replies; where they may not, a team is voices that are compared. */
export function handsOff({ members }: Pool): boolean {
  return modelsOf({ members }).every(({ worker }) => takesHandOffs(worker));
}

/** Simulated workers took part: replies and money are not real. */
export function isSimulated(workers: readonly { isSimulated?: boolean }[]): boolean {
  return workers.some((worker) => worker.isSimulated);
}

export function isSimulatedPool({ members }: Pool): boolean {
  return isSimulated(members.map(({ worker }) => worker));
}

/** For files from before workers had the trait: nobody else may be called so (config/schema.ts). */
export function isRehearsalId(id: string): boolean {
  return id.startsWith("rehearsal/");
}

// ---- The strongest first -------------------------------------------------------------------------

// Who takes over when somebody fails, and who answers when nobody planned: the strongest first.

export interface Ranked {
  kind: WorkerKind;
  profile?: Profile;
}

/**
 * Numbers of the models, strongest first: highest measured success, then the order of the pool (the
 * order of the config; discovered pools are laid out by output price). Tools and `self` are left out.
 */
export function strongestFirst(members: readonly Ranked[]): number[] {
  return members
    .map((member, number) => ({ number, member }))
    .filter(({ member }) => isModel(member))
    .sort((a, b) => successOf(b.member) - successOf(a.member) || a.number - b.number)
    .map(({ number }) => number);
}

/** The same for the members of a pool. */
export function strongestMembers(members: readonly PoolMember[]): number[] {
  return strongestFirst(members.map(({ worker: { kind }, profile }) => ({ kind, profile })));
}

/** By what is expected of each for the question at hand, where that is known. */
export function strongestForQuestion(members: readonly PoolMember[]): number[] {
  return strongestFirst(
    members.map(({ worker: { kind }, profile }) => ({
      kind,
      profile: profile && {
        ...profile,
        success: profile.probability ?? profile.similar ?? profile.success,
      },
    })),
  );
}

function successOf({ profile }: Ranked): number {
  return profile?.success ?? -1;
}

// ---- Helpers -------------------------------------------------------------------------------------

// Workers that any pool may have beside its models, by their ids. No data leaves through them: they combine replies,
// or conduct the same pool again.

const HELPERS = {
  consensus: (): PoolMember => ({ worker: createConsensusWorker(), price: { inputUsd: 0, outputUsd: 0 } }),
  self: (): PoolMember => ({ worker: createSelfWorker() }),
};

export type HelperId = keyof typeof HELPERS;
export const HELPER_IDS = Object.keys(HELPERS) as HelperId[];

export function isHelperId(id: string): id is HelperId {
  return Object.hasOwn(HELPERS, id);
}

export function createHelper(id: HelperId): PoolMember {
  return HELPERS[id]();
}
