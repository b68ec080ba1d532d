// Every dialect that the gateway serves: adding one is adding a line.

import type { Dialect } from "../types.ts";
import { chatDialect } from "./chat/dialect.ts";
import { messagesDialect } from "./messages/dialect.ts";
import { responsesDialect } from "./responses/dialect.ts";

export const DIALECTS: readonly Dialect[] = [chatDialect, responsesDialect, messagesDialect];
