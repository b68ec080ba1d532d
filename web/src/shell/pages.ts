// The pages by their first word in the address. Each is loaded when it is first opened. A page takes whatever
// follows that word: "#/runs/r_123" is the page "runs" with the rest "r_123".

import { type ComponentType, lazy } from "react";

export interface PageProps {
  /** What follows the page's own word in the address, "" for nothing. */
  rest: string;
}

export interface PageEntry {
  path: string;
  title: string;
  Page: ComponentType<PageProps>;
}

type Load = () => Promise<{ default: ComponentType<PageProps> }>;

const page = (path: string, title: string, load: Load): PageEntry => ({ path, title, Page: lazy(load) });

export const PAGES: readonly PageEntry[] = [
  page("ask", "Ask", () => import("../ask/page.tsx")),
  page("runs", "Runs", () => import("../runs/page.tsx")),
  page("pool", "Pool", () => import("../pool/page.tsx")),
  page("learn", "Learn", () => import("../learn/page.tsx")),
  page("bench", "Bench", () => import("../bench/page.tsx")),
  page("keys", "Keys", () => import("../keys/page.tsx")),
];
