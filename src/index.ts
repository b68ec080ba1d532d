// The public API. What is not named here is not promised.

export { isTuttiError, TuttiError } from "./base/errors.ts";
export type { Belief, BelievedAnswer, BelievedOption, TurnRole } from "./belief/types.ts";
export { type Card, type Checkpoint, loadCheckpoint } from "./conductor/native/checkpoint.ts";
export {
  createNativeConductor,
  type NativeConductor,
  type NativeOptions,
} from "./conductor/native/native.ts";
export type { ComposeRequest, Conductor, PlanEvent } from "./conductor/types.ts";
export type { TuttiConfigInput as TuttiConfig } from "./config/schema.ts";
export type { PlanEstimate } from "./perform/estimate.ts";
export type { FailedAttempt, Run, RunRound, RunStep } from "./perform/run.ts";
export type { Verdict } from "./perform/stage.ts";
export type { Limits } from "./store/limits.ts";
export type {
  KeyAccount,
  LostReservation,
  ReservationReply,
  ReservationRequest,
} from "./store/reservation.ts";

export type {
  ConductorIdentity,
  Origin,
  Owner,
  PoolEntry,
  RunEvent,
  RunFilter,
  RunSettings,
  RunSummary,
  SpendingFilter,
  SpendingGroup,
  SpendingRow,
  StepPosition,
  StopReason,
  Store,
} from "./store/types.ts";

export type { AskOptions, PlanForReview, ResumeOptions } from "./tutti/ask-options.ts";
export type { RunObserver } from "./tutti/observers.ts";
export {
  createTutti,
  type RunStream,
  type Tutti,
  type TuttiInput,
  type TuttiOptions,
} from "./tutti/tutti.ts";
export { createConsensusWorker } from "./worker/consensus.ts";
export { createModelWorker } from "./worker/provider.ts";
export type {
  Brief,
  Exchange,
  FinishReason,
  Message,
  OutputSettings,
  Part,
  Pool,
  PoolMember,
  Price,
  Profile,
  Task,
  ToolCall,
  ToolChoice,
  ToolDefinition,
  ToolResult,
  Usage,
  VisibleStep,
  Worker,
  WorkerEvent,
  WorkerRequest,
} from "./worker/types.ts";
export { parseWorkflow } from "./workflow/parse.ts";
export { renderWorkflow } from "./workflow/render.ts";
export type {
  Access,
  Decision,
  ParseOptions,
  ParseResult,
  Step,
  Workflow,
  WorkflowError,
  WorkflowErrorCode,
} from "./workflow/types.ts";
export { validateWorkflow } from "./workflow/validate.ts";
export { toDependencies, toWaves } from "./workflow/waves.ts";
