// What the routes of one gateway share.

import type { Environment } from "../config/home.ts";
import type { TuttiConfig } from "../config/schema.ts";
import type { RunEngine } from "../durable/engine.ts";
import type { Log } from "../http/log.ts";
import type { CountedInputs } from "../perform/counted-inputs.ts";
import type { Tutti } from "../tutti/tutti.ts";
import type { AdmissionControl } from "./access/admission.ts";
import type { HeldBytes } from "./access/held-bytes.ts";
import type { KeyRing } from "./access/keys.ts";
import type { Places } from "./access/places.ts";
import type { ReadLimit } from "./access/read-limit.ts";
import type { SessionLedger } from "./access/sessions.ts";
import type { UploadDesk } from "./access/uploads.ts";
import type { ResponseCache } from "./cache/response-cache.ts";
import type { RehearsalTrainer } from "./dashboard/trainer.ts";
import type { Metrics } from "./http/metrics.ts";
import type { PageFiles } from "./http/page-files.ts";
import type { PastReader } from "./reads/reader.ts";
import type { ReplyCopies } from "./relay/copies.ts";
import type { JournalBatch } from "./relay/journal-batch.ts";
import type { RelayPools } from "./relay/pools.ts";
import type { LiveRuns } from "./runs/live-runs.ts";
import type { ModelCatalog } from "./runs/models.ts";
import type { RunDispatcher } from "./runs/run-dispatcher.ts";
import type { RemoteRuns } from "./service/remote-runs.ts";
import type { Service } from "./service/service.ts";
import type { SharedCopies } from "./service/shared-copies.ts";
import type { ShadowDesk } from "./shadow/shadow-desk.ts";
import type { Dialect } from "./types.ts";

export interface GatewayContext {
  tutti: Tutti;
  config: TuttiConfig;
  env: Environment;
  keys: KeyRing;
  admission: AdmissionControl;
  /** What workers have counted of requests that were passed through for keys with a budget. */
  counted: CountedInputs;
  /** What conversations with caps have spent. */
  sessions: SessionLedger;
  uploads: UploadDesk;
  /** By runs that are performed now. */
  held: HeldBytes;
  /** Requests that are being answered, by key. */
  open: Places;
  readLimit: ReadLimit;
  /** Of live events: of one key, and of one run. */
  readers: { ofKey: Places; ofRun: Places };
  models: ModelCatalog;
  live: LiveRuns;
  dispatcher: RunDispatcher;
  /** Asks a share of the requests once more, unseen. */
  shadow: ShadowDesk;
  pools: RelayPools;
  copies: ReplyCopies;
  /** Those of all gateways. Absent as `service` is. */
  sharedCopies: SharedCopies | undefined;
  /** Absent: no answer is given twice. */
  responseCache: ResponseCache | undefined;
  journalBatch: JournalBatch;
  metrics: Metrics;
  log: Log;
  /** Where it was started: trainings and benches lie below. */
  cwd: string;
  trainer: RehearsalTrainer;
  /** Bills, lists, trainings and benches: whatever may take long to read. */
  reader: PastReader;
  /** Single runs, of which requests go on: in a thread of its own, so that they do not wait behind bills. */
  runReader: PastReader;
  /** What it speaks: the first one is also that of routes that are nobody's own. */
  dialects: readonly Dialect[];
  /** The dashboard. Absent where it was not built. */
  page: PageFiles | undefined;
  /** What is shared with other gateways besides the journal. Absent where the journal is this machine's. */
  service: Service | undefined;
  /** Runs that other gateways perform. Absent as `service` is. */
  remote: RemoteRuns | undefined;
  /** Goes on with runs of gateways that died, and has others go on with its own. Absent where the journal is this machine's. */
  engine: RunEngine | undefined;
  /** It was told to end: what runs is finished, nothing new begins. */
  isClosing: boolean;
  /** Requests that are passed through now. */
  relaying: number;
}
