import type { PageProps } from "../shell/pages.ts";
import { RunList } from "./run-list.tsx";
import { RunPage } from "./run-page.tsx";
import "./runs.css";

export default function Page({ rest }: PageProps) {
  return rest === "" ? <RunList /> : <RunPage key={rest} id={rest} />;
}
