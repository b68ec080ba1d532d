// Who takes over when somebody fails, and who answers when nobody planned: the strongest first.

import { isModel } from "./kinds.ts";
import type { PoolMember, Profile, WorkerKind } from "./types.ts";

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

function successOf({ profile }: Ranked): number {
  return profile?.success ?? -1;
}
