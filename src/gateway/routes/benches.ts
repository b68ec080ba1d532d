// Results of `tutti bench` for the dashboard (reads/bench-folders.ts).

import type { Handler } from "../types.ts";

export const listBenches: Handler = async ({ reader }, { connection, key }) => {
  connection.jsonBytes(200, await reader.bytes(key, "listBenches"));
};

export const showBench: Handler = async ({ reader }, { connection, key, id }) => {
  connection.jsonBytes(200, await reader.bytes(key, "showBench", id));
};

export const compareBenches: Handler = async ({ reader }, { connection, key, query }) => {
  connection.jsonBytes(200, await reader.bytes(key, "compareBenches", query));
};
