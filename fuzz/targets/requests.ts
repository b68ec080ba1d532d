// Bodies of clients: the three dialects, and the reader of fields below them.

import fc from "fast-check";
import { isTuttiError } from "../../src/base/errors.ts";
import { parseChatRequest } from "../../src/gateway/dialect/chat/request.ts";
import { DIALECTS } from "../../src/gateway/dialect/dialects.ts";
import { countTokens, parseMessagesRequest } from "../../src/gateway/dialect/messages/request.ts";
import { parseResponsesRequest } from "../../src/gateway/dialect/responses/request.ts";
import { parseBody } from "../../src/gateway/http/body.ts";
import { ObjectReader } from "../../src/gateway/http/object-reader.ts";
import { boundRequest } from "../../src/gateway/relay/bound-request.ts";
import { checkFields } from "../../src/gateway/relay/priced-fields.ts";
import type { GatewayRequest, HeaderReader } from "../../src/gateway/types.ts";
import { type FuzzTarget, must } from "../target.ts";

const FIELDS =
  "model messages role user assistant system tool content type text image_url input_text input instructions tools function name parameters tool_choice tool_calls tool_call_id arguments response_format json_schema schema stream stream_options max_tokens max_output_tokens temperature seed stop metadata tutti budgetUsd pool n store previous_response_id thinking system tool_use tool_result input_schema url data:image/png;base64,AAAA".split(
    " ",
  );

/** Objects whose names and texts mean something to a dialect. */
const word = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...FIELDS) }, fc.string());
const { body } = fc.letrec((tie) => ({
  body: fc.dictionary(word, tie("value"), { maxKeys: 8 }),
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, -1, 1e300, "", "tutti"),
    fc.double(),
    word,
    fc.array(tie("value"), { maxLength: 4 }),
    tie("body"),
  ),
}));
const inputs = body.map((value) => JSON.stringify(value));
const tokens = FIELDS.map((field) => `"${field}":`);
const header: HeaderReader = (name) => (name.startsWith("x-") ? "1" : undefined);

type Parse = (fields: Parameters<typeof parseChatRequest>[0], header: HeaderReader) => GatewayRequest;

function toTarget(name: string, parse: Parse): FuzzTarget {
  const dialect = DIALECTS.find(({ path }) => path.includes(name.split("-")[0]!) || path.includes("chat"))!;
  return {
    name,
    tokens,
    inputs,
    async check(input) {
      try {
        const request = parse(await parseBody(input), header);
        must(request.task !== undefined, "a request without a task");
        // What is parsed is journaled.
        JSON.stringify(request);
      } catch (error) {
        if (!isTuttiError(error)) throw error;
        must(error.status >= 400 && error.status < 500, `a bad body is ${error.status}`);
        JSON.stringify(dialect.toError(error).body);
        throw error;
      }
    },
  };
}

export const chatRequest = toTarget("chat-request", parseChatRequest);
export const responsesRequest = toTarget("responses-request", parseResponsesRequest);
export const messagesRequest = toTarget("messages-request", (fields, headers) => {
  countTokens(fields);
  return parseMessagesRequest(fields, headers);
});

export const objectReader: FuzzTarget = {
  name: "object-reader",
  tokens,
  inputs,
  async check(input) {
    const reader = new ObjectReader(await parseBody(input));
    const refused = (work: () => unknown) => {
      try {
        work();
      } catch (error) {
        if (!isTuttiError(error)) throw error;
        must(error.message.length < 2_000, "an error repeats what was sent");
      }
    };
    for (const name of FIELDS) {
      refused(() => reader.text(name));
      refused(() => reader.flag(name));
      refused(() => reader.number(name, { min: 0, max: 10, isWhole: true }));
      refused(() => reader.objects(name).map((each) => each.list("content")));
      refused(() => reader.textOrObjects(name, "a text"));
      refused(() => reader.oneOf(name, ["a", "b"]));
    }
  },
};

/** What a request that is passed through can cost at the most. */
export const relayBound: FuzzTarget = {
  name: "relay-bound",
  tokens,
  inputs,
  async check(input) {
    const fields = await parseBody(input);
    const bound = boundRequest(input, fields, 100);
    must(bound.inputTokens() >= 0 && bound.outputTokens >= 1, "a bound below nothing");
    must(Number.isFinite(bound.inputTokens()), "a bound without end");
    // An image adds to the bound of what is around it, and text is never less than its bytes.
    const image = { role: "user", content: [{ type: "image_url", image_url: { url: "https://a.example" } }] };
    const more = { ...fields, messages: [fields.messages, image] };
    const larger = boundRequest(input, more, 100).inputTokens();
    must(larger >= bound.inputTokens() + 10_000, "an image that counts for nothing");
    for (const { relay } of DIALECTS) if (relay) checkFields(fields, {}, relay.pricedFields);
  },
};
