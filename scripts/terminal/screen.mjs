// What a terminal would show after this text: rows of cells with colours. It obeys what our command and Node's readline
// write (cursor, clearing, colours); other sequences are taken out. Apart from the picture, because it is pure.

const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal obeys.
  /\x1b\[(?<private>\?)?(?<parameters>[\d;]*)(?<final>[A-Za-z])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>78]/y;
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u;

/** `columns`: where lines are broken. Rows of `{ text, style }` cells; a wide character takes two, the second one empty. */
export function readScreen(text, columns) {
  const rows = [[]];
  let [row, column, style] = [0, 0, {}];
  const put = (character, width) => {
    if (column + width > columns) [row, column] = [row + 1, 0];
    while (rows.length <= row) rows.push([]);
    const line = rows[row];
    while (line.length < column) line.push({ text: " ", style: {} });
    line[column++] = { text: character, style };
    if (width === 2) line[column++] = { text: "", style };
  };
  const obey = ({ private: isPrivate, parameters = "", final }) => {
    if (isPrivate || final === undefined) return;
    const [first = 0, second = 0] = parameters.split(";").map(Number);
    const count = Math.max(1, first);
    if (final === "m") style = applyStyle(style, parameters.split(";").map(Number));
    else if (final === "A") row = Math.max(0, row - count);
    else if (final === "B") row += count;
    else if (final === "C") column = Math.min(columns - 1, column + count);
    else if (final === "D") column = Math.max(0, column - count);
    else if (final === "G") column = count - 1;
    else if (final === "H") [row, column] = [count - 1, Math.max(1, second) - 1];
    else if (final === "K") clearLine(rows[row] ?? [], first, column);
    else if (final === "J" && first >= 2) rows.splice(0, rows.length, []);
    else if (final === "J") {
      clearLine(rows[row] ?? [], 0, column);
      rows.splice(row + 1);
    }
  };
  for (let at = 0; at < text.length; ) {
    SEQUENCE.lastIndex = at;
    const sequence = SEQUENCE.exec(text);
    if (sequence) {
      obey(sequence.groups);
      at += sequence[0].length;
      continue;
    }
    const character = String.fromCodePoint(text.codePointAt(at));
    at += character.length;
    if (character === "\n") {
      [row, column] = [row + 1, 0];
      while (rows.length <= row) rows.push([]);
    } else if (character === "\r") column = 0;
    else if (character === "\b") column = Math.max(0, column - 1);
    else if (character === "\t") column = Math.min(columns - 1, (Math.floor(column / 8) + 1) * 8);
    else if (character >= " " && character !== "\x7f") put(character, WIDE.test(character) ? 2 : 1);
  }
  while (rows.length > 1 && rows.at(-1).every(({ text }) => text.trim() === "")) rows.pop();
  return rows;
}

function clearLine(line, mode, column) {
  if (mode === 0) line.splice(column);
  else if (mode === 2) line.splice(0);
  else for (let at = 0; at <= column && at < line.length; at++) line[at] = { text: " ", style: {} };
}

function applyStyle(before, codes) {
  let style = { ...before };
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at];
    if (code === 0) style = {};
    else if (code === 1) style.isBold = true;
    else if (code === 2) style.isDim = true;
    else if (code === 3) style.isItalic = true;
    else if (code === 4) style.isUnderlined = true;
    else if (code === 7) style.isInverse = true;
    else if (code === 9) style.isStruck = true;
    else if (code === 22) [style.isBold, style.isDim] = [false, false];
    else if (code === 23) style.isItalic = false;
    else if (code === 24) style.isUnderlined = false;
    else if (code === 27) style.isInverse = false;
    else if (code === 29) style.isStruck = false;
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) style.colour = code;
    else if (code === 39) style.colour = undefined;
    else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) style.background = code - 10;
    else if (code === 49) style.background = undefined;
    // Colours of 256 and of 16 million are not ours; their numbers must not be taken for others.
    else if (code === 38 || code === 48) at += codes[at + 1] === 5 ? 2 : 4;
  }
  return style;
}
