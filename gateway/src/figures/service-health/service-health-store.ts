/**
 * Readings for the status page: sums of roll-ups once a minute, however many look at it, and the
 * models of enabled channels.
 */
import { parseModelMapping } from "@tollgate/contract/catalogue/model-patterns.ts";
import { listVisibleModels, parseNames } from "../../catalogue/models/model-rules.ts";
import type { Database } from "../../storage/database.ts";
import { latencyColumns } from "../../storage/rollups.ts";
import {
  type CountedNames,
  type HealthSums,
  incidentHours,
  shownDays,
} from "./service-health-rules.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Visitors may ask as often as they like: the database is asked this often. */
const freshForMs = 60_000;

export interface ServiceHealthStore {
  sums(now: number): Promise<HealthSums>;
  /** `models` gives what a group may use; without one, everything that is offered at all. */
  models(group: string | undefined): Promise<CountedNames>;
}

export function createServiceHealthStore({ sql, read, onChange }: Database): ServiceHealthStore {
  let known: { at: number; sums: Promise<HealthSums> } | undefined;
  let channels: ReturnType<typeof readChannels> | undefined;
  onChange("channels", () => {
    channels = undefined;
  });

  async function readSums(now: number): Promise<HealthSums> {
    const firstDay = Math.floor(now / dayMs) - shownDays + 1;
    const firstHour = Math.floor(now / hourMs) - incidentHours + 1;
    const [days, hours] = await Promise.all([
      read(
        sql
          .selectFrom("rollup_day_model")
          .select(["day", "model_name", "requests", "failures", ...latencyColumns])
          .where("day", ">=", firstDay),
      ),
      read(
        sql
          .selectFrom("rollup_hour_model")
          .select(["hour", "model_name", "requests", "failures"])
          .where("hour", ">=", firstHour),
      ),
    ]);
    return { days, hours };
  }

  const readChannels = () =>
    read(
      sql
        .selectFrom("channels")
        .select(["group", "type", "models", "hidden_models", "model_mapping"])
        .where("status", "=", 1),
    );

  return {
    sums(now) {
      if (!known || now - known.at >= freshForMs || now < known.at) {
        const reading = { at: now, sums: readSums(now) };
        known = reading;
        // After a failed read, the next request reads again.
        reading.sums.catch(() => {
          if (known === reading) known = undefined;
        });
      }
      return known.sums;
    },
    async models(group) {
      channels ??= readChannels();
      const reading = channels;
      reading.catch(() => {
        if (channels === reading) channels = undefined;
      });
      const counted = new Map<string, Set<string>>();
      for (const row of await reading) {
        if (group !== undefined && !parseNames(row.group).includes(group)) continue;
        const mapping = parseModelMapping(row.model_mapping);
        for (const model of listVisibleModels(row)) {
          const names = counted.get(model) ?? new Set();
          counted.set(model, names.add(mapping.get(model) ?? model));
        }
      }
      return counted;
    },
  };
}
