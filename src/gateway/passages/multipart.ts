// One text field of a form with files, found and replaced in its bytes: all else is passed on as it came. Bounded: only as
// many parts are looked at as a form of ours may have. Pure.

const MOST_PARTS = 64;
const LONGEST_HEAD = 4_096;
const LONGEST_VALUE = 1_024;
const END_OF_HEAD = Buffer.from("\r\n\r\n");

export interface FormField {
  value: string;
  /** Of the value, in the bytes of the form. */
  start: number;
  end: number;
}

/** The boundary of a "multipart/form-data", without the two dashes before it. Undefined for any other type. */
export function boundaryOf(contentType: string | undefined): string | undefined {
  const type = contentType ?? "";
  if (!/^multipart\/form-data\s*;/i.test(type)) return undefined;
  const [, quoted, plain] = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))/i.exec(type) ?? [];
  return quoted ?? plain;
}

/** All fields of this name. Readers differ in which of several counts, so more than one is for the caller to refuse. */
export function findFields(form: Buffer, boundary: string, name: string): FormField[] {
  const mark = Buffer.from(`--${boundary}`);
  const found: FormField[] = [];
  let at = form.indexOf(mark);
  for (let parts = 0; at >= 0 && parts < MOST_PARTS; parts++) {
    const head = at + mark.length;
    const next = form.indexOf(mark, head);
    const bodyAt = form.indexOf(END_OF_HEAD, head);
    if (next < 0) break;
    if (bodyAt >= 0 && bodyAt < next && bodyAt - head <= LONGEST_HEAD) {
      const start = bodyAt + END_OF_HEAD.length;
      // A line end stands before the next boundary.
      const end = Math.max(start, next - 2);
      const isNamed = nameOf(form.toString("latin1", head, bodyAt)) === name;
      if (isNamed && end - start <= LONGEST_VALUE)
        found.push({ value: form.toString("utf8", start, end), start, end });
    }
    at = next;
  }
  return found;
}

function nameOf(head: string): string | undefined {
  const line = head.split("\r\n").find((each) => /^content-disposition\s*:/i.test(each)) ?? "";
  const [, quoted, plain] = /;\s*name=(?:"([^"]*)"|([^\s;"]+))/i.exec(line) ?? [];
  return quoted ?? plain;
}

export function replaceField(form: Buffer, { start, end }: FormField, value: string): Buffer {
  return Buffer.concat([form.subarray(0, start), Buffer.from(value), form.subarray(end)]);
}
