/** The story of an incident, from log rows, traces, alerts and changes. Pure. */

import { suspendedReason, type TraceRecord } from "@tollgate/contract/figures/traces.ts";
import {
  type Incident,
  type IncidentChannel,
  type IncidentEvent,
  type IncidentFailure,
  type IncidentUser,
  incidentRowsMax,
} from "@tollgate/contract/notices/incidents.ts";
import type { LogRow } from "../../storage/tables/call-tables.ts";
import { computeIdTime } from "../../storage/time-ids.ts";

/** A call that did not go smoothly. */
export type IncidentCall = Pick<
  LogRow,
  "id" | "user_id" | "username" | "outcome" | "content" | "origin_model_name"
> & {
  /** Undefined where it was deleted, or is none. */
  trace: Pick<TraceRecord, "attempts" | "candidates"> | undefined;
};

const minuteMs = 60_000;
const succeeded = "success";

/** Everything but alerts and changes. `calls` are the oldest first. */
export function buildIncident(
  calls: readonly IncidentCall[],
): Pick<Incident, "failed" | "rescued" | "minutes" | "channels" | "users" | "failures"> {
  const minutes = new Map<number, { at: number; failed: number; rescued: number }>();
  const users = new Map<number, IncidentUser>();
  const failures = new Map<string, IncidentFailure>();
  for (const { id, user_id, username, outcome, content, origin_model_name: model } of calls) {
    const at = Math.floor(computeIdTime(id) / minuteMs) * minuteMs;
    const minute = minutes.get(at) ?? { at, failed: 0, rescued: 0 };
    const user = users.get(user_id) ?? { user_id, username, failed: 0, rescued: 0 };
    const key = outcome === succeeded ? "rescued" : "failed";
    minutes.set(at, { ...minute, [key]: minute[key] + 1 });
    // A user who was renamed has the latest name.
    users.set(user_id, { ...user, username, [key]: user[key] + 1 });
    if (key === "rescued") continue;
    const kind = JSON.stringify([outcome, model, content]);
    const alike = failures.get(kind) ?? { outcome, model, reason: content, calls: 0 };
    failures.set(kind, { ...alike, calls: alike.calls + 1 });
  }
  const all = [...users.values()];
  const sum = (key: "failed" | "rescued") => all.reduce((total, user) => total + user[key], 0);
  return {
    failed: sum("failed"),
    rescued: sum("rescued"),
    minutes: [...minutes.values()].sort((one, other) => one.at - other.at),
    channels: summarizeChannels(calls),
    users: all
      .sort((one, other) => other.failed - one.failed || other.rescued - one.rescued)
      .slice(0, incidentRowsMax),
    failures: [...failures.values()]
      .sort((one, other) => other.calls - one.calls)
      .slice(0, incidentRowsMax),
  };
}

interface ChannelCourse {
  name: string;
  statuses: Map<number, number>;
  lastError: string;
  failedAt: number[];
  suspendedAt: number[];
}

function summarizeChannels(calls: readonly IncidentCall[]): IncidentChannel[] {
  const courses = new Map<number, ChannelCourse>();
  const courseOf = (id: number, name: string): ChannelCourse => {
    const course = courses.get(id) ?? {
      name,
      statuses: new Map(),
      lastError: "",
      failedAt: [],
      suspendedAt: [],
    };
    courses.set(id, course);
    return course;
  };
  for (const { id, trace } of calls) {
    for (const {
      channel_id,
      channel_name,
      outcome,
      status,
      error,
      ended_at,
      started_at,
    } of trace?.attempts ?? []) {
      if (outcome !== "failed" && outcome !== "cut") continue;
      const course = courseOf(channel_id, channel_name);
      course.statuses.set(status, (course.statuses.get(status) ?? 0) + 1);
      course.lastError = error ?? course.lastError;
      course.failedAt.push(ended_at ?? started_at);
    }
    for (const { channel_id, channel_name, reason } of trace?.candidates ?? [])
      if (reason.includes(suspendedReason))
        courseOf(channel_id, channel_name).suspendedAt.push(computeIdTime(id));
  }
  return [...courses]
    .map(([channel_id, { name, statuses, lastError, failedAt, suspendedAt }]) => ({
      channel_id,
      channel_name: name,
      failed_attempts: failedAt.length,
      statuses: [...statuses]
        .map(([status, attempts]) => ({ status, attempts }))
        .sort((one, other) => other.attempts - one.attempts),
      last_error: lastError,
      first_failed_at: findLeast(failedAt),
      last_failed_at: findMost(failedAt),
      first_suspended_at: findLeast(suspendedAt),
      last_suspended_at: findMost(suspendedAt),
    }))
    .sort((one, other) => other.failed_attempts - one.failed_attempts)
    .slice(0, incidentRowsMax);
}

const findLeast = (times: readonly number[]): number | null =>
  times.reduce<number | null>((min, at) => (min === null || at < min ? at : min), null);
const findMost = (times: readonly number[]): number | null =>
  times.reduce<number | null>((max, at) => (max === null || at > max ? at : max), null);

/**
 * The lines of the timeline that channels have: when they began to fail, were suspended, and had
 * their last trouble.
 */
export const listChannelEvents = (channels: readonly IncidentChannel[]): IncidentEvent[] =>
  channels.flatMap((channel): IncidentEvent[] => {
    const line = (kind: IncidentEvent["kind"], at: number | null): IncidentEvent[] =>
      at === null ? [] : [{ at, kind, subject: channel.channel_name, action: "", actor: "" }];
    const { first_failed_at, last_failed_at, first_suspended_at, last_suspended_at } = channel;
    const last = findMost([last_failed_at ?? 0, last_suspended_at ?? 0]);
    const first = findLeast([first_failed_at, first_suspended_at].filter((at) => at !== null));
    return [
      ...line("channel_failing", first_failed_at),
      ...line("channel_suspended", first_suspended_at),
      ...line("channel_quiet", last === first ? null : last),
    ];
  });

export const inOrder = (events: readonly IncidentEvent[]): IncidentEvent[] =>
  events.toSorted((one, other) => one.at - other.at);
