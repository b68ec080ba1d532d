// Takes one secret out of bytes that pass by, in every way redact.ts knows to write it, also where it is cut into
// pieces. Each byte of it becomes an asterisk: lengths that were announced stay true. Nothing is held back but what may
// be the beginning of the secret, so that bytes pass at once.
// Covered: the secret in one run of bytes. Not covered: one that is taken apart, such as over two events of a stream.

import { formsOf } from "./redact.ts";

export interface SecretFilter {
  /** What may be passed on now. The same buffer where there is nothing to take out. */
  push(bytes: Buffer): Buffer;
  /** What was held back, once there is no more. */
  end(): Buffer;
  /** A text of its own, such as a header. */
  clean(text: string): string;
}

const NOTHING = Buffer.alloc(0);
const ASTERISK = 0x2a;

/** Undefined where there is no secret, or none worth the name (redact.ts). */
export function createSecretFilter(secret: string | undefined): SecretFilter | undefined {
  const finder = secret === undefined ? undefined : finderOf(secret);
  if (!finder) return undefined;
  let held = NOTHING;
  return {
    push(bytes) {
      const all = held.length > 0 ? Buffer.concat([held, bytes]) : bytes;
      const clean = finder.mask(all);
      const keep = finder.beginningAtEnd(clean);
      if (keep === 0) {
        held = NOTHING;
        return clean;
      }
      // Copied: the rest of a large piece must not be kept for it.
      held = Buffer.from(clean.subarray(clean.length - keep));
      return clean.subarray(0, clean.length - keep);
    },
    end() {
      const rest = held;
      held = NOTHING;
      return rest;
    },
    clean(text) {
      const bytes = Buffer.from(text);
      const masked = finder.mask(bytes);
      return masked === bytes ? text : masked.toString();
    },
  };
}

// ---- Finding -------------------------------------------------------------------------------------

// One look at three bytes for every stretch as long as the shortest form: each form that is there has one of its blocks
// at one of these places. Only where a block is known are the forms themselves compared. Searching for
// each form took 1 to 4 µs a kilobyte, this takes a tenth.

interface Finder {
  mask(bytes: Buffer): Buffer;
  /** How many of the last bytes begin a form. */
  beginningAtEnd(bytes: Buffer): number;
}

const BLOCK_BYTES = 3;
const TABLE_SIZE = 65_536;

/** Secrets are the keys of the config: few, and the same for the life of the process. */
const finders = new Map<string, Finder | undefined>();

function finderOf(secret: string): Finder | undefined {
  if (!finders.has(secret)) finders.set(secret, createFinder(secret));
  return finders.get(secret);
}

function createFinder(secret: string): Finder | undefined {
  const forms = formsOf(secret).map((form) => Buffer.from(form));
  if (forms.length === 0) return undefined;
  const shortest = Math.min(...forms.map(({ length }) => length));
  const longest = Math.max(...forms.map(({ length }) => length));
  const stride = shortest - BLOCK_BYTES + 1;
  const blocks = new Uint8Array(TABLE_SIZE);
  const inForms = new Uint8Array(256);
  const isFirst = new Uint8Array(256);
  for (const form of forms) {
    isFirst[form[0]!] = 1;
    for (let at = 0; at < stride; at++) blocks[hashAt(form, at)] = 1;
    for (const byte of form) inForms[byte] = 1;
  }

  function fillAround(bytes: Buffer, block: number): Buffer {
    const from = Math.max(0, block - stride + 1);
    const near = bytes.subarray(from, block + longest);
    for (const form of forms) {
      const at = near.indexOf(form);
      if (at < 0) continue;
      const copy = Buffer.from(bytes);
      copy.fill(ASTERISK, from + at, from + at + form.length);
      return copy;
    }
    return bytes;
  }

  return {
    mask(bytes) {
      let clean = bytes;
      for (let at = stride - 1; at + BLOCK_BYTES <= clean.length; at += stride) {
        // The same place is looked at again after a find: the block may belong to another one.
        for (let before: Buffer | undefined; before !== clean && blocks[hashAt(clean, at)] === 1; ) {
          before = clean;
          clean = fillAround(clean, at);
        }
      }
      return clean;
    },
    beginningAtEnd(bytes) {
      const { length } = bytes;
      // A line's end is in no key: this is what nearly always happens.
      if (length === 0 || inForms[bytes[length - 1]!] === 0) return 0;
      for (let from = Math.max(0, length - longest + 1); from < length; from++) {
        if (isFirst[bytes[from]!] === 0) continue;
        for (const form of forms) {
          let same = 1;
          while (from + same < length && form[same] === bytes[from + same]) same++;
          if (form[0] === bytes[from] && from + same === length && same < form.length) return same;
        }
      }
      return 0;
    },
  };
}

function hashAt(bytes: Buffer, at: number): number {
  return (bytes[at]! ^ (bytes[at + 1]! << 4) ^ (bytes[at + 2]! << 8)) & (TABLE_SIZE - 1);
}
