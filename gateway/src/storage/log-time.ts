/**
 * The span of time that a query of the log names, and the order of time in which its rows stand.
 */
import { sql as raw } from "kysely";

/** `TimeSpan` is in milliseconds; its end is exclusive. */
export interface TimeSpan {
  from: number;
  to: number;
}

const endOfTime = 8_000_000_000_000;

/** `readTimeSpan` reads seconds, of which both ends are inclusive. */
export const readTimeSpan = (query: {
  start_timestamp?: number | undefined;
  end_timestamp?: number | undefined;
}): TimeSpan => ({
  from: query.start_timestamp === undefined ? 0 : query.start_timestamp * 1000,
  to: query.end_timestamp === undefined ? endOfTime : (query.end_timestamp + 1) * 1000,
});

/** `byTime` orders rows of the log by time, for their ids are times. */
export const byTime = raw.ref("id");
