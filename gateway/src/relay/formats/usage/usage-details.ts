/**
 * The details that a log row keeps of the usage that a provider reported: enough to compare it with
 * the charge later. Pure.
 */
import { isRecord, type JsonRecord } from "../../wire/json-parts.ts";
import type { ChargedUsage, EstimateReason, UsageFamily, UsageMark } from "./reported-usage.ts";
import { isKnownUsageMember } from "./usage-members.ts";

/** The column `usage_details` of a log row, as JSON. */
export interface UsageDetails {
  /** `reason` says why the charge is not the provider's final count; missing where it is. */
  reason?: EstimateReason;
  marks?: readonly UsageMark[];
  /** The shape of `reported`. */
  family?: UsageFamily;
  /**
   * The provider's counts by their path, such as `cache_creation.ephemeral_5m_input_tokens`;
   * elements of lists by their index.
   */
  reported?: Readonly<Record<string, number | string>>;
  /** Paths of counts that this gateway does not know: perhaps a new kind of fee. */
  unknown?: readonly string[];
}

/** More than any provider reports, and little enough for a row. */
const membersMax = 64;
const pathLengthMax = 100;
const textLengthMax = 40;
const depthMax = 5;

export function buildUsageDetails({ reason, marks, wire }: ChargedUsage): UsageDetails {
  const reported = wire ? buildFlatCounts(wire.members) : {};
  const unknown = wire ? listUnknownMembers(wire.family, reported) : [];
  return {
    ...(reason && { reason }),
    ...(marks.length > 0 && { marks }),
    ...(wire && { family: wire.family, reported }),
    ...(unknown.length > 0 && { unknown }),
  };
}

/** Numbers and short words of a usage object, by their path. */
export function buildFlatCounts(members: JsonRecord): Record<string, number | string> {
  const counts: Record<string, number | string> = {};
  let left = membersMax;

  function add(value: unknown, path: string, depth: number): void {
    if (left === 0 || path.length > pathLengthMax) return;
    if (typeof value === "number" || (typeof value === "string" && value.length <= textLengthMax)) {
      counts[path] = value;
      left -= 1;
    } else if (depth < depthMax && (isRecord(value) || Array.isArray(value))) {
      for (const [name, inner] of Object.entries(value))
        add(inner, path === "" ? name : `${path}.${name}`, depth + 1);
    }
  }

  add(members, "", 0);
  return counts;
}

const listUnknownMembers = (
  family: UsageFamily,
  reported: Readonly<Record<string, number | string>>,
): string[] =>
  Object.keys(reported).filter((path) => {
    const value = reported[path];
    return typeof value === "number" && value !== 0 && !isKnownUsageMember(family, path);
  });

/** `formatUnknownNote` is for the log row: names the counts that are not charged. */
export const formatUnknownNote = ({ unknown = [] }: UsageDetails): string =>
  unknown.length === 0
    ? ""
    : `the upstream counted what this gateway does not know: ${unknown.join(", ")}`;
