/** API routes for models that end. */
import {
  forgetModelEnd,
  listModelEnds,
  listOwnModelEnds,
  type SetModelFact,
  sayModelEnd,
} from "@tollgate/contract/catalogue/model-ends.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { refuse } from "../../http/refusal.ts";
import type { Database } from "../../storage/database.ts";
import type { ModelFactRow } from "../../storage/tables/channel-tables.ts";
import type { ListedEnds } from "./known-model-ends.ts";
import type { ModelEndStore } from "./model-end-store.ts";
import type { ModelFactStore } from "./model-fact-store.ts";

/** Channels carry the days of their models. */
const changes = { changes: ["channels"] } as const;

const buildFactView = ({
  model_name: model,
  ends_on,
  replacement,
}: ModelFactRow): SetModelFact => ({
  model,
  ends_on: ends_on === "" ? null : ends_on,
  replacement,
});

export const buildModelEndRoutes = (
  db: Pick<Database, "write">,
  store: ModelEndStore,
  facts: ModelFactStore,
  { source, readOn }: ListedEnds,
): ApiRoute[] => [
  apiRoute(listModelEnds, async ({ now }) => ({
    data: await store.ending(now),
    ...{ source, read_on: readOn, set: (await facts.set()).map(buildFactView) },
  })),
  apiRoute(listOwnModelEnds, ({ now, principal }) => store.endingFor(principal.group, now)),
  apiRoute(sayModelEnd, async (call) => {
    const { model, ends_on, replacement = "" } = call.body;
    const before = await facts.ofModel(model);
    const row = { model_name: model, ends_on: ends_on ?? "", replacement, updated_at: call.now };
    const audits = call.audit("model_end.update", model, {
      from: before ? buildFactView(before) : null,
      to: buildFactView(row),
    });
    await db.write([facts.say(row), ...audits], changes);
    return buildFactView(row);
  }),
  apiRoute(forgetModelEnd, async (call) => {
    const before = await facts.ofModel(call.body.model);
    if (!before) throw refuse("changed_meanwhile");
    const audits = call.audit("model_end.delete", before.model_name, {
      from: buildFactView(before),
    });
    await db.write([facts.forget(before.model_name), ...audits], changes);
  }),
];
