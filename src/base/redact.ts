// Secrets out of texts. Whoever reads a key from the environment registers it here, so that it can be
// taken out of whatever is journaled or shown, also where it is percent-encoded or inside base64.
// `redact` also takes out what only looks like a key: it is for errors and logs, where losing a word is
// cheaper than showing a key. Every pattern starts at a fixed text, so the time is linear.

const MARK = "[redacted]";
const MIN_SECRET_LENGTH = 8;

/** What manuals of local servers tell people to write where a key is asked for: words, not secrets. */
const PLACEHOLDERS = new Set(["lm-studio", "not-needed", "no-key-required", "localhost"]);

const secrets = new Set<string>();
let registered: RegExp | undefined;

/** Shorter values than eight characters are ignored: they would blacken ordinary words. */
export function registerSecret(value: string): void {
  const secret = value.trim();
  if (!isWorthHiding(secret) || secrets.has(secret)) return;
  secrets.add(secret);
  const forms = [...new Set([...secrets].flatMap(encodedForms))].sort((a, b) => b.length - a.length);
  // The mark comes first so that no secret can match from the middle of one: redacting twice is redacting once.
  registered = new RegExp([MARK, ...forms].map(escapeForRegExp).join("|"), "g");
}

function isWorthHiding(secret: string): boolean {
  return secret.length >= MIN_SECRET_LENGTH && !PLACEHOLDERS.has(secret) && !MARK.includes(secret);
}

/** Every way in which a secret may be written, the longest first. None for what is not worth hiding. */
export function formsOf(secret: string): string[] {
  if (!isWorthHiding(secret)) return [];
  return [...new Set(encodedForms(secret))].sort((a, b) => b.length - a.length);
}

/** Takes out registered secrets and whatever looks like a key. */
export function redact(text: string): string {
  return redactRegisteredText(text)
    .replace(URL_CREDENTIALS, `$1${MARK}@`)
    .replace(NAMED_VALUE, `$1${MARK}`)
    .replace(QUERY_KEY, `$1${MARK}`)
    .replace(BEARER, `$1${MARK}`)
    .replace(KEY, MARK);
}

/**
 * Takes out registered secrets only, and returns the same value where there is nothing to take out.
 * Values under the names in `keep` stay: they are words of our own that programs compare.
 */
export function redactRegistered<T>(value: T, keep: ReadonlySet<string>): T {
  if (!registered) return value;
  return mapTexts(value, (text, name) => (keep.has(name) ? text : redactRegisteredText(text))) as T;
}

// ---- What keys look like ------------------------------------------------------------------------
// No pattern can match a mark or begin inside one, because brackets end a value.

const NAMES =
  "api[-_]?key|(?:proxy-)?authorization|(?:access|auth|refresh)[-_]?token|client[-_]?secret|secret[-_]?key|password";
const SCHEME = "(?:(?:bearer|basic|token|digest|apikey)\\s+)?";

/** `x-api-key: …`, `api_key=…`, `"authorization": "Bearer …"`, also inside JSON that is itself a string. */
const NAMED_VALUE = new RegExp(
  `((?:${NAMES})\\\\*["']?\\s*[:=]\\s*\\\\*["']?)(?:(?<=")[^"\\\\\\r\\n]+|${SCHEME}[^\\s"'\\\\,;&<>()[\\]{}]+)`,
  "gi",
);
const URL_CREDENTIALS = /(:\/\/)[^\s/@:"'[\]]*:[^\s/@"'[\]]+@/g;
const QUERY_KEY = /([?&](?:key|token|sig|signature|secret)=)[^\s&#"'\\<>()[\]{}]+/gi;
const BEARER = /(\bbearer\s+)(?!(?:token|auth\w*|scheme)\b)[\w.~+/=*-]+/gi;
/** The asterisk: some providers quote a key half hidden. */
const KEY = /(?<![A-Za-z0-9])(?:sk-|csk-|xai-|pplx-|nvapi-|gsk_|hf_|gh[pousr]_|github_pat_|AIza)[\w*-]{8,}/g;

// ---- Registered secrets -------------------------------------------------------------------------

function redactRegisteredText(text: string): string {
  return registered && text.length >= MIN_SECRET_LENGTH ? text.replace(registered, MARK) : text;
}

/** The secret as it is, inside a JSON string, percent-encoded, and in base64 on its own or amid other bytes. */
function encodedForms(secret: string): string[] {
  const percent = percentEncoded(secret);
  const unicode = secret.replace(/["&'+<=>\\/]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
  const bytes = Buffer.from(secret);
  const base64 = [bytes.toString("base64"), ...[0, 1, 2].map((before) => base64Core(bytes, before))];
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    // As JSON may be written too: PHP escapes slashes, .NET every sign that means something in HTML.
    secret.replaceAll("/", "\\/"),
    unicode,
    unicode.replace(/(?<=\\u00)../g, (code) => code.toUpperCase()),
    percent,
    percent.replace(/%../g, (code) => code.toLowerCase()),
    ...base64,
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")),
  ];
}

function percentEncoded(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    return secret; // half a surrogate pair: no URL can hold it
  }
}

/**
 * The base64 characters that are the same whatever stands around the secret, when `before` bytes
 * (modulo 3) precede it. What is left at the edges tells at most six bits of its first and last byte.
 */
function base64Core(secret: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), secret]).toString("base64");
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + secret.length) * 8) / 6));
}

function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

// ---- Walking data -------------------------------------------------------------------------------

/** Copies only what changes. For data as JSON has it: what contains itself cannot be journaled anyway. */
function mapTexts(value: unknown, change: (text: string, name: string) => string, name = ""): unknown {
  if (typeof value === "string") return change(value, name);
  if (typeof value !== "object" || value === null) return value;
  const source = value as Record<string, unknown>;
  const inherited = Array.isArray(value) ? name : undefined;
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(source)) {
    const before = source[key];
    const after = mapTexts(before, change, inherited ?? key);
    if (after === before) continue;
    copy ??= (Array.isArray(value) ? [...value] : { ...source }) as Record<string, unknown>;
    copy[key] = after;
  }
  return copy ?? source;
}
