// Who can be asked through this gateway: teams ("tutti") and single workers ("provider/model").

import { useQuery } from "@tanstack/react-query";
import { listModels } from "../api.ts";

export function useModels() {
  return useQuery({
    queryKey: ["models"],
    queryFn: async ({ signal }) => (await listModels(signal)).data,
    staleTime: 60_000,
  });
}

export function isTeam(model: string): boolean {
  return model.startsWith("tutti");
}
