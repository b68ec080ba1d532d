import { type UseQueryOptions, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { getJson, type QueryValues } from "../api.ts";

/** What a route of the gateway tells. Its path is the first part of the query's key. */
export function useJson<T>(
  path: string,
  query?: QueryValues,
  options: Partial<UseQueryOptions<T>> = {},
): UseQueryResult<T> {
  return useQuery({
    queryKey: [path, query],
    queryFn: ({ signal }) => getJson<T>(path, query, signal),
    ...options,
  });
}
