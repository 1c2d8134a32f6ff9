/** Differences of compatible servers in times. */
/** Values from here on are milliseconds: as seconds they would be in the year 5138. */
const millisecondsMin = 100_000_000_000;

/** The first time that is set, converted to seconds. */
export function buildUnixSeconds(...times: (number | null | undefined)[]): number {
  const time =
    times.find(
      (candidate) => typeof candidate === "number" && candidate !== 0 && !Number.isNaN(candidate),
    ) ?? 0;
  return time >= millisecondsMin ? Math.floor(time / 1000) : time;
}
