// Text of models as Markdown, without a way in for what it contains: tokens become React elements, never HTML.
// HTML inside of it is shown as text. Links lead only to http, https and mailto; pictures are links, because the
// page makes no request that its user did not ask for.

import { lexer, type Token, type Tokens } from "marked";
import { Fragment, type ReactNode, useMemo } from "react";

const LONGEST = 200_000;

export function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => read(text), [text]);
  return <div className="markdown">{tokens ? render(tokens) : <pre className="block wrap">{text}</pre>}</div>;
}

/** Undefined where it is no Markdown that we would read: it is then shown as it is. */
function read(text: string): Token[] | undefined {
  if (text.length > LONGEST) return undefined;
  try {
    return lexer(text, { gfm: true, breaks: true });
  } catch {
    return undefined;
  }
}

function render(tokens: readonly Token[] | undefined): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: text only grows at its end
  return tokens?.map((token, i) => <Fragment key={i}>{toElement(token)}</Fragment>);
}

function toElement(token: Token): ReactNode {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading": {
      // The page has its own headings; those of a reply come below them.
      const Heading = `h${Math.min(6, (token as Tokens.Heading).depth + 2)}` as "h3";
      return <Heading>{render(token.tokens)}</Heading>;
    }
    case "paragraph":
      return <p>{render(token.tokens)}</p>;
    case "text":
      return token.tokens ? render(token.tokens) : fromEntities(token.text);
    case "escape":
      return fromEntities(token.text);
    case "strong":
      return <strong>{render(token.tokens)}</strong>;
    case "em":
      return <em>{render(token.tokens)}</em>;
    case "del":
      return <del>{render(token.tokens)}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "code":
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      );
    case "br":
      return <br />;
    case "hr":
      return <hr />;
    case "blockquote":
      return <blockquote>{render(token.tokens)}</blockquote>;
    case "list":
      return toList(token as Tokens.List);
    case "table":
      return toTable(token as Tokens.Table);
    case "link":
      return toLink(token.href, render(token.tokens));
    case "image":
      return toLink(token.href, fromEntities(token.text) || token.href);
    default:
      return token.raw;
  }
}

function toList({ ordered, start, items }: Tokens.List): ReactNode {
  const List = ordered ? "ol" : "ul";
  return (
    <List {...(ordered && typeof start === "number" && { start })}>
      {items.map((item, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <li key={i}>
          {item.task && <input type="checkbox" checked={item.checked === true} disabled readOnly />}
          {render(item.tokens.filter(({ type }) => type !== "checkbox"))}
        </li>
      ))}
    </List>
  );
}

function toTable({ header, rows }: Tokens.Table): ReactNode {
  return (
    <table>
      <thead>
        <tr>
          {header.map((cell, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <th key={i}>{render(cell.tokens)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          <tr key={i}>
            {row.map((cell, j) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              <td key={j}>{render(cell.tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function toLink(href: string, children: ReactNode): ReactNode {
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
      {children}
    </a>
  );
}

/** The few entities that people write; HTML itself is shown as text. */
function fromEntities(text: string): string {
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => CHARACTERS[name]!);
}

const CHARACTERS: Record<string, string> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };
