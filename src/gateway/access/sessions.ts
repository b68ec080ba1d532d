// Caps for runs that nobody watches: dollars, calls and minutes of a whole conversation, over all of its requests. What was
// spent is read from the journal when a process first hears of a conversation, and added up from then on; several gateways
// on one Postgres look there each time (../service/shared-sessions.ts).
// Kept exactly for teams: each request reserves what it may spend. A request that is passed through to one model is let in
// while something is left, and the one that crosses the cap is finished. Requests that run at the same time may each make
// the calls that were left when they began.

import { TuttiError } from "../../base/errors.ts";
import { toMoney } from "../../base/format.ts";
import type { TuttiConfig } from "../../config/schema.ts";
import type { Store } from "../../store/types.ts";
import type { ObjectReader } from "../http/object-reader.ts";
import { badRequest } from "../http/object-reader.ts";
import { atMost } from "../runs/preferences.ts";
import type { HeaderReader } from "../types.ts";

export interface SessionCaps {
  usd?: number;
  calls?: number;
  minutes?: number;
}

/** What one request may still take. Undefined: no cap of that kind. */
export interface SessionLeft {
  usd?: number;
  calls?: number;
  ms?: number;
}

/** What was taken of a conversation so far. */
export interface SessionAccount {
  /** Since its first request. */
  passedMs: number;
  usd: number;
  calls: number;
  /** By requests that run. */
  reservedUsd: number;
}

interface Session extends Omit<SessionAccount, "passedMs"> {
  startedAt: number;
}

export interface SessionLedger {
  /** What is left of the caps. Throws "budget-spent" where one of them is reached. */
  check(id: string, caps: SessionCaps): Promise<SessionLeft>;
  /**
   * Holds what a request may spend of what is left, all of it where it wants no less. Throws like `check`. It is held until
   * the release, and until `written` where its spending is not in the journal yet.
   */
  take(
    id: string,
    caps: SessionCaps,
    wanted: { runId: string; usd?: number },
  ): Promise<{ usd?: number; release(written?: Promise<void>): void }>;
  /** What a request of it took. Nothing happens for conversations without caps. */
  add(id: string, usd: number, calls: number): Promise<void>;
}

const MOST_KNOWN = 20_000;
/** A conversation of more requests has spent its caps long ago, or has none worth the name. */
const MOST_RUNS = 10_000;
const MINUTE_MS = 60_000;
/** Less is nothing: no request costs so little. */
const LEAST_USD = 1e-6;

/** Of header, field and config the least counts: a client may ask for less than the gateway's own, never for more. */
export function readSessionCaps(
  body: ObjectReader,
  header: HeaderReader,
  { gateway }: Pick<TuttiConfig, "gateway">,
): SessionCaps | undefined {
  const own = body.optionalObject("tutti");
  const field = typeof own?.value("session") === "string" ? undefined : own?.optionalObject("session");
  const caps: SessionCaps = {};
  for (const name of ["usd", "calls", "minutes"] as const) {
    const inHeader = readHeader(header, `x-tutti-session-${name}`);
    const inField = field?.number(name, { min: 0 });
    const wanted = atMost(inField, inHeader ?? null) ?? inHeader;
    caps[name] = atMost(wanted, gateway.session[name]) ?? gateway.session[name] ?? undefined;
  }
  return Object.values(caps).some((cap) => cap !== undefined) ? caps : undefined;
}

function readHeader(header: HeaderReader, name: string): number | undefined {
  const text = header(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value >= 0) return value;
  throw badRequest(`The header ${name} must be a number of 0 or more, not "${text.slice(0, 40)}".`);
}

/** What is left. Throws "budget-spent". */
export function toLeft(
  { passedMs, usd, calls, reservedUsd }: SessionAccount,
  caps: SessionCaps,
): SessionLeft {
  const left: SessionLeft = {
    usd: caps.usd === undefined ? undefined : caps.usd - usd - reservedUsd,
    calls: caps.calls === undefined ? undefined : Math.floor(caps.calls) - calls,
    ms: caps.minutes === undefined ? undefined : caps.minutes * MINUTE_MS - passedMs,
  };
  if (left.usd !== undefined && left.usd < LEAST_USD) {
    const held = reservedUsd > 0 ? `, ${toMoney(reservedUsd)} more are reserved for requests that run` : "";
    throw spent(`${toMoney(usd)} of ${toMoney(caps.usd)} are spent${held}`);
  }
  if (left.calls !== undefined && left.calls < 1) throw spent(`${calls} of ${caps.calls} calls are made`);
  if (left.ms !== undefined && left.ms <= 0)
    throw spent(`it began ${Math.floor(passedMs / MINUTE_MS)} minutes ago, and ${caps.minutes} are allowed`);
  return left;
}

export class LocalSessions implements SessionLedger {
  readonly #known = new Map<string, Promise<Session>>();
  readonly #openStore: () => Promise<Pick<Store, "listRuns">>;
  readonly #now: () => number;

  constructor(openStore: () => Promise<Pick<Store, "listRuns">>, now: () => number = Date.now) {
    this.#openStore = openStore;
    this.#now = now;
  }

  async check(id: string, caps: SessionCaps): Promise<SessionLeft> {
    return this.#leftOf(await this.#find(id), caps);
  }

  #leftOf({ startedAt, ...taken }: Session, caps: SessionCaps): SessionLeft {
    return toLeft({ ...taken, passedMs: this.#now() - startedAt }, caps);
  }

  async take(
    id: string,
    caps: SessionCaps,
    { usd: wantedUsd }: { usd?: number },
  ): Promise<{ usd?: number; release(): void }> {
    const session = await this.#find(id);
    // In one go with what is taken: two requests at once must not both get the last dollar.
    const { usd: leftUsd } = this.#leftOf(session, caps);
    if (leftUsd === undefined) return { usd: wantedUsd, release: () => {} };
    const usd = Math.min(leftUsd, wantedUsd ?? leftUsd);
    session.reservedUsd += usd;
    let isHeld = true;
    const release = () => {
      if (isHeld) session.reservedUsd = Math.max(0, session.reservedUsd - usd);
      isHeld = false;
    };
    return { usd, release };
  }

  async add(id: string, usd: number, calls: number): Promise<void> {
    const session = await this.#known.get(id);
    if (!session) return;
    session.usd += usd;
    session.calls += calls;
  }

  #find(id: string): Promise<Session> {
    const known = this.#known.get(id) ?? this.#read(id);
    this.#known.delete(id);
    if (this.#known.size >= MOST_KNOWN) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(id, known);
    known.catch(() => this.#known.delete(id));
    return known;
  }

  async #read(id: string): Promise<Session> {
    const runs = await (await this.#openStore()).listRuns({ session: id, limit: MOST_RUNS });
    return {
      startedAt: Math.min(this.#now(), ...runs.map(({ startedAt }) => startedAt)),
      usd: runs.reduce((sum, { costUsd }) => sum + costUsd, 0),
      calls: runs.reduce((sum, each) => sum + each.calls, 0),
      reservedUsd: 0,
    };
  }
}

function spent(what: string): TuttiError {
  return new TuttiError(
    "budget-spent",
    `A cap of this conversation is reached: ${what}. Begin another conversation, or raise the cap.`,
  );
}
