import type { PageProps } from "../shell/pages.ts";

export default function Page(_: PageProps) {
  return <h1>Pool</h1>;
}
