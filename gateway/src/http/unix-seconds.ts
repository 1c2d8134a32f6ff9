/** Times in rows are milliseconds; times of the wire that end in `_time` are Unix seconds. */
export const buildUnixSeconds = (ms: number): number => Math.floor(ms / 1000);
