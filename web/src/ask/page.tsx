import type { PageProps } from "../shell/pages.ts";

export default function Page(_: PageProps) {
  return <h1>Ask</h1>;
}
