import { formatDate } from "../../ui/format.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * The names of as many hours (local) or days (UTC), oldest first, up to the one that runs. Pure.
 */
export function countTimes(count: number, steps: "hours" | "days", nowMs: number): string[] {
  return Array.from({ length: count }, (_, place) => {
    const back = count - 1 - place;
    if (steps === "days")
      return new Date(nowMs - back * dayMs).toISOString().slice(0, "2026-11-27".length);
    const hour = Math.floor(nowMs / hourMs) * hourMs - back * hourMs;
    return formatDate(new Date(hour)).slice("2026-11-27 ".length, -":00".length);
  });
}
