// Who may look after the gateway itself: keys, trainings, benches. An admin's key may; without any key whoever
// reaches it may, which is its own machine only (route.ts).

import { TuttiError } from "../../base/errors.ts";
import type { Visit } from "../http/route.ts";

export function requireAdmin({ key }: Visit): void {
  if (!key || key.isAdmin) return;
  throw new TuttiError(
    "forbidden",
    `The API key "${key.name}" is not an admin's. Create one that is: tutti keys create --name me --admin`,
  );
}
