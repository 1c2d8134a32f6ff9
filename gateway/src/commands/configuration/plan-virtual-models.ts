/** What a configuration document would change of virtual models. */
import type { ConfigurationRequest, ConfiguredVirtualModel } from "@tollgate/contract/configuration.ts";
import type { VirtualModelInput } from "@tollgate/contract/virtual-models.ts";
import { namedChanges } from "../http/member-changes.ts";
import type { AuthenticatedContext } from "../http/request-context.ts";
import { visibleModels } from "../models/model-rules.ts";
import { checkVirtualModel, columnsOf, otherVirtualModels, storedRules } from "../models/virtual-model-rules.ts";
import type { VirtualModelRow } from "../models/virtual-model-store.ts";
import { uuid7 } from "../storage/time-ids.ts";
import type { ConfigurationDeps } from "./configuration-plan.ts";
import { actionOf, addNamedSteps, changedMembers, emptyPlan, type KindPlan } from "./kind-plan.ts";

export async function planVirtualModels(
  { virtualModels: store }: Pick<ConfigurationDeps, "virtualModels">,
  call: AuthenticatedContext,
  request: ConfigurationRequest,
): Promise<KindPlan> {
  const { file, prune, document } = request;
  const plan = emptyPlan("channels");
  const rows = await store.all();
  // What the document's channels will serve counts already: they are written first.
  const ofChannels = (document.channels ?? []).flatMap(({ models = [] }) => models);
  const served = new Set([...(await store.servedModels()).flatMap(visibleModels), ...ofChannels]);
  const after = modelsAfter(rows, document.virtualModels ?? [], (row) => prune && row.managed_by === file);
  await addNamedSteps(
    plan,
    request,
    { wanted: document.virtualModels, rows },
    {
      kind: "virtual_model",
      nameOf: ({ name }) => name,
      step(wanted, row) {
        const input = inputOf(wanted);
        checkVirtualModel(input, served, otherVirtualModels(after.filter(({ name }) => name !== wanted.name)));
        const columns = columnsOf(input);
        const columnsAfter = { ...columns, managed_by: file };
        if (!row) {
          const uuid = uuid7(call.now);
          return {
            action: "create",
            writes: [store.insert({ uuid, ...columnsAfter, created_at: call.now, updated_at: call.now })],
            audits: call.audit("virtual_model.create", uuid, columns),
          };
        }
        // Rules that mean the same may be stored in another order of their members.
        const before = columnsOf({ ...rulesInOrder(row), name: row.name, ...flagsOf(row) });
        const members = changedMembers(before, columns);
        const action = actionOf(row, members, request);
        if (!action) return undefined;
        const updated_at = Math.max(call.now, row.updated_at + 1);
        return {
          action,
          members,
          writes: [store.update(row, { ...columnsAfter, updated_at })],
          audits: call.audit("virtual_model.update", row.uuid, namedChanges(row, columnsAfter)),
        };
      },
      remove: (row) => ({
        writes: [store.remove(row)],
        audits: call.audit("virtual_model.delete", row.uuid, { name: row.name }),
      }),
    },
  );
  return plan;
}

/** A virtual model that does not exist yet, among those that do. */
const draftRow = { id: 0, uuid: "", managed_by: "", created_at: 0, updated_at: 0 };

/** As they will be: a name may move from one virtual model to the targets of another in one run. */
function modelsAfter(
  rows: readonly VirtualModelRow[],
  wanted: readonly ConfiguredVirtualModel[],
  leavesUnlessNamed: (row: VirtualModelRow) => boolean,
): VirtualModelRow[] {
  const stored = new Map(rows.map((row) => [row.name, row]));
  const after = new Map(rows.filter((row) => !leavesUnlessNamed(row)).map((row) => [row.name, row]));
  for (const one of wanted) after.set(one.name, { ...(stored.get(one.name) ?? draftRow), ...columnsOf(inputOf(one)) });
  return [...after.values()];
}

const inputOf = (wanted: ConfiguredVirtualModel): VirtualModelInput => ({
  name: wanted.name,
  enabled: wanted.enabled,
  replaces_model: wanted.replacesModel,
  tiers: wanted.tiers,
  sticky: wanted.sticky,
  access: wanted.access,
  retries_refused_content: wanted.retriesRefusedContent,
});

export const flagsOf = (row: VirtualModelRow) => ({
  enabled: row.enabled === 1,
  replaces_model: row.replaces_model === 1,
});

const rulesInOrder = (row: VirtualModelRow) => {
  const { tiers, sticky, access, retries_refused_content } = storedRules(row);
  return { tiers, sticky, access, retries_refused_content };
};
