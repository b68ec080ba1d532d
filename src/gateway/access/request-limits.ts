// How much one client may send, ask for and hold at once: every bound of the gateway in one place. None of them is
// near what a program that works sends; each is there because without it one key could hold up, or fill up, everybody.

// ---- Words --------------------------------------------------------------------------------------

/** Of models, pools, workers, tools, replies: the longest in use have about a hundred characters. */
export const LONGEST_NAME = 256;
/** Of a call of a tool: some clients hide a model's signature in it, which has kilobytes. */
export const LONGEST_CALL_ID = 8_192;
/** Of what stands behind the question mark; a text that is searched for is the longest. */
export const LONGEST_QUERY_VALUE = 1_024;

// ---- Bodies -------------------------------------------------------------------------------------

/** Items and members of a whole body: parsing ten times as many takes half a second. */
export const MOST_VALUES = 150_000;
/** What is parsed is written again, into the journal and to providers, which ends at some depth of the stack. */
export const DEEPEST = 200;
/** Messages, or items where a turn is several of them: an agent that works all day sends some thousand. */
export const MOST_MESSAGES = 8_192;
/** Of one message: text, images, results of tools, calls of tools. */
export const MOST_PARTS = 1_024;
/** Agents with many servers of tools send some hundred. */
export const MOST_TOOLS = 512;
export const MOST_STOPS = 64;
/** Of images inside of a conversation that a team reads: every step sends them again, and the journal holds them. */
export const MOST_IMAGE_BYTES = 8_000_000;
/** Workers that a request names for its team; a Conductor reads all of them. */
export const MOST_POOL_NAMES = 64;
/** Of a schema that the answer must fit, or of a workflow, as JSON: providers take far less. */
export const LONGEST_SCHEMA = 256_000;

// ---- Uploads, and what runs hold ------------------------------------------------------------------------------------

/** Bodies that are read or answered now, of the whole gateway: four of the largest for each of sixteen keys. */
export const MOST_BYTES_IN_FLIGHT = 256_000_000;
/** The same of one key. A key that has so much under way waits for its own replies, not others for it. */
export const MOST_BYTES_OF_KEY = 64_000_000;
/** Bodies of one key that arrive at the same time, where the key has no bound of its own. */
export const MOST_UPLOADS_OF_KEY = 32;
/** Larger ones are decoded in slices and parsed one at a time: each would hold everybody up for tens of milliseconds. */
export const LARGE_BODY_BYTES = 1_000_000;

// ---- Connections and readers ---------------------------------------------------------------------

/**
 * Beyond it, whoever has been silent for longest is cut off. A run has a connection to its client and one or more to providers,
 * and all of them are open files: where a process may open fewer, a third of those are for clients (http/connection-limit.ts).
 */
export const MOST_CONNECTIONS = 8_000;
/** Requests of one key that are answered at the same time, of whatever kind: repeats that join a run take no other place. */
export const MOST_OPEN_OF_KEY = 512;
/** Readers of live events, of one key: tabs of a dashboard and clients that follow their runs. */
export const MOST_READERS_OF_KEY = 64;
/** Readers of the live events of one run. */
export const MOST_READERS_OF_RUN = 32;

// ---- Questions about the journal -------------------------------------------------------------------

/** Requests a second that only read, of one key: a dashboard asks for a few, with bursts when a page opens. */
export const READS_PER_SECOND = 50;
export const READ_BURST = 200;
/** What was sent counts too, a request for each so many bytes: long answers cost more to make than short ones. */
export const READ_UNIT_BYTES = 65_536;
/** Reads of one key that are under way at once. */
export const MOST_READS_AT_ONCE = 16;
/** A question that takes longer is given up: it has read millions of runs by then. */
export const READ_MS = 30_000;

// ---- Copies of replies ----------------------------------------------------------------------------

/** Relayed replies kept for a repeat with the same idempotency key, in all and of one key. */
export const MOST_COPIED_BYTES = 64_000_000;
export const MOST_COPIED_BYTES_OF_KEY = 16_000_000;
