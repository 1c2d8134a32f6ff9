/** What narrows the list, as the address bar holds it. Times are unix seconds as text; empty means the moving default. */
export type LogFilter = {
  type: string;
  model_name: string;
  token_name: string;
  username: string;
  channel: string;
  start_timestamp: string;
  end_timestamp: string;
  keyword: string;
};

export const filterKeys = [
  "type",
  "model_name",
  "token_name",
  "username",
  "channel",
  "start_timestamp",
  "end_timestamp",
  "keyword",
] as const satisfies readonly (keyof LogFilter)[];

export const noFilter: LogFilter = {
  type: "",
  model_name: "",
  token_name: "",
  username: "",
  channel: "",
  start_timestamp: "",
  end_timestamp: "",
  keyword: "",
};

const hourSeconds = 3_600;
const backHours = 168;
const aheadHours = 1;

export function readFilter(search: Readonly<Record<string, unknown>>): LogFilter {
  const filter = { ...noFilter };
  for (const key of filterKeys) {
    const value = search[key];
    if (typeof value === "string") filter[key] = value;
  }
  for (const key of ["start_timestamp", "end_timestamp"] as const) {
    if (!/^\d{1,11}$/.test(filter[key])) filter[key] = "";
  }
  if (!/^[1-7]$/.test(filter.type)) filter.type = "";
  return filter;
}

export function writeFilter(search: Readonly<Record<string, unknown>>, filter: LogFilter): Record<string, unknown> {
  // Another filter is another list: it starts at its first page.
  const next: Record<string, unknown> = { ...search, p: undefined };
  for (const key of filterKeys) next[key] = filter[key] === "" ? undefined : filter[key];
  return next;
}

/** Without a range of one's own, the last 168 hours up to one hour ahead, moving with the clock. */
export function rangeOf(filter: LogFilter, nowSeconds: number): { start: number; end: number } {
  return {
    start: filter.start_timestamp === "" ? nowSeconds - backHours * hourSeconds : Number(filter.start_timestamp),
    end: filter.end_timestamp === "" ? nowSeconds + aheadHours * hourSeconds : Number(filter.end_timestamp),
  };
}

export type LogQuery = {
  type?: string;
  model_name?: string;
  token_name?: string;
  username?: string;
  channel?: string;
  start_timestamp: number;
  end_timestamp: number;
};

/** Whose and which channel are asked by administrators only. */
export function toQuery(filter: LogFilter, nowSeconds: number, admin: boolean): LogQuery {
  const { start, end } = rangeOf(filter, nowSeconds);
  const query: LogQuery = { start_timestamp: start, end_timestamp: end };
  const sent = admin
    ? (["type", "model_name", "token_name", "username", "channel"] as const)
    : (["type", "model_name", "token_name"] as const);
  for (const key of sent) if (filter[key] !== "") query[key] = filter[key];
  return query;
}

export const isFiltered = (filter: LogFilter): boolean => filterKeys.some((key) => filter[key] !== "");
