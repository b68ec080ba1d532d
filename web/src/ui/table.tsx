// Tables: of rows with elements in their cells, and those of src/report, which are plain data.

import type { ReactNode } from "react";
import { type HeatView, type TableView, toShade, type ViewRow } from "../../../src/report/table.ts";

export interface Column<Row> {
  title: ReactNode;
  align?: "right";
  cell: (row: Row) => ReactNode;
}

/** A column of numbers. */
export function number<Row>(title: ReactNode, cell: (row: Row) => ReactNode): Column<Row> {
  return { title, align: "right", cell };
}

interface Props<Row> {
  /** What the table shows, for those who do not see it. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row, index: number) => string | number;
  classOf?: (row: Row) => string | undefined;
}

export function Table<Row>({ label, columns, rows, keyOf, classOf }: Props<Row>) {
  return (
    <Scroll label={label}>
      <table className="table">
        <thead>
          <tr>
            {columns.map(({ title, align }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move
              <th key={i} scope="col" className={align}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)} className={classOf?.(row)}>
              {columns.map(({ cell, align }, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move
                <td key={i} className={align}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

export function DataTable({ view: { label, columns, rows } }: { view: TableView }) {
  return (
    <Table<ViewRow>
      label={label}
      columns={columns.map(({ title, isText }, i) => ({
        title,
        align: i > 0 && !isText ? "right" : undefined,
        cell: ({ cells }) => cells[i],
      }))}
      rows={rows}
      keyOf={({ cells }) => cells[0]!}
      classOf={({ kind }) => kind}
    />
  );
}

export function HeatTable({ view: { label, corner, columns, rows } }: { view: HeatView }) {
  return (
    <Scroll label={label}>
      <table className="heat">
        <thead>
          <tr>
            {[corner, ...columns].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, cells }) => (
            <tr key={name}>
              <th scope="row" className="mono">
                {name}
              </th>
              {cells.map(({ text, title, shade }, i) => (
                <td key={columns[i]} title={title} style={{ background: toShade(shade) }}>
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Scroll({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="table-scroll" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
