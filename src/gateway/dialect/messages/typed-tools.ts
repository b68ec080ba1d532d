// Tools that Anthropic has defined and the client performs: they come with a type and no schema, because Claude knows them
// by heart. Nobody else does, so each gets the schema of what its clients understand. Facts of the formats are Anthropic's,
// the words are ours.

import type { ToolDefinition } from "../../../worker/types.ts";
import type { ObjectReader } from "../../http/object-reader.ts";

type Schema = Record<string, unknown>;

const text = (description?: string): Schema => ({ type: "string", ...(description && { description }) });
const whole = (description?: string): Schema => ({ type: "integer", ...(description && { description }) });
const pair = (description: string): Schema => ({
  type: "array",
  items: { type: "integer" },
  minItems: 2,
  maxItems: 2,
  description,
});
const words = (...values: string[]): Schema => ({ type: "string", enum: values });
const object = (properties: Schema, required: string[] = []): Schema => ({
  type: "object",
  properties,
  required,
});

const EDITS = {
  path: text("The file or folder."),
  file_text: text("For create: all of the new file."),
  old_str: text("For str_replace: what stands there now, exactly and only once."),
  new_str: text("For str_replace and insert: what shall stand there."),
  insert_line: whole("For insert: behind this line; 0 is the beginning."),
  insert_text: text("For insert: the text."),
  view_range: pair("For view: the first and the last line; -1 is the end."),
};

interface TypedTool {
  description: string;
  schema: Schema;
}

/** By what a type begins with; a date follows. */
const TYPED: Record<string, TypedTool> = {
  bash: {
    description: "Runs a command in a bash shell that stays open, and returns what it writes.",
    schema: object({ command: text(), restart: { type: "boolean", description: "Starts the shell anew." } }),
  },
  text_editor: {
    description: "Looks at and edits files of text.",
    schema: object({ command: words("view", "create", "str_replace", "insert", "undo_edit"), ...EDITS }, [
      "command",
      "path",
    ]),
  },
  memory: {
    description: "Keeps notes in files below /memories, for later conversations.",
    schema: object(
      {
        command: words("view", "create", "str_replace", "insert", "delete", "rename"),
        ...EDITS,
        old_path: text("For rename."),
        new_path: text("For rename."),
      },
      ["command"],
    ),
  },
  computer: {
    description: "Uses the screen, the mouse and the keyboard of a computer. It returns screenshots.",
    schema: object(
      {
        action: text(
          "key, type, mouse_move, left_click, right_click, middle_click, double_click, triple_click, left_click_drag, left_mouse_down, left_mouse_up, scroll, hold_key, wait, cursor_position, zoom or screenshot",
        ),
        coordinate: pair("x and y, in pixels from the upper left."),
        start_coordinate: pair("For left_click_drag: where it begins."),
        text: text("What is typed, or the keys."),
        scroll_direction: words("up", "down", "left", "right"),
        scroll_amount: whole(),
        duration: { type: "number", description: "In seconds." },
        region: { type: "array", items: { type: "integer" }, description: "For zoom: x0, y0, x1, y1." },
      },
      ["action"],
    ),
  },
};

/** Undefined for a tool that its provider runs itself, or that nobody here knows. */
export function readTypedTool(tool: ObjectReader, type: string): ToolDefinition | undefined {
  const [, kind = ""] = /^([a-z_]+)_\d{8}$/.exec(type) ?? [];
  const known = Object.hasOwn(TYPED, kind) ? TYPED[kind] : undefined;
  if (!known) return undefined;
  const width = tool.number("display_width_px", { min: 1 });
  const height = tool.number("display_height_px", { min: 1 });
  const size = width && height ? ` The screen has ${width} by ${height} pixels.` : "";
  return { name: tool.name("name"), description: known.description + size, inputSchema: known.schema };
}
