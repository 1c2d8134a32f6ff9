/** API routes for virtual models. */
import { isDeepStrictEqual } from "node:util";
import { named, type Reference } from "@tollgate/contract/api/ids.ts";
import {
  createVirtualModel,
  deleteVirtualModel,
  getVirtualModel,
  getVirtualModelUsage,
  listVirtualModels,
  putVirtualModel,
  updateVirtualModel,
  type VirtualModelByName,
  type VirtualModelChange,
  type VirtualModelInput,
  virtualModelInput,
} from "@tollgate/contract/catalogue/virtual-models.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { idempotent } from "../../http/idempotency.ts";
import { checkUnmanaged } from "../../http/managed-by-file.ts";
import { findNamedChanges } from "../../http/member-changes.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { parseOrRefuse } from "../../http/validation-errors.ts";
import type { Database, Write } from "../../storage/database.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import { servedNames } from "./model-rules.ts";
import {
  buildColumns,
  buildOtherVirtualModels,
  changeVirtualModel,
  checkVirtualModel,
  viewVirtualModel,
} from "./virtual-model-rules.ts";
import type { VirtualModelRow, VirtualModelStore } from "./virtual-model-store.ts";

export function buildVirtualModelRoutes(db: Database, store: VirtualModelStore): ApiRoute[] {
  const existing = async (reference: Reference): Promise<VirtualModelRow> => {
    const found = await store.find(reference);
    if (!found) throw refuse("virtual_model_not_found");
    return found;
  };
  const readServed = async () => servedNames(await store.servedModels());
  /** The router reads virtual models with the channels. */
  const write = (batch: Write[]) => db.write(batch, { changes: ["channels"] });
  const view = async (row: VirtualModelRow) => viewVirtualModel(row, await readServed());

  const create = async (call: AuthenticatedContext & { body: VirtualModelInput }) => {
    const { body, now } = call;
    const uuid = await idempotent(db, call, {
      name: "virtual_model.create",
      body,
      async create(remember) {
        checkVirtualModel(body, await readServed(), buildOtherVirtualModels(await store.all()));
        const made = readUuid7(now);
        const columns = buildColumns(body);
        await write([
          store.insert({
            uuid: made,
            ...columns,
            managed_by: "",
            created_at: now,
            updated_at: now,
          }),
          ...call.audit("virtual_model.create", made, columns),
          ...remember(made),
        ]);
        return made;
      },
    });
    return existing({ uuid });
  };

  const change = async (
    call: AuthenticatedContext,
    row: VirtualModelRow,
    edit: VirtualModelChange,
  ) => {
    const changed = changeVirtualModel(row, edit);
    checkVirtualModel(
      changed,
      await readServed(),
      buildOtherVirtualModels(await store.all(), row.id),
    );
    const columns = buildColumns(changed);
    const updated_at = Math.max(call.now, row.updated_at + 1);
    const managed_by = edit.managed_by ?? row.managed_by;
    await write([
      store.update(row, { ...columns, managed_by, updated_at }),
      ...call.audit(
        "virtual_model.update",
        row.uuid,
        findNamedChanges(row, { ...columns, managed_by }),
      ),
    ]);
    return { ...row, ...columns, managed_by, updated_at };
  };

  const put = async (call: AuthenticatedContext, name: string, body: VirtualModelByName) => {
    const row = await store.byName(name);
    if (!row) return create({ ...call, body: parseOrRefuse(virtualModelInput, { ...body, name }) });
    const isAsAsked = isDeepStrictEqual(
      { ...row, ...buildColumns(changeVirtualModel(row, body)) },
      row,
    );
    return isAsAsked ? row : change(call, row, body);
  };

  return [
    apiRoute(listVirtualModels, async ({ query: { name } }) => {
      const [rows, served] = await Promise.all([store.all(), readServed()]);
      const found = name === undefined ? rows : rows.filter((row) => row.name === name);
      return found.map((row) => viewVirtualModel(row, served));
    }),
    apiRoute(getVirtualModel, async ({ params }) => view(await existing(params.id))),
    apiRoute(getVirtualModelUsage, async ({ params, now }) =>
      store.usage((await existing(params.id)).name, now),
    ),
    apiRoute(createVirtualModel, async (call) => view(await create(call))),
    apiRoute(updateVirtualModel, async (call) =>
      view(await change(call, await existing(named(call.body)), call.body)),
    ),
    apiRoute(putVirtualModel, async (call) => view(await put(call, call.params.name, call.body))),
    apiRoute(deleteVirtualModel, async (call) => {
      const row = await existing(call.params.id);
      checkUnmanaged(row);
      await write([
        store.remove(row),
        ...call.audit("virtual_model.delete", row.uuid, { name: row.name }),
      ]);
    }),
  ];
}
