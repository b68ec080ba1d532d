// The list of runs, the newest first. Pages are fetched as one scrolls, and only rows in sight are drawn: a
// hundred thousand runs are as smooth as ten.

import { useInfiniteQuery } from "@tanstack/react-query";
import { memo, type RefObject, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { Link } from "wouter";
import type { RunSummary } from "../../../src/store/types.ts";
import { listRuns } from "../api.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { PageHead } from "../ui/card.tsx";
import { Empty, ErrorNote, Loading } from "../ui/notes.tsx";
import { Duration, Money, Tokens, When } from "../ui/values.tsx";
import { Filters, toQuery, useFilter } from "./filters.tsx";
import { StateTag } from "./stop-tag.tsx";

const PAGE = { first: 100, more: 500 };
const AHEAD = 250;
const BLOCK = 10;
const REFRESH_MS = 3_000;
const ROW = { wide: 46, narrow: 84 };
const narrow = matchMedia("(max-width: 760px)");

export function RunList() {
  const [filter, setFilter] = useFilter();
  const query = toQuery(filter);
  const found = useInfiniteQuery({
    queryKey: ["runs", query],
    queryFn: ({ pageParam, signal }) =>
      listRuns({ ...query, limit: pageParam === undefined ? PAGE.first : PAGE.more }, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    // New runs are looked for as long as one is at the top of the list.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? REFRESH_MS : false),
    placeholderData: (before) => before,
  });
  const { data, error, isPending, refetch, isFetching } = found;
  const runs = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const isFiltered = Object.values(filter).some(Boolean);
  return (
    <>
      <PageHead
        title="Runs"
        actions={
          <Button onClick={() => void refetch()} disabled={isFetching && !isPending}>
            Refresh
          </Button>
        }
      />
      <Filters filter={filter} onChange={setFilter} />
      {error && <ErrorNote error={error} />}
      {isPending && !error && <Loading />}
      {data && runs.length === 0 && <NoRuns isFiltered={isFiltered} />}
      {runs.length > 0 && (
        <Rows
          runs={runs}
          hasMore={found.hasNextPage}
          isFetchingMore={found.isFetchingNextPage}
          onMore={() => void found.fetchNextPage()}
        />
      )}
    </>
  );
}

function NoRuns({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No run is like that">
        <p>Widen the filter: a search finds what the question or the beginning of the answer contains.</p>
      </Empty>
    );
  return (
    <Empty title="Nothing has been asked yet">
      <p>
        Every question becomes a run, wherever it was asked: here, from the command line, or by any client of
        the gateway.
      </p>
      <LinkButton href="/ask" kind="primary">
        Ask something
      </LinkButton>
    </Empty>
  );
}

interface RowsProps {
  runs: RunSummary[];
  hasMore: boolean;
  isFetchingMore: boolean;
  onMore: () => void;
}

const COLUMNS = ["When", "Question", "Model and key", "Calls", "Tokens", "Delay", "Cost", "State"];

function Rows({ runs, hasMore, isFetchingMore, onMore }: RowsProps) {
  const frame = useRef<HTMLTableSectionElement>(null);
  const isNarrow = useSyncExternalStore(
    (listener) => {
      narrow.addEventListener("change", listener);
      return () => narrow.removeEventListener("change", listener);
    },
    () => narrow.matches,
  );
  const size = isNarrow ? ROW.narrow : ROW.wide;
  const [first, last] = useSight(frame, runs.length, size);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end has come near
  useEffect(() => {
    if (hasMore && !isFetchingMore && last >= runs.length - AHEAD) onMore();
  }, [last, runs.length, hasMore, isFetchingMore]);
  // By the minute, so that rows stay what they are in between.
  const now = Math.floor(Date.now() / 60_000) * 60_000;
  return (
    <div className="run-frame">
      <table
        className="run-table"
        aria-label="Runs, the newest first"
        aria-rowcount={hasMore ? -1 : runs.length}
      >
        <thead>
          <tr className="run-row run-heads">
            {COLUMNS.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <tbody className="run-scroll" ref={frame} tabIndex={0}>
          <tr className="run-spacer" style={{ height: runs.length * size }} />
          {runs.slice(first, last).map((run, i) => (
            <Row key={run.id} run={run} index={first + i} height={size} now={now} />
          ))}
        </tbody>
      </table>
      <p className="run-count small muted" role="status">
        {runs.length.toLocaleString("en")} {runs.length === 1 ? "run" : "runs"}
        {hasMore && ", and more as you scroll"}
      </p>
    </div>
  );
}

/** The rows from `first` up to `last` are in sight, or nearly. It changes in steps, so most scrolling draws nothing anew. */
function useSight(frame: RefObject<HTMLElement | null>, count: number, size: number): [number, number] {
  const [block, setBlock] = useState(0);
  const [height, setHeight] = useState(800);
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const look = () => setBlock(Math.floor(element.scrollTop / size / BLOCK));
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    look();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [frame, size]);
  const first = Math.max(0, (block - 1) * BLOCK);
  return [first, Math.min(count, (block + 2) * BLOCK + Math.ceil(height / size))];
}

interface RowProps {
  run: RunSummary;
  index: number;
  height: number;
  now: number;
}

const Row = memo(function Row({ run, index, height, now }: RowProps) {
  const { origin, isSimulated, startedAt, endedAt } = run;
  return (
    <tr className="run-row" aria-rowindex={index + 1} style={{ top: index * height, height }}>
      <td>
        <When at={startedAt} now={now} />
      </td>
      <td className="cut run-question">
        <Link href={`/runs/${run.id}`}>{run.question || (run.isStripped ? "(not kept)" : "(no text)")}</Link>
      </td>
      <td className="cut" title={origin?.keyId ? `key ${origin.keyId}` : undefined}>
        {origin?.model ?? run.conductor}
        {origin?.keyId !== undefined && <span className="small muted"> {origin.keyId}</span>}
      </td>
      <td className="right number">{run.calls}</td>
      <td className="right small">
        <Tokens input={run.inputTokens} output={run.outputTokens} />
      </td>
      <td className="right">
        <Duration ms={endedAt === undefined ? undefined : Math.max(0, endedAt - startedAt)} />
      </td>
      <td className="right">
        <Money usd={run.costUsd} isSimulated={isSimulated} estimatedUsd={run.estimatedUsd} />
      </td>
      <td>
        <StateTag state={run.state} stopReason={run.stopReason} />
      </td>
    </tr>
  );
});
