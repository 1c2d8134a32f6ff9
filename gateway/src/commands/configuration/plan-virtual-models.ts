/** Planned changes of virtual models, by a configuration document. */

import type { VirtualModelInput } from "@tollgate/contract/catalogue/virtual-models.ts";
import type {
  ConfigurationRequest,
  ConfiguredVirtualModel,
} from "@tollgate/contract/commands/configuration.ts";
import { servedNames } from "../../catalogue/models/model-rules.ts";
import {
  buildColumns,
  buildOtherVirtualModels,
  checkVirtualModel,
  parseStoredRules,
} from "../../catalogue/models/virtual-model-rules.ts";
import type { VirtualModelRow } from "../../catalogue/models/virtual-model-store.ts";
import { findNamedChanges } from "../../http/member-changes.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import type { ConfigurationDeps } from "./configuration-plan.ts";
import { addNamedSteps, changeMembers, emptyPlan, findAction, type KindPlan } from "./kind-plan.ts";

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
  const served = servedNames(await store.servedModels(), ofChannels);
  const after = listModels(
    rows,
    document.virtualModels ?? [],
    (row) => prune && row.managed_by === file,
  );
  await addNamedSteps(
    plan,
    request,
    { wanted: document.virtualModels, rows },
    {
      kind: "virtual_model",
      nameOf: ({ name }) => name,
      step(wanted, row) {
        const input = buildInput(wanted);
        checkVirtualModel(
          input,
          served,
          buildOtherVirtualModels(after.filter(({ name }) => name !== wanted.name)),
        );
        const columns = buildColumns(input);
        const columnsAfter = { ...columns, managed_by: file };
        if (!row) {
          const uuid = readUuid7(call.now);
          return {
            action: "create",
            writes: [
              store.insert({ uuid, ...columnsAfter, created_at: call.now, updated_at: call.now }),
            ],
            audits: call.audit("virtual_model.create", uuid, columns),
          };
        }
        // Rules that mean the same may be stored in another order of their members.
        const before = buildColumns({
          ...buildRulesInOrder(row),
          name: row.name,
          ...buildFlags(row),
        });
        const members = changeMembers(before, columns);
        const action = findAction(row, members, request);
        if (!action) return undefined;
        const updated_at = Math.max(call.now, row.updated_at + 1);
        return {
          action,
          members,
          writes: [store.update(row, { ...columnsAfter, updated_at })],
          audits: call.audit("virtual_model.update", row.uuid, findNamedChanges(row, columnsAfter)),
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

/**
 * `listModels` gives the models as they will be: a name may move from one virtual model to the
 * targets of another in one run.
 */
function listModels(
  rows: readonly VirtualModelRow[],
  wanted: readonly ConfiguredVirtualModel[],
  leavesUnlessNamed: (row: VirtualModelRow) => boolean,
): VirtualModelRow[] {
  const stored = new Map(rows.map((row) => [row.name, row]));
  const after = new Map(
    rows.filter((row) => !leavesUnlessNamed(row)).map((row) => [row.name, row]),
  );
  for (const one of wanted)
    after.set(one.name, {
      ...(stored.get(one.name) ?? draftRow),
      ...buildColumns(buildInput(one)),
    });
  return [...after.values()];
}

const buildInput = (wanted: ConfiguredVirtualModel): VirtualModelInput => ({
  name: wanted.name,
  enabled: wanted.enabled,
  replaces_model: wanted.replacesModel,
  tiers: wanted.tiers,
  sticky: wanted.sticky,
  access: wanted.access,
  retries_refused_content: wanted.retriesRefusedContent,
});

export const buildFlags = (row: VirtualModelRow) => ({
  enabled: row.enabled === 1,
  replaces_model: row.replaces_model === 1,
});

const buildRulesInOrder = (row: VirtualModelRow) => {
  const { tiers, sticky, access, retries_refused_content } = parseStoredRules(row);
  return { tiers, sticky, access, retries_refused_content };
};
