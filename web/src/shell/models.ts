// Who can be asked through this gateway: teams ("tutti") and single workers ("provider/model").

import { useJson } from "../ui/use-json.ts";

interface ListedModels {
  data: { id: string; simulated?: boolean }[];
}

/** Empty until they are known. */
export function useModels() {
  const { data, error } = useJson<ListedModels>("v1/models", undefined, { staleTime: 60_000 });
  const models = data?.data ?? [];
  const ids = models.map(({ id }) => id);
  return {
    ...{ ids, error, isSimulated: models.some(({ simulated }) => simulated) },
    teams: ids.filter(isTeam),
    workers: ids.filter((id) => !isTeam(id)),
  };
}

export function isTeam(model: string): boolean {
  return model.startsWith("tutti");
}
