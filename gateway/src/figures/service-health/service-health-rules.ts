/**
 * The figures of the status page, from sums of roll-ups. Shares and medians alone: the amount of a
 * site's usage is its operator's. Pure.
 */
import type {
  ModelHealth,
  ServiceHealth,
  ServiceState,
} from "@tollgate/contract/figures/service-health.ts";
import { findPercentile, latencyColumns } from "../../storage/rollups.ts";
import { formatDayText } from "../dashboard/dashboard-rules.ts";

export const shownDays = 90;
const hoursOfDay = 24;
/** Incidents are looked for in a week: hours of 90 days are many rows. */
export const incidentHours = 7 * hoursOfDay;
/**
 * The present is the current hour and the one before it: the current one has just begun now and
 * then.
 */
const presentHours = 2;
/** Fewer calls say too little: one that fails is no outage. */
const callsMin = 5;
const degradedFrom = 0.05;
const downFrom = 0.5;
/** `modelsMax` is what a page of a large site shows; the models with most calls stay. */
export const modelsMax = 200;
const incidentsMax = 50;
const hourMs = 3_600_000;

export type LatencySums = Record<(typeof latencyColumns)[number], number>;
export interface DaySums extends LatencySums {
  day: number;
  model_name: string;
  requests: number;
  failures: number;
}
export interface HourSums {
  hour: number;
  model_name: string;
  requests: number;
  failures: number;
}

export interface HealthSums {
  days: readonly DaySums[];
  hours: readonly HourSums[];
}

/**
 * A model that a caller may use, with the names under which its calls are counted: channels may map
 * it to others.
 */
export type CountedNames = ReadonlyMap<string, ReadonlySet<string>>;

export function buildHealth(
  models: CountedNames,
  { days, hours }: HealthSums,
  now: number,
): ServiceHealth {
  const thisHour = Math.floor(now / hourMs);
  const first = Math.floor(thisHour / hoursOfDay) - shownDays + 1;
  const daysOf = Map.groupBy(days, (row) => row.model_name);
  const hoursOf = Map.groupBy(hours, (row) => row.model_name);
  const all = [...models].map(([model, names]) => {
    const ownDays = [...names].flatMap((name) => daysOf.get(name) ?? []);
    const ownHours = [...names].flatMap((name) => hoursOf.get(name) ?? []);
    return { model, ownDays, ownHours, calls: sumMember(ownDays, "requests") };
  });
  const shown = all
    .toSorted((one, other) => other.calls - one.calls)
    .slice(0, modelsMax)
    .toSorted((one, other) => one.model.localeCompare(other.model));
  return {
    first_day: formatDayText(first),
    models: shown.map(({ model, ownDays, ownHours }) => ({
      model,
      state: computeServiceState(ownHours.filter(({ hour }) => hour > thisHour - presentHours)),
      ...buildMeasures(ownDays),
      days: buildStrip(ownDays, first),
    })),
    incidents: shown
      .flatMap(({ model, ownHours }) =>
        listIncidents(ownHours, thisHour).map((incident) => ({ model, ...incident })),
      )
      .toSorted((one, other) => other.from - one.from)
      .slice(0, incidentsMax),
  };
}

const sumMember = <Key extends string>(rows: readonly Record<Key, number>[], key: Key): number =>
  rows.reduce((sum, row) => sum + Number(row[key]), 0);

export function computeServiceState(
  hours: readonly Pick<HourSums, "requests" | "failures">[],
): ServiceState {
  const requests = sumMember(hours, "requests");
  const failures = sumMember(hours, "failures");
  if (requests > 0 && failures === 0) return "ok";
  if (requests < callsMin) return "quiet";
  const share = failures / requests;
  if (share >= downFrom) return "down";
  return share >= degradedFrom ? "degraded" : "ok";
}

function buildMeasures(rows: readonly DaySums[]): Pick<ModelHealth, "success_rate" | "latency_ms"> {
  const requests = sumMember(rows, "requests");
  const histogram = latencyColumns.map((column) => sumMember(rows, column));
  return {
    // To a tenth: more digits would tell how many calls there were.
    success_rate:
      requests === 0 ? null : Math.round((1 - sumMember(rows, "failures") / requests) * 1_000) / 10,
    latency_ms: findPercentile(histogram, 0.5),
  };
}

function buildStrip(rows: readonly DaySums[], first: number): ModelHealth["days"] {
  const byDay = Map.groupBy(rows, ({ day }) => Number(day));
  return Array.from({ length: shownDays }, (_, at) => buildMeasures(byDay.get(first + at) ?? []));
}

/**
 * Neighbouring hours in which most calls failed are one incident; an hour with too few calls ends
 * none and begins none.
 */
export function listIncidents(
  hours: readonly Pick<HourSums, "hour" | "requests" | "failures">[],
  thisHour: number,
): Pick<ServiceHealth["incidents"][number], "from" | "to">[] {
  const byHour = Map.groupBy(hours, ({ hour }) => Number(hour));
  const incidents: { from: number; to: number | null }[] = [];
  let current: { from: number; last: number } | undefined;
  const close = (): void => {
    if (current) incidents.push({ from: current.from * hourMs, to: (current.last + 1) * hourMs });
    current = undefined;
  };
  for (let hour = thisHour - incidentHours + 1; hour <= thisHour; hour += 1) {
    const rows = byHour.get(hour) ?? [];
    const requests = sumMember(rows, "requests");
    if (requests < callsMin) continue;
    if (sumMember(rows, "failures") / requests < downFrom) close();
    else if (current) current.last = hour;
    else current = { from: hour, last: hour };
  }
  const goesOn = current !== undefined && current.last >= thisHour - presentHours + 1;
  if (current && goesOn) incidents.push({ from: current.from * hourMs, to: null });
  else close();
  return incidents;
}
