// The error that refuses a bad request.

import { expect } from "vitest";
import { TuttiError } from "../../base/errors.ts";

export function refusalOf(read: () => unknown): TuttiError {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(TuttiError);
    expect(error).toMatchObject({ code: "bad-request", status: 400 });
    return error as TuttiError;
  }
  return expect.fail("it was taken");
}
